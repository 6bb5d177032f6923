/**
 * Builds the world of a run from a scenario, options and backends. How the run goes is in run.ts.
 * Source: DESIGN section 5.
 */

import type { Rows } from "../adapters/store/row-store.ts";
import type { NetworkProfile, NodeConfiguration, Result, Table } from "../core/index.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";
import type { OpenCarrier } from "./carrier.ts";
import type { Cluster, SubmitDefect } from "./chain/cluster.ts";
import type { OpenExecutor } from "./chain/executor.ts";
import type { ChainFaults } from "./chain-faults.ts";
import { safetyCheck } from "./check-kinds.ts";
import type { MakeChecker } from "./checker.ts";
import type { HeldLoop, Loop } from "./clock.ts";
import { healthyDisk, openNodeDisk } from "./disk.ts";
import { forksChain as forks } from "./fault-kinds.ts";
import type { FaultLedger } from "./faults.ts";
import type { OpenDriver } from "./node-driver.ts";
import { below, openStream } from "./random.ts";
import type { ChainChoice, Participant, Scenario } from "./scenario.ts";
import { storyText } from "./scenario.ts";
import type { OpenChain } from "./sim-node.ts";
import type { Stretch } from "./trace.ts";
import { createRecorder } from "./travel/recorder.ts";
import type { RecordingWriter } from "./travel/recording-writer.ts";
import type { Wallet } from "./wallet.ts";
import { openWallets } from "./wallet.ts";
import type { NodeSeat, World } from "./world.ts";
import { createWorld } from "./world.ts";

/** What keeps the rows of simulated nodes. */
export type StoreChoice = "memory" | "sqljs" | "sqlite";
/** What carries envelopes between nodes. */
export type NetworkChoice = "simulated" | "libp2p-memory";

/** A chain that lives in the world's time. */
export interface ChainSupply extends ChainFaults {
  readonly open: OpenChain;
  /** The chain itself, for checks over all of it. */
  readonly cluster: Cluster;
  /** Takes a signed transaction from outside for the next slot. */
  submit(wire: Uint8Array): Result<string, SubmitDefect>;
  /** Brings the chain to the slot that the clock shows. Whoever looks at it past every endpoint does that first. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** What a chain needs to know of the world it is built for. */
export interface ChainSetting {
  readonly choice: Exclude<ChainChoice, "none">;
  readonly seed: bigint;
  readonly loop: Loop;
  readonly faults: FaultLedger;
  readonly profile: NetworkProfile;
  readonly participants: readonly (Participant & { readonly wallet: Wallet })[];
  readonly nodes: readonly Wallet[];
  /** Reservations whose closing a lookup table lists. */
  readonly lookupTables?: readonly bigint[];
  /** Stands between the chain and what executes it, such as a recorder of what ran. */
  readonly through?: (open: OpenExecutor) => OpenExecutor;
}

/** The parts of a world that a run can be given others of. The usual ones are in backends.ts. */
export interface Backends {
  readonly crypto: CryptoPort;
  readonly profile: NetworkProfile;
  readonly openDriver: OpenDriver;
  /** Tables of the network that the driver runs; the marketplace's when absent. */
  readonly tables?: readonly Table<unknown>[];
  readonly configure: (seat: NodeSeat, chain: ChainChoice) => NodeConfiguration;
  /** Where each node's rows are kept; maps when absent. */
  readonly openRows: (store: StoreChoice, nodes: number) => Promise<(node: number) => Rows | undefined>;
  readonly openChain: (setting: ChainSetting) => Promise<ChainSupply>;
  /** What carries envelopes between nodes; the simulated network when it opens none. */
  readonly openCarrier?: (network: NetworkChoice) => Promise<OpenCarrier | undefined>;
}

/** How far a run is. */
export interface Progress {
  readonly events: number;
  readonly simulatedMs: number;
  readonly lastsMs: number;
}

/** Where a run is left though no law was broken: by virtual time, and by events. */
export interface RunBound {
  readonly time: number;
  readonly events: number;
}

/** What a run is a function of besides its scenario, and who watches it. */
export interface RunOptions {
  readonly seed: bigint;
  readonly nodes?: number;
  readonly chain?: ChainChoice;
  readonly store?: StoreChoice;
  readonly network?: NetworkChoice;
  /** Keeps the events of this stretch of the trace. */
  readonly capture?: Stretch;
  readonly progress?: (progress: Progress) => void;
  /** Told each line of the story when it happens. */
  readonly tell?: (line: string) => void;
  /** Is told what each event changed, and which event led to it. */
  readonly record?: RecordingWriter;
  /** Who watches besides the checkers of the scenario, without a part in what the run comes to. */
  readonly watch?: readonly MakeChecker[];
  /** What `runScenario` plays at most, for who asks only whether a law breaks until then; all of it when absent. */
  readonly until?: RunBound | undefined;
  /** What a run of the same scenario and options held: this one goes on from there. */
  readonly from?: HeldLoop | undefined;
  /** Whom a node dials first, where not those that every world deals. */
  readonly entrypoints?: (node: number) => readonly number[] | undefined;
  /** Where nodes are reached, by index; places of the simulated network where nothing is said. */
  readonly addresses?: readonly string[] | undefined;
  /** The wallets that it names, by name. */
  readonly walletOf?: ((name: string) => Wallet) | undefined;
}

/** What a run was asked for and what its scenario chose: with these and the scenario it begins again. */
export type ChosenOptions = Required<Pick<RunOptions, "seed" | "nodes" | "chain" | "store" | "network">>;

/** Between two files of a node that makes any. Source: DESIGN "Simulated world". */
const FILES_EVERY_MS = 60_000;
/** Nodes that a node dials first. Source: DESIGN "Simulated world". */
const ENTRYPOINTS = 3;

/**
 * What executes the chain of a scenario: what was asked for, else the scenario's own choice. Bankrun runs a transaction
 * once and has no other branch to run it on, so a scenario that forks gets LiteSVM where nobody asked.
 */
export function chainOf(scenario: Pick<Scenario, "chain" | "faults">, asked: ChainChoice | undefined): ChainChoice {
  if (scenario.chain === "none") return "none";
  if (asked !== undefined) return asked;
  return scenario.chain === "bankrun" && forksChain(scenario) ? "litesvm" : scenario.chain;
}

/** Why a scenario cannot run on what was asked for, if so. Said before anything starts. */
export function unfitChain(scenario: Scenario, asked: ChainChoice | undefined): string | undefined {
  if (chainOf(scenario, asked) !== "bankrun" || !forksChain(scenario)) return undefined;
  return `${scenario.name} forks the chain, which bankrun cannot: use --chain litesvm or model`;
}

function forksChain({ faults }: Pick<Scenario, "faults">): boolean {
  return faults.some(forks);
}

/** A node, and whether it hears of the chain from its peers alone. */
export interface Column {
  readonly node: number;
  readonly gossipOnly: boolean;
}

/** A world with all that a run needs to know of it. */
export interface Setup {
  readonly world: World;
  readonly options: ChosenOptions;
  readonly supply: ChainSupply | undefined;
  readonly columns: readonly Column[];
}

/** Builds the world of a run; nothing has happened in it, or what the held world had seen. */
export async function buildWorld(scenario: Scenario, options: RunOptions, backends: Backends): Promise<Setup> {
  const { seed } = options;
  const nodes = options.nodes ?? scenario.nodes;
  const chain = chainOf(scenario, options.chain);
  const store = options.store ?? "memory";
  const network = options.network ?? "simulated";
  const openCarrier = await backends.openCarrier?.(network);
  const gossipOnly = (node: number) => chain === "none" || scenario.gossipOnly.includes(node);
  const rowsFor = await backends.openRows(store, nodes);
  const holder: { supply: ChainSupply | undefined } = { supply: undefined };
  const { crypto, profile, openDriver, tables } = backends;
  const walletOf = options.walletOf ?? openWallets(crypto, seed);
  const world: World = createWorld({
    ...{ seed, nodes, crypto, profile, openDriver, tables },
    // Not in it: what executes the chain and keeps the rows, which nothing in a trace depends on.
    label: `${scenario.name} seed=${seed} nodes=${nodes}${chain === "none" ? " without chain" : ""}`,
    configure(seat) {
      const configured = backends.configure(seat, gossipOnly(seat.index) ? "none" : chain);
      return {
        ...configured,
        ...(scenario.confirmed.includes(seat.index) && { chainCommitment: "confirmed" }),
        ...filesPart(scenario.fileMakers, seat, walletOf),
      };
    },
    openDisk(node, clock, faults) {
      const rows = rowsFor(node);
      return openNodeDisk({ node, seed, clock, faults, conditions: healthyDisk, ...(rows && { rows }) });
    },
    openChain: (node, observe, process) =>
      gossipOnly(node) ? undefined : supplied(holder).open(node, observe, process),
    chain: () => holder.supply?.cluster,
    older: scenario.older,
    conditions: scenario.conditions,
    addresses: options.addresses,
    entrypoints: (node) => options.entrypoints?.(node) ?? entrypointsOf(seed, node),
    checkers: [
      ...scenario.safety.map(safetyCheck),
      ...(options.watch ?? []),
      ...(options.record === undefined ? [] : [recorderOf(options.record, () => world)]),
    ],
    capture: options.capture,
    from: options.from,
    openCarrier,
    walletOf,
  });
  if (chain !== "none") {
    const participants = scenario.participants.map((member) => ({ ...member, wallet: world.person(member.name) }));
    const { loop, faults } = world;
    holder.supply = await backends.openChain({
      ...{ choice: chain, seed, loop, faults, profile, participants, lookupTables: scenario.lookupTables },
      nodes: world.nodes.map((node) => node.wallet),
    });
  }
  if (options.tell !== undefined) tellAsItHappens(world, options.tell);
  const columns = world.nodes.map(({ index }) => ({ node: index, gossipOnly: gossipOnly(index) }));
  return { world, options: { seed, nodes, chain, store, network }, supply: holder.supply, columns };
}

/** Watches the world for a recording. */
function recorderOf(writer: RecordingWriter, worldOf: () => World): MakeChecker {
  const numbers = new Map<string, number>();
  const nodeOf = (peer: string) => {
    if (numbers.size === 0) for (const { index, peer: own } of seatsOf(worldOf())) numbers.set(own, index);
    return numbers.get(peer);
  };
  const event = () => worldOf().trace.events();
  return createRecorder(writer, { event, time: () => worldOf().loop.now(), nodeOf }).checker;
}

function seatsOf({ nodes }: World): readonly { readonly index: number; readonly peer: string }[] {
  return nodes.map(({ index, wallet }) => ({ index, peer: wallet.peer }));
}

/** Who makes files, and whose are taken: nothing where nobody makes any. */
function filesPart(
  makers: readonly number[],
  seat: NodeSeat,
  walletOf: (name: string) => Wallet,
): Pick<NodeConfiguration, "snapshots" | "listing"> {
  if (makers.length === 0) return {};
  const anchors = makers.map((maker) => walletOf(`node/${maker}`).publicKey);
  if (!makers.includes(seat.index)) return { snapshots: { anchors } };
  return { snapshots: { anchors, produceEveryMs: FILES_EVERY_MS }, listing: { snapshotUrls: [seat.base] } };
}

function tellAsItHappens(world: World, tell: (line: string) => void): void {
  world.onTold((line) => tell(storyText(line)));
}

function supplied(holder: { readonly supply: ChainSupply | undefined }): ChainSupply {
  if (holder.supply === undefined) throw new Error("bug: a node started before its chain");
  return holder.supply;
}

/** Earlier nodes, the one just before always among them, so that the network is connected. */
function entrypointsOf(seed: bigint, node: number): readonly number[] {
  const stream = openStream(seed, `node/${node}/entrypoints`);
  const chosen = new Set(node === 0 ? [] : [node - 1]);
  for (let n = 1; n < Math.min(ENTRYPOINTS, node); n++) chosen.add(below(stream, n, node));
  return [...chosen];
}
