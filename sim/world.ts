/**
 * The simulated world: nodes, network, people and chain under one virtual clock, watched by checkers and traced.
 * Everything that happens is an event of the loop; everything random is drawn by name from the one seed.
 * Not here: what happens in it (scenario.ts), and the order of a run (run.ts). Source: DESIGN section 5.
 */

import type { LocalChange } from "../adapters/recording/step-encoding.ts";
import type {
  Change,
  Effect,
  EpochMillis,
  Input,
  NetworkProfile,
  NodeConfiguration,
  RootTexts,
  Table,
} from "../core/index.ts";
import { tables } from "../core/index.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";
import { known } from "../core/testing.ts";
import type { Carrier, OpenCarrier } from "./carrier.ts";
import { simulatedCarrier } from "./carrier.ts";
import type { ChainView } from "./chain/chain-view.ts";
import type { Checker, CheckerSet, MakeChecker, Violation } from "./checker.ts";
import { gatherCheckers } from "./checker.ts";
import { alwaysWatched } from "./checkers/always-watched.ts";
import type { HeldLoop, Loop, Part } from "./clock.ts";
import { createLoop } from "./clock.ts";
import type { NodeDisk } from "./disk.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import type { FaultLedger } from "./faults.ts";
import { createFaultLedger } from "./faults.ts";
import type { Shelves } from "./files.ts";
import { openNodeFiles } from "./files.ts";
import { openLegacyWireFormat } from "./legacy-wire-format.ts";
import type { LinkConditions } from "./links.ts";
import { createNetwork } from "./network.ts";
import type { Network } from "./network-state.ts";
import type { OpenDriver } from "./node-driver.ts";
import { nodeAddress, nodeBase } from "./node-names.ts";
import type { Ticket } from "./node-state.ts";
import type { Stream } from "./random.ts";
import { openStream } from "./random.ts";
import type { Granted } from "./script.ts";
import type { OpenChain, SimNode } from "./sim-node.ts";
import { createSimNode } from "./sim-node.ts";
import type { Stretch, Trace } from "./trace.ts";
import { createTrace } from "./trace.ts";
import type { Wallet } from "./wallet.ts";
import { openWallets } from "./wallet.ts";

/** The instant at which every run begins: 2026-01-01T00:00:00Z. Source: DESIGN "Simulated world". */
export const WORLD_START = 1_767_225_600_000n as EpochMillis;
/** Between a client and its node, each way. Source: DESIGN "Simulated world". */
const CLIENT_LATENCY: Distribution = { type: "uniform", least: 1, most: 5 };
/** Roots of a node that has not stepped yet. */
const ZEROS = "0".repeat(64);
const NO_ROOTS: RootTexts = { statements: ZEROS, facts: ZEROS, state: ZEROS, archive: ZEROS };

/** What the configuration of a node takes from the world: its keys and its place in the network. */
export interface NodeSeat {
  readonly index: number;
  readonly wallet: Wallet;
  readonly address: string;
  /** Under which its snapshot files are fetched. */
  readonly base: string;
  readonly entrypoints: readonly string[];
}

/** A stream message as a subscriber of `/ws` gets it. */
export type Listener = (node: number, source: "own" | "gossip", message: string) => void;

export interface WorldOptions {
  readonly seed: bigint;
  /** What run this is; the trace begins with it. */
  readonly label: string;
  readonly nodes: number;
  readonly crypto: CryptoPort;
  readonly profile: NetworkProfile;
  readonly openDriver: OpenDriver;
  /** Tables of the network that the driver runs; the marketplace's when absent. */
  readonly tables?: readonly Table<unknown>[] | undefined;
  readonly configure: (seat: NodeSeat) => NodeConfiguration;
  readonly openDisk: (node: number, loop: Loop, faults: FaultLedger) => NodeDisk;
  readonly openChain?: OpenChain | undefined;
  /** The chain itself, once it is open. */
  readonly chain?: () => ChainView | undefined;
  /** Indexes of the nodes that speak to their clients as older nodes do; none when absent. */
  readonly older?: readonly number[];
  readonly conditions: LinkConditions;
  /** Where nodes are reached, by index; places of the simulated network where nothing is said. */
  readonly addresses?: readonly string[] | undefined;
  /** Indexes of the nodes that a node dials first. */
  readonly entrypoints: (node: number) => readonly number[];
  readonly checkers: readonly MakeChecker[];
  readonly capture?: Stretch | undefined;
  /** What another world of the same options held: this one goes on from there. */
  readonly from?: HeldLoop | undefined;
  /** What carries envelopes; the simulated network when absent. */
  readonly openCarrier?: OpenCarrier | undefined;
  /** The wallets that it names. */
  readonly walletOf?: ((name: string) => Wallet) | undefined;
}

/** Something worth telling a reader of the run. */
export interface StoryLine {
  /** Virtual milliseconds. */
  readonly time: number;
  readonly text: string;
}

/** Everything that a run is made of. */
export interface World {
  readonly seed: bigint;
  readonly loop: Loop;
  readonly network: Network;
  readonly carrier: Carrier;
  readonly faults: FaultLedger;
  readonly crypto: CryptoPort;
  readonly profile: NetworkProfile;
  readonly nodes: readonly SimNode[];
  readonly trace: Trace;
  readonly checkers: CheckerSet;
  readonly violations: readonly Violation[];
  readonly story: readonly StoryLine[];
  /** The chain as it is, whatever endpoints say of it; nothing where the world has none. */
  chain(): ChainView | undefined;
  /** The wallet of a name, the same for the same name. */
  walletOf(name: string): Wallet;
  /** The wallet of a person, who is one of those who live here from now on. */
  person(name: string): Wallet;
  people(): Iterable<Wallet>;
  /** Sends a JSON-RPC body to a node over a client's link; what comes back is told to whom the ticket names. */
  ask(node: number, by: Wallet | undefined, body: string, ticket: Ticket): void;
  /** Who hears what comes back, by the name in its ticket. */
  readonly recipients: Map<string, Recipient>;
  /** The same for who drives a world from outside: in a held world nobody would be called. */
  call(node: number, by: Wallet | undefined, body: string, done: (answer: Granted) => void): void;
  listen(listener: Listener): void;
  rootsOf(node: number): RootTexts;
  tell(text: string): void;
  /** Calls back with every line that is told from now on. */
  onTold(onLine: (line: StoryLine) => void): void;
  violate(check: string, message: string): void;
}

/** Hears what came of a question, by its number. */
export type Recipient = (number: number, answer: Granted) => void;

/** What the world itself remembers. */
interface HeldWorld {
  /** Names of those who have a wallet, in the order they were first heard of. */
  readonly people: Set<string>;
  readonly roots: RootTexts[];
  readonly violations: Violation[];
  readonly story: StoryLine[];
}

/** A question on its way to a node, with the node or on its way back. */
interface Asked {
  readonly node: number;
  readonly by: Wallet | undefined;
  readonly body: string;
  readonly ticket: Ticket;
  /** Its number on the client's link. */
  readonly number: number;
}

interface HeldClients {
  readonly links: Map<number, { readonly stream: Stream; sent: number }>;
  /** What nodes were asked and have not answered, by number. */
  readonly asked: Map<number, Asked>;
  questions: number;
}

type ClientDue =
  | { readonly kind: "asks"; readonly question: number }
  | { readonly kind: "hears"; readonly ticket: Ticket; readonly answer: Granted };

interface WorldState {
  readonly world: World;
  readonly held: HeldWorld;
  readonly listeners: Listener[];
  /** Tables that no root counts, by name. */
  readonly local: ReadonlyMap<string, Table<unknown>>;
  readonly clients: Part<HeldClients, ClientDue>;
}

/** What is asked through a client comes back under this name, and what is asked from outside under that. */
const CLIENT = "client";
const OUTSIDE = "outside";

/** A world in which nothing has happened, or one that goes on from what another held. */
export function createWorld(options: WorldOptions): World {
  const loop = createLoop(WORLD_START, options.from);
  const faults = createFaultLedger(loop);
  const { seed, crypto, conditions, profile } = options;
  const network = createNetwork({ clock: loop, seed, faults, conditions });
  const carrier = options.openCarrier?.(loop, network) ?? simulatedCarrier(network);
  const trace = createTrace({
    label: options.label,
    clock: loop,
    ...(options.capture && { capture: options.capture }),
  });
  const fresh = (): HeldWorld => ({ people: new Set(), roots: [], violations: [], story: [] });
  const { held } = loop.part<HeldWorld, never>("world", fresh, () => undefined);
  const noClients = (): HeldClients => ({ links: new Map(), asked: new Map(), questions: 0 });
  const clients = loop.part("clients", noClients, (due: ClientDue) => carryOut(state, due));
  const walletOf = options.walletOf ?? openWallets(crypto, seed);
  const lineListeners: ((line: StoryLine) => void)[] = [];
  const nodes: SimNode[] = [];
  const calls: ((answer: Granted) => void)[] = [];
  const violate = (check: string, message: string) => {
    held.violations.push({ check, message, time: loop.now(), event: trace.events() });
  };
  const people = () => [...held.people].map(walletOf);
  const chain = () => options.chain?.();
  const { violations, story } = held;
  const checkers = gatherCheckers(makeCheckers(options, loop, { violate, people, chain }));
  const world: World = {
    ...{ seed, loop, network, carrier, faults, crypto, profile, nodes, trace, checkers },
    ...{ violations, story, violate, people, chain },
    walletOf,
    person(name) {
      held.people.add(name);
      return walletOf(name);
    },
    recipients: new Map(),
    ask: (node, by, body, ticket) => ask(state, node, by, body, ticket),
    call: (node, by, body, done) => ask(state, node, by, body, { to: OUTSIDE, number: calls.push(done) - 1 }),
    listen: (listener) => state.listeners.push(listener),
    rootsOf: (node) => held.roots[node] ?? NO_ROOTS,
    tell(text) {
      const line = { time: loop.now(), text };
      story.push(line);
      for (const onLine of lineListeners) onLine(line);
    },
    onTold: (onLine) => void lineListeners.push(onLine),
  };
  const local = new Map(
    (options.tables ?? tables).filter(({ root }) => root === "local").map((table) => [table.name, table] as const),
  );
  const state: WorldState = { world, held, listeners: [], local, clients };
  world.recipients.set(OUTSIDE, (call, answer) => calls[call]?.(answer));
  nodes.push(...seatNodes(options, state));
  return world;
}

/** The laws of every world and those of this one, each with a memory of its own. */
function makeCheckers(
  { profile, tables: told, checkers }: WorldOptions,
  loop: Loop,
  { violate, people, chain }: Pick<World, "violate" | "people" | "chain">,
): readonly Checker[] {
  return [...alwaysWatched, ...checkers].map((make, place) => {
    const checker = make({
      ...{ people, chain, profile, tables: told, time: loop.now },
      violate: (message) => violate(checker.name, message),
      keep: (fresh) => loop.part<ReturnType<typeof fresh>, never>(`checker/${place}`, fresh, () => undefined).held,
    });
    return checker;
  });
}

/** Opens every node; none is started yet. */
function seatNodes(options: WorldOptions, state: WorldState): readonly SimNode[] {
  const { world } = state;
  const seats = Array.from({ length: options.nodes }, (_, index) => {
    const wallet = world.walletOf(`node/${index}`);
    return { index, wallet, address: options.addresses?.[index] ?? nodeAddress(index, wallet.peer) };
  });
  const shelves: Shelves = new Map();
  const addressOf = (index: number) => seats[index]?.address ?? [];
  const everybody = () => [...seats.map(({ wallet }) => wallet), ...world.people()];
  const legacyFormat = openLegacyWireFormat(() => everybody().map(({ keypair }) => keypair.publicKey));
  return seats.map(({ index, wallet, address }) =>
    createSimNode({
      index,
      wallet,
      address,
      seed: options.seed,
      configuration: options.configure({
        ...{ index, wallet, address, base: nodeBase(index) },
        entrypoints: options.entrypoints(index).flatMap(addressOf),
      }),
      clock: world.loop,
      crypto: world.crypto,
      faults: world.faults,
      carrier: world.carrier,
      disk: options.openDisk(index, world.loop, world.faults),
      files: openNodeFiles({
        ...{ node: index, seed: options.seed, clock: world.loop, faults: world.faults },
        ...{ shelves, base: nodeBase(index) },
      }),
      openDriver: options.openDriver,
      openChain: options.openChain,
      legacyFormat: options.older?.includes(index) ? legacyFormat : undefined,
      watch: {
        stepped: (node, input, changes, effects) => stepped(state, node, input, changes, effects),
        performed: ({ index: at }, effect) => world.checkers.effect?.({ node: at, effect }),
        committed: (node, report) => world.checkers.commit?.({ node: node.index, report, view: node.driver()?.view }),
        crashed: ({ index: at }, view, lied) => world.checkers.crash?.({ node: at, view, lied }),
        published: (node, source, message) => published(state, node, source, message),
        answered: (_, ticket, answer) => answered(state, ticket, answer),
        logged: (node, { level, event, fields }) => world.checkers.log?.({ node: node.index, level, event, fields }),
        broke: (node, error) => world.violate("no-bugs", `${node.name}: ${bugText(error)}`),
      },
    }),
  );
}

function stepped(
  state: WorldState,
  node: SimNode,
  input: Input,
  changes: readonly Change[],
  effects: readonly Effect[],
): void {
  const { world, held } = state;
  const { roots } = held;
  const driver = node.driver();
  const rootsBefore = roots[node.index] ?? NO_ROOTS;
  // While the driver is still being made nobody can ask it; its first later step tells.
  // A start shows what the store held, which may be less than the process before it had in memory.
  const fresh = changes.length > 0 || input.type === "started" ? driver?.roots() : undefined;
  if (fresh !== undefined) roots[node.index] = fresh;
  const local: LocalChange[] = [];
  for (const { table, key, record } of changes) {
    const found = state.local.get(table);
    if (found !== undefined) local.push({ table: found, key, record });
  }
  world.trace.record({ time: world.loop.now(), node: node.index, input, effects, local, roots: fresh ?? null });
  if (world.checkers.step === undefined || driver === undefined) return;
  const seen = { node: node.index, input, changes, effects, view: driver.view };
  // What was loaded may be nothing at all, in the place of what the process before it had.
  const known = input.type === "store.loaded" ? driver.roots() : rootsBefore;
  world.checkers.step({ roots: fresh ?? known, rootsBefore, ...seen });
}

function published(state: WorldState, node: SimNode, source: "own" | "gossip", message: string): void {
  state.world.checkers.published?.({ node: node.index, source, message });
  for (const listener of state.listeners) listener(node.index, source, message);
}

function ask(state: WorldState, node: number, by: Wallet | undefined, body: string, ticket: Ticket): void {
  const { world, clients } = state;
  const { held } = clients;
  const seat = world.nodes[node];
  if (seat === undefined) throw new RangeError(`there is no node ${node}`);
  const link = held.links.get(node) ?? { stream: openStream(world.seed, `client/${seat.name}`), sent: 0 };
  held.links.set(node, link);
  const [question, number] = [held.questions++, link.sent++];
  held.asked.set(question, { node, by, body, ticket, number });
  world.checkers.call?.({ node, by, request: body });
  clients.after(sample(CLIENT_LATENCY, link.stream, 2 * number), { kind: "asks", question });
}

function carryOut({ world, clients: { held } }: WorldState, due: ClientDue): void {
  if (due.kind === "hears") return world.recipients.get(due.ticket.to)?.(due.ticket.number, due.answer);
  const asked = held.asked.get(due.question);
  if (asked !== undefined) world.nodes[asked.node]?.call(asked.body, { to: CLIENT, number: due.question });
}

/** A node has answered: through its client's link, where it was asked through one. */
function answered(state: WorldState, ticket: Ticket, answer: Granted): void {
  const { world, clients } = state;
  const asked = ticket.to === CLIENT ? clients.held.asked.get(ticket.number) : undefined;
  if (asked === undefined) return world.recipients.get(ticket.to)?.(ticket.number, answer);
  clients.held.asked.delete(ticket.number);
  const { node, by, body: request, number } = asked;
  if (typeof answer === "string") world.checkers.answer?.({ node, by, request, answer });
  const link = known(clients.held.links.get(node), "the link that the question took");
  clients.after(sample(CLIENT_LATENCY, link.stream, 2 * number + 1), { kind: "hears", ticket: asked.ticket, answer });
}

/** What went wrong and in which function; paths and lines differ between machines and builds. */
function bugText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const frames = [...(error.stack ?? "").matchAll(/^ +at (?:async )?([\w.<>]+) \(/gm)]
    .slice(0, 4)
    .map(([, name]) => name);
  return frames.length === 0 ? error.message : `${error.message} (in ${frames.join(" < ")})`;
}
