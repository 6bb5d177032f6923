/**
 * One simulated node: a process around the core's driver that can crash, restart, stall and run slow, on a clock of
 * its own. Effects leave it only through the ports, after the driver found them durable; what a
 * process still had in hand dies with it. Source: DESIGN sections 2 (L9), 5.
 */
import type {
  ChainObservation,
  Change,
  Effect,
  EpochMillis,
  Fact,
  Facts,
  Input,
  NodeConfiguration,
  NodeDriver,
  Outsides,
  Reader,
  TimerName,
} from "../core/index.ts";
import { factsTo, route } from "../core/index.ts";
import type { ChainPort } from "../core/ports/chain.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";
import type { GatewayPort } from "../core/ports/gateway.ts";
import type { SnapshotPort } from "../core/ports/snapshots.ts";
import type { TransportPort } from "../core/ports/transport.ts";
import type { Carrier, Member } from "./carrier.ts";
import type { Clock, HeldFor, Packing, Part } from "./clock.ts";
import type { DiskReport, NodeDisk } from "./disk.ts";
import type { FaultLedger, Injection } from "./faults.ts";
import type { NodeFiles } from "./files.ts";
import type { NodeGateway } from "./gateway.ts";
import { openNodeGateway } from "./gateway.ts";
import { openLedgerWatch } from "./ledger-repair.ts";
import type { LegacyWireFormat } from "./legacy-wire-format.ts";
import type { OpenDriver } from "./node-driver.ts";
import { nodeName } from "./node-names.ts";
import type { Drift, HeldLife, HeldNode, NodeDue, Ticket } from "./node-state.ts";
import { bitingDrift, clockErrorMs, driverFor, freshNode, waitMs } from "./node-state.ts";
import { bytes, openStream } from "./random.ts";
import type { Granted } from "./script.ts";
import type { Wallet } from "./wallet.ts";

/**
 * How the chain reaches a process of a node, a new one or the one that a held world had; it does not reach a
 * gossip-only node.
 */
export type OpenChain = (
  node: number,
  observe: (observation: ChainObservation) => void,
  process?: "new" | "held",
) => ChainPort | undefined;

export interface SimNodeOptions {
  readonly index: number;
  readonly seed: bigint;
  readonly wallet: Wallet;
  readonly configuration: NodeConfiguration;
  readonly address: string;
  readonly clock: Clock;
  readonly crypto: CryptoPort;
  readonly faults: FaultLedger;
  readonly carrier: Carrier;
  readonly disk: NodeDisk;
  readonly files: NodeFiles;
  readonly openDriver: OpenDriver;
  readonly openChain: OpenChain | undefined;
  /** How it speaks to its clients, when it is to speak as older nodes do. */
  readonly legacyFormat: LegacyWireFormat | undefined;
  readonly watch: NodeWatch;
}

/** What the world is told about a node. */
export interface NodeWatch {
  readonly stepped: (node: SimNode, input: Input, changes: readonly Change[], effects: readonly Effect[]) => void;
  /** An effect leaves the node, this instant. */
  readonly performed: (node: SimNode, effect: Effect) => void;
  /** A commit ended. */
  readonly committed: (node: SimNode, report: DiskReport) => void;
  /** The process ended; `view` is what it held in memory, `lied` what a lying disk lost of what it had reported. */
  readonly crashed: (node: SimNode, view: Reader | undefined, lied: number) => void;
  readonly published: (node: SimNode, source: "own" | "gossip", message: string) => void;
  /** A call ended; without an answer when the process was down or went down. */
  readonly answered: (node: SimNode, ticket: Ticket, answer: Granted) => void;
  readonly logged: (node: SimNode, effect: Extract<Effect, { readonly type: "log" }>) => void;
  /** The core threw: a bug. */
  readonly broke: (node: SimNode, error: unknown) => void;
}

/** One simulated node: a driver that starts, crashes, stalls and is asked. */
export interface SimNode {
  readonly index: number;
  readonly name: string;
  /** The node's own keys. */
  readonly wallet: Wallet;
  readonly address: string;
  readonly disk: NodeDisk;
  readonly files: NodeFiles;
  /** The driver of the running process. */
  driver(): NodeDriver | undefined;
  start(): void;
  /** Goes on with the process that ran when the world was held, if one did. */
  resumeHeld(): void;
  /** Ends the process at once, without a word. With `power`, unsynced writes may be gone too. */
  crash(power: boolean): void;
  /** A JSON-RPC body from a client on the node's doorstep. What comes of it is told under the ticket. */
  call(body: string, ticket: Ticket): void;
  /** Adds to the node's clock; the fault behind it bites when the node is told anything at the wrong time. */
  skewClock(byMs: number, injection?: Injection): void;
  /** What was added to it so far. */
  skewMs(): number;
  /** The clock gains so many millionths from now on; the fault bites when the node is told anything at a wrong time. */
  drift(ppm: number, injection: Injection): Drift;
  /** The clock is right again. */
  endDrift(drift: Drift): void;
  /** Holds everything that arrives until `resume`; the fault behind it bites when there is something to hold. */
  pause(injection?: Injection): void;
  resume(): void;
  /** Milliseconds that each input keeps the node busy; the fault behind it bites when another has to wait. */
  setBusyMs(ms: number, injection?: Injection): void;
}

/** The ports of a running process. */
interface Process extends Outsides {
  readonly held: HeldLife;
  readonly start: number;
  driver: NodeDriver | undefined;
  transport: TransportPort | undefined;
  chain: ChainPort | undefined;
  gateway: GatewayPort | undefined;
  snapshots: SnapshotPort | undefined;
  alive: boolean;
}

interface NodeState {
  readonly options: SimNodeOptions;
  readonly node: SimNode;
  readonly held: HeldNode;
  readonly plan: Part<HeldNode, NodeDue>;
  readonly gateway: NodeGateway;
  readonly watchLedger: ReturnType<typeof openLedgerWatch>;
  process: Process | undefined;
}

/** A node with its disk and its files; its process has not begun, unless it runs in a held world. */
export function createSimNode(options: SimNodeOptions): SimNode {
  const { clock, index, carrier, seed } = options;
  const name = nodeName(index);
  const packing: Packing<HeldNode> = {
    pack: (held, what) => packed(state, held, what),
    unpack: (held) => held as HeldNode,
  };
  const plan = clock.part(name, freshNode, (due: NodeDue) => carryOut(state, due), packing);
  const { held } = plan;
  const node: SimNode = {
    index,
    name,
    wallet: options.wallet,
    address: options.address,
    disk: options.disk,
    files: options.files,
    driver: () => state.process?.driver,
    start: () => startProcess(state),
    resumeHeld: () => resumeHeld(state),
    crash: (power) => crashProcess(state, power),
    call: (body, ticket) => receiveCall(state, body, ticket),
    skewClock(byMs, injection) {
      held.skewMs += byMs;
      if (injection !== undefined) held.faults.clock.add(injection);
      if (held.skewMs === 0) held.faults.clock.clear();
    },
    skewMs: () => held.skewMs,
    drift(ppm, injection) {
      const drift = { ppm, since: clock.now(), injection };
      held.drifts.add(drift);
      return drift;
    },
    endDrift: (drift) => void held.drifts.delete(drift),
    pause(injection) {
      held.paused = true;
      held.faults.pause = injection;
    },
    resume() {
      held.paused = false;
      if (state.process !== undefined) drain(state, state.process);
    },
    setBusyMs(ms, injection) {
      held.busyMs = ms;
      held.faults.busy = injection;
    },
  };
  const gateway = openNodeGateway(seed, name, clock);
  const watchLedger = openLedgerWatch(clock, name, {
    ...{ disk: options.disk, starts: () => held.starts, isUp: () => state.process !== undefined },
    ...{ stop: () => node.crash(false), start: node.start },
  });
  const state: NodeState = { options, node, held, plan, gateway, watchLedger, process: undefined };
  // Every node has its place in the network before the first one starts.
  carrier.enrol(memberOf(state));
  options.disk.onCommit((report) => options.watch.committed(node, report));
  return node;
}

/** A node to be held: its process's memory with it. */
function packed({ process }: NodeState, held: HeldNode, what: HeldFor): HeldNode {
  if (held.life === undefined) return held;
  return { ...held, life: { ...held.life, driver: driverFor(what, process?.driver) } };
}

function startProcess(state: NodeState): void {
  if (state.process !== undefined) return;
  const { options, node, held } = state;
  const bootSeed = bytes(openStream(options.seed, `${node.name}/boot`), held.starts, 32);
  held.starts += 1;
  const nothing = { calls: new Map(), timers: new Map(), waiting: [] };
  const life: HeldLife = { driver: undefined, bootSeed, draining: false, ...nothing };
  held.life = life;
  openProcess(state, life, (facts) => ({
    transport: options.carrier.join(memberOf(state), facts.transport),
    chain: options.openChain?.(options.index, facts.observe),
    gateway: state.gateway.open(facts.delivered),
    snapshots: options.files.open(facts.snapshots),
  }));
}

/** Goes on with the process that a held world had. */
function resumeHeld(state: NodeState): void {
  const { options, held } = state;
  const { life } = held;
  if (life === undefined || state.process !== undefined) return;
  openProcess(state, life, (facts) => ({
    transport: options.carrier.listen(memberOf(state), facts.transport),
    chain: options.openChain?.(options.index, facts.observe, "held"),
    gateway: state.gateway.reopen(facts.delivered),
    snapshots: options.files.reopen(facts.snapshots),
  }));
}

function memberOf({ options, node }: NodeState): Member {
  const { peerId, secretKey } = options.configuration;
  return { peer: peerId, address: options.address, name: node.name, secretKey };
}

type Ports = Pick<Process, "transport" | "chain" | "gateway" | "snapshots">;

function openProcess(state: NodeState, life: HeldLife, open: (facts: Facts) => Ports): void {
  const { options, node } = state;
  const process = newProcess(state, life);
  state.process = process;
  Object.assign(process, open(factsTo((fact) => deliver(state, process, fact))));
  guarded(state, () => {
    process.driver = options.openDriver({
      crypto: options.crypto,
      configuration: options.configuration,
      store: state.watchLedger(
        options.disk.open((act) => {
          if (process.alive) guarded(state, act);
        }),
      ),
      bootSeed: life.bootSeed,
      now: () => nodeTime(state),
      perform(effect) {
        if (!process.alive) return;
        options.watch.performed(node, effect);
        route(process, effect);
      },
      observe: (input, changes, effects) => options.watch.stepped(node, input, changes, effects),
      from: life.driver,
    });
  });
  life.driver = undefined;
}

/** A process of which nothing is open yet. */
function newProcess(state: NodeState, held: HeldLife): Process {
  const { watch } = state.options;
  const process: Process = {
    held,
    ...{ start: state.held.starts, alive: true },
    ...{ driver: undefined, transport: undefined, chain: undefined, gateway: undefined, snapshots: undefined },
    api: {
      reply(replyTo, body) {
        const call = held.calls.get(replyTo);
        held.calls.delete(replyTo);
        if (call !== undefined) answer(state, call, body);
      },
      publish: (source, message) => watch.published(state.node, source, message),
    },
    setTimer: (timer, at) => setTimer(state, process, timer, at),
    log: (entry) => watch.logged(state.node, entry),
  };
  return process;
}

function carryOut(state: NodeState, due: NodeDue): void {
  if (due.kind === "lost") return state.options.watch.answered(state.node, due.ticket, undefined);
  const { process } = state;
  if (process === undefined || process.start !== due.start) return;
  if (due.kind === "next") return takeNext(state, process);
  if (process.held.timers.get(due.timer) === due.set)
    deliver(state, process, { type: "timer.fired", timer: due.timer });
}

function crashProcess(state: NodeState, power: boolean): void {
  const { process, options, held } = state;
  if (process === undefined) return;
  process.alive = false;
  state.process = undefined;
  held.life = undefined;
  held.busyUntil = 0;
  options.carrier.leave(options.configuration.peerId, power ? "silent" : "closed");
  process.chain?.close(() => undefined);
  process.gateway?.close(() => undefined);
  process.snapshots?.close(() => undefined);
  const lied = options.disk.crash(power);
  options.watch.crashed(state.node, process.driver?.view, lied);
  for (const { ticket } of process.held.calls.values()) state.plan.after(0, { kind: "lost", ticket });
}

function receiveCall(state: NodeState, body: string, ticket: Ticket): void {
  const { process, held } = state;
  if (process === undefined) return state.plan.after(0, { kind: "lost", ticket });
  const replyTo = `c${held.callsMade++}`;
  const { legacyFormat } = state.options;
  process.held.calls.set(replyTo, { body, ticket });
  deliver(state, process, { type: "rpc.called", replyTo, body: legacyFormat?.decode(body) ?? body });
}

/** Hands an answer back, in the form of older nodes where this is one. */
function answer(
  { options, node }: NodeState,
  { body, ticket }: { readonly body: string; readonly ticket: Ticket },
  told: Granted,
): void {
  const { legacyFormat } = options;
  const spelled = legacyFormat === undefined || typeof told !== "string" ? told : legacyFormat.encode(body, told);
  options.watch.answered(node, ticket, spelled);
}

/** Hands a fact to the driver, or keeps it in order behind others while the node is paused or busy. */
function deliver(state: NodeState, process: Process, fact: Fact): void {
  if (!process.alive) return;
  const { held, options } = state;
  const busy = held.busyMs > 0 && held.busyUntil > options.clock.now();
  if (!held.paused && !busy && process.held.waiting.length === 0) return accept(state, process, fact);
  options.faults.bite(held.paused ? held.faults.pause : held.faults.busy);
  process.held.waiting.push(fact);
  drain(state, process);
}

function accept(state: NodeState, process: Process, fact: Fact): void {
  const { held, options } = state;
  if (held.busyMs > 0) held.busyUntil = options.clock.now() + held.busyMs;
  if (held.skewMs !== 0) for (const injection of held.faults.clock) options.faults.bite(injection);
  options.faults.bite(bitingDrift(held, options.clock.now()));
  guarded(state, () => process.driver?.accept(fact));
}

function drain(state: NodeState, { held: life, start }: Process): void {
  if (life.draining || state.held.paused || life.waiting.length === 0) return;
  life.draining = true;
  state.plan.at(state.held.busyUntil, { kind: "next", start });
}

function takeNext(state: NodeState, process: Process): void {
  const life = process.held;
  life.draining = false;
  if (state.held.paused) return;
  const fact = life.waiting.shift();
  if (fact !== undefined) accept(state, process, fact);
  drain(state, process);
}

/** A throw of the core is a bug: the process stops there, as the real one would, and the run reports it. */
function guarded(state: NodeState, act: () => void): void {
  try {
    act();
  } catch (error) {
    state.options.watch.broke(state.node, error);
    crashProcess(state, false);
  }
}

/** Setting a timer again takes the place of what was set before. */
function setTimer(state: NodeState, { held, start }: Process, timer: TimerName, at: EpochMillis): void {
  const set = (held.timers.get(timer) ?? 0) + 1;
  held.timers.set(timer, set);
  const wait = at - nodeTime(state);
  state.plan.after(wait > 0n ? waitMs(state.held, state.options.clock.now(), Number(wait)) : 0, {
    kind: "timer",
    start,
    timer,
    set,
  });
}

function nodeTime({ held, options }: NodeState): EpochMillis {
  const error = held.drifts.size === 0 ? held.skewMs : clockErrorMs(held, options.clock.now());
  if (error === 0) return options.clock.epoch();
  return (options.clock.epoch() + BigInt(error)) as EpochMillis;
}
