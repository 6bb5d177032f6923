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
import type { Clock } from "./clock.ts";
import type { DiskReport, NodeDisk } from "./disk.ts";
import type { Injection } from "./faults.ts";
import type { NodeFiles } from "./files.ts";
import { openSimGateway } from "./gateway.ts";
import type { LegacyWireFormat } from "./legacy-wire-format.ts";
import { enrolMember, joinNetwork, leaveNetwork } from "./network.ts";
import type { Network } from "./network-state.ts";
import type { OpenDriver } from "./node-driver.ts";
import { bytes, openStream } from "./random.ts";
import type { Granted } from "./script.ts";
import type { Wallet } from "./wallet.ts";

/** How the chain reaches a node; it does not reach a gossip-only one. */
export type OpenChain = (node: number, observe: (observation: ChainObservation) => void) => ChainPort | undefined;

export interface SimNodeOptions {
  readonly index: number;
  readonly seed: bigint;
  readonly wallet: Wallet;
  readonly configuration: NodeConfiguration;
  readonly address: string;
  readonly clock: Clock;
  readonly crypto: CryptoPort;
  readonly network: Network;
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
  /** Ends the process at once, without a word. With `power`, unsynced writes may be gone too. */
  crash(power: boolean): void;
  /** A JSON-RPC body from a client on the node's doorstep; `undefined` when the process is or goes down. */
  call(body: string, done: (answer: Granted) => void): void;
  /** Adds to the node's clock; the fault behind it bites when the node is told anything at the wrong time. */
  skewClock(byMs: number, injection?: Injection): void;
  /** Holds everything that arrives until `resume`; the fault behind it bites when there is something to hold. */
  pause(injection?: Injection): void;
  resume(): void;
  /** Milliseconds that each input keeps the node busy; the fault behind it bites when another has to wait. */
  setBusyMs(ms: number, injection?: Injection): void;
}

/** One life of a node, from start to crash. */
interface Life extends Outsides {
  driver: NodeDriver | undefined;
  transport: TransportPort | undefined;
  chain: ChainPort | undefined;
  gateway: GatewayPort | undefined;
  snapshots: SnapshotPort | undefined;
  readonly calls: Map<string, (answer: Granted) => void>;
  readonly timers: Map<TimerName, number>;
  readonly waiting: Fact[];
  draining: boolean;
  alive: boolean;
}

interface NodeState {
  readonly options: SimNodeOptions;
  readonly node: SimNode;
  life: Life | undefined;
  starts: number;
  callsMade: number;
  skewMs: number;
  paused: boolean;
  busyMs: number;
  busyUntil: number;
  /** Why it is paused, busy, or has a wrong clock, when faults did that; several may move one clock. */
  readonly faults: { pause?: Injection | undefined; busy?: Injection | undefined; readonly clock: Set<Injection> };
}

export function createSimNode(options: SimNodeOptions): SimNode {
  const fresh = { life: undefined, starts: 0, callsMade: 0, skewMs: 0, paused: false, busyMs: 0, busyUntil: 0 };
  const node: SimNode = {
    index: options.index,
    name: nodeName(options.index),
    wallet: options.wallet,
    address: options.address,
    disk: options.disk,
    files: options.files,
    driver: () => state.life?.driver,
    start: () => startProcess(state),
    crash: (power) => crashProcess(state, power),
    call: (body, done) => receiveCall(state, body, done),
    skewClock(byMs, injection) {
      state.skewMs += byMs;
      if (injection !== undefined) state.faults.clock.add(injection);
      if (state.skewMs === 0) state.faults.clock.clear();
    },
    pause(injection) {
      state.paused = true;
      state.faults.pause = injection;
    },
    resume() {
      state.paused = false;
      if (state.life !== undefined) drain(state, state.life);
    },
    setBusyMs(ms, injection) {
      state.busyMs = ms;
      state.faults.busy = injection;
    },
  };
  const state: NodeState = { options, node, ...fresh, faults: { clock: new Set() } };
  // Every node has its place in the network before the first one starts.
  enrolMember(options.network, { peer: options.configuration.peerId, address: options.address, name: node.name });
  options.disk.onCommit((report) => options.watch.committed(node, report));
  return node;
}

/** The name that a node's streams carry. */
export function nodeName(index: number): string {
  return `node/${index}`;
}

function startProcess(state: NodeState): void {
  if (state.life !== undefined) return;
  const { options, node } = state;
  const life = newLife(state);
  state.life = life;
  const boot = openStream(options.seed, `${node.name}/boot`);
  const bootSeed = bytes(boot, state.starts, 32);
  state.starts += 1;
  const facts = factsTo((fact) => deliver(state, life, fact));
  const place = { peer: options.configuration.peerId, address: options.address, name: node.name };
  life.transport = joinNetwork(options.network, place, facts.transport);
  life.chain = options.openChain?.(options.index, facts.observe);
  life.gateway = openSimGateway(options.seed, `${node.name}/gateway/${state.starts}`, options.clock, facts.delivered);
  life.snapshots = options.files.open(facts.snapshots);
  guarded(state, () => {
    life.driver = options.openDriver({
      crypto: options.crypto,
      configuration: options.configuration,
      store: options.disk.open((act) => {
        if (life.alive) guarded(state, act);
      }),
      bootSeed,
      now: () => nodeTime(state),
      perform(effect) {
        if (!life.alive) return;
        options.watch.performed(node, effect);
        route(life, effect);
      },
      observe: (input, changes, effects) => options.watch.stepped(node, input, changes, effects),
    });
  });
}

/** A process that has just begun: nothing is open yet. */
function newLife(state: NodeState): Life {
  const { watch } = state.options;
  const calls = new Map<string, (answer: Granted) => void>();
  const life: Life = {
    ...{ driver: undefined, transport: undefined, chain: undefined, gateway: undefined, snapshots: undefined },
    ...{ calls, timers: new Map(), waiting: [], draining: false, alive: true },
    api: {
      reply(replyTo, body) {
        const done = calls.get(replyTo);
        calls.delete(replyTo);
        done?.(body);
      },
      publish: (source, message) => watch.published(state.node, source, message),
    },
    setTimer: (timer, at) => setTimer(state, life, timer, at),
    log: (entry) => watch.logged(state.node, entry),
  };
  return life;
}

function crashProcess(state: NodeState, power: boolean): void {
  const { life, options } = state;
  if (life === undefined) return;
  life.alive = false;
  state.life = undefined;
  state.busyUntil = 0;
  leaveNetwork(options.network, options.configuration.peerId, power ? "silent" : "closed");
  life.chain?.close(() => undefined);
  life.gateway?.close(() => undefined);
  life.snapshots?.close(() => undefined);
  const lied = options.disk.crash(power);
  options.watch.crashed(state.node, life.driver?.view, lied);
  for (const done of life.calls.values()) options.clock.after(0, () => done(undefined));
}

function receiveCall(state: NodeState, body: string, done: (answer: Granted) => void): void {
  const { life } = state;
  if (life === undefined) return state.options.clock.after(0, () => done(undefined));
  const replyTo = `c${state.callsMade++}`;
  const { legacyFormat } = state.options;
  life.calls.set(replyTo, (answer) => {
    done(legacyFormat === undefined || typeof answer !== "string" ? answer : legacyFormat.encode(body, answer));
  });
  deliver(state, life, { type: "rpc.called", replyTo, body: legacyFormat?.decode(body) ?? body });
}

/** Hands a fact to the driver, or keeps it in order behind others while the node is paused or busy. */
function deliver(state: NodeState, life: Life, fact: Fact): void {
  if (!life.alive) return;
  const busy = state.busyMs > 0 && state.busyUntil > state.options.clock.now();
  if (!state.paused && !busy && life.waiting.length === 0) return accept(state, life, fact);
  if (state.paused) state.faults.pause?.bite();
  else state.faults.busy?.bite();
  life.waiting.push(fact);
  drain(state, life);
}

function accept(state: NodeState, life: Life, fact: Fact): void {
  if (state.busyMs > 0) state.busyUntil = state.options.clock.now() + state.busyMs;
  if (state.skewMs !== 0) for (const injection of state.faults.clock) injection.bite();
  guarded(state, () => life.driver?.accept(fact));
}

function drain(state: NodeState, life: Life): void {
  if (life.draining || state.paused || life.waiting.length === 0) return;
  life.draining = true;
  state.options.clock.at(state.busyUntil, () => {
    life.draining = false;
    if (!life.alive || state.paused) return;
    const fact = life.waiting.shift();
    if (fact !== undefined) accept(state, life, fact);
    drain(state, life);
  });
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
function setTimer(state: NodeState, life: Life, timer: TimerName, at: EpochMillis): void {
  const set = (life.timers.get(timer) ?? 0) + 1;
  life.timers.set(timer, set);
  const wait = at - nodeTime(state);
  state.options.clock.after(wait > 0n ? Number(wait) : 0, () => {
    if (life.timers.get(timer) === set) deliver(state, life, { type: "timer.fired", timer });
  });
}

function nodeTime(state: NodeState): EpochMillis {
  if (state.skewMs === 0) return state.options.clock.epoch();
  return (state.options.clock.epoch() + BigInt(state.skewMs)) as EpochMillis;
}

/** The address of a node in the simulated network. Source: protocol 01 §5.1, the form of an entrypoint. */
export function nodeAddress(index: number, publicPeer: string): string {
  return `/ip4/${hostOf(index)}/tcp/4001/p2p/${publicPeer}`;
}

/** The base under which a simulated node's files are fetched. Source: protocol 05 §6.8. */
export function nodeBase(index: number): string {
  return `http://${hostOf(index)}:7080`;
}

function hostOf(index: number): string {
  return `10.${(index >>> 16) & 255}.${(index >>> 8) & 255}.${index & 255}`;
}
