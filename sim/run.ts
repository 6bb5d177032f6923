/**
 * One run of one scenario: the world is built, plays under faults, heals, and must then come right in time.
 * A run ends at the first violation. Nothing here reads the wall clock but to say how long it took.
 * Source: DESIGN section 5 "Phases".
 */

import type { Rows } from "../adapters/store/row-store.ts";
import type { NetworkProfile, NodeConfiguration, Table } from "../core/index.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";
import { prepareActions } from "./action-kinds.ts";
import type { Cluster } from "./chain/cluster.ts";
import type { ChainFaults } from "./chain-faults.ts";
import { endingOf, livenessCheck, safetyCheck } from "./check-kinds.ts";
import type { Loop } from "./clock.ts";
import type { Column, Diagram, DiagramRecorder } from "./diagram.ts";
import { createDiagramRecorder } from "./diagram.ts";
import { healthyDisk, openNodeDisk } from "./disk.ts";
import type { Ending } from "./endings.ts";
import { forksChain as forks } from "./fault-kinds.ts";
import type { FaultStage } from "./fault-stage.ts";
import { stageFaults } from "./fault-stage.ts";
import type { FaultLedger } from "./faults.ts";
import { healthyFiles } from "./files.ts";
import { healNetwork } from "./network-faults.ts";
import type { OpenDriver } from "./node-driver.ts";
import { below, openStream, SEED_MAX } from "./random.ts";
import type { RunReport } from "./report.ts";
import { stateRootOf } from "./report.ts";
import type { ChainChoice, Participant, Scenario } from "./scenario.ts";
import { senseless, storyText } from "./scenario.ts";
import type { OpenChain } from "./sim-node.ts";
import type { Stage } from "./stage.ts";
import { stageActions } from "./stage.ts";
import type { CapturedEvent, Checkpoint, Stretch } from "./trace.ts";
import { wallMs } from "./wall-clock.ts";
import type { Wallet } from "./wallet.ts";
import type { NodeSeat, World } from "./world.ts";
import { createWorld } from "./world.ts";

/** What keeps the rows of simulated nodes. */
export type StoreChoice = "memory" | "sqljs";
/** What carries envelopes between nodes. */
export type NetworkChoice = "simulated" | "libp2p-memory";

/** A chain that lives in the world's time. */
export interface ChainSupply extends ChainFaults {
  readonly open: OpenChain;
  /** The chain itself, for checks over all of it. */
  readonly cluster: Cluster;
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
}

/** How far a run is. */
export interface Progress {
  readonly events: number;
  readonly simulatedMs: number;
  readonly lastsMs: number;
}

/** What a run is a function of besides its scenario, and who watches it. */
export interface RunOptions {
  readonly seed: bigint;
  readonly nodes?: number;
  readonly chain?: ChainChoice;
  readonly store?: StoreChoice;
  /** Keeps the events of this stretch of the trace. */
  readonly capture?: Stretch;
  readonly progress?: (progress: Progress) => void;
  /** Told each line of the story when it happens. */
  readonly tell?: (line: string) => void;
  /** Keeps what a diagram of the run shows. */
  readonly diagram?: boolean;
}

/** What came of a run: its report, its story, and what was asked to be kept. */
export interface RunResult {
  readonly report: RunReport;
  readonly story: readonly string[];
  readonly ending: Ending;
  readonly diagram: Diagram | undefined;
  readonly checkpoints: readonly Checkpoint[];
  readonly captured: readonly CapturedEvent[];
}

/** Nodes that a node dials first. Source: DESIGN "Simulated world". */
const ENTRYPOINTS = 3;
/** Nodes do not all start at the same instant. Source: DESIGN "Simulated world". */
const START_SPREAD_MS = 500;
/** How often liveness is looked at. Source: DESIGN "Simulated world". */
const LIVENESS_STEP_MS = 250;
/** Events between looks at the wall clock. */
const PROGRESS_EVENTS = 512;

/** Runs a scenario to its end, to its first violation, or until nothing can come right any more. */
export async function runScenario(scenario: Scenario, options: RunOptions, backends: Backends): Promise<RunResult> {
  if (options.seed < 0n || options.seed > SEED_MAX) throw new RangeError("a seed is a number below 2^64");
  const problem = senseless(scenario);
  if (problem !== undefined) throw new RangeError(problem);
  const unfit = unfitChain(scenario, options.chain);
  if (unfit !== undefined) throw new RangeError(unfit);
  const started = wallMs();
  await prepareActions(scenario.actions);
  const setup = await buildWorld(scenario, options, backends);
  const { world, supply } = setup;
  try {
    const faults = stageFaults(world, supply, scenario.faults);
    const stage = stageActions(world, scenario.actions);
    startNodes(world);
    const stop = watcher(world, scenario, options.progress);
    await world.loop.runUntil(scenario.lasts, stop);
    await heal(world, scenario, supply, faults);
    await comeRight(world, scenario, stage, stop);
    if (world.violations.length === 0) finish(world);
    if (world.violations.length === 0 && scenario.provesFaults) proveFaults(world);
  } finally {
    await supply?.close();
  }
  const wall = wallMs() - started;
  const report = reportOf(scenario, setup, wall);
  const { trace } = world;
  return {
    report,
    story: world.story.map(storyText),
    ending: endingOf(scenario.ending, world, scenario.gossipOnly),
    diagram: setup.recorder?.diagram(setup.columns, scenario.faults),
    checkpoints: trace.checkpoints(),
    captured: trace.captured(),
  };
}

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

interface Setup {
  readonly world: World;
  readonly chain: ChainChoice;
  readonly seed: bigint;
  readonly supply: ChainSupply | undefined;
  readonly recorder: DiagramRecorder | undefined;
  readonly columns: readonly Column[];
}

async function buildWorld(scenario: Scenario, options: RunOptions, backends: Backends): Promise<Setup> {
  const { seed } = options;
  const nodes = options.nodes ?? scenario.nodes;
  const chain = chainOf(scenario, options.chain);
  const store = options.store ?? "memory";
  const gossipOnly = (node: number) => chain === "none" || scenario.gossipOnly.includes(node);
  const recorder = options.diagram === true ? createDiagramRecorder(() => world.loop.now()) : undefined;
  const rowsFor = await backends.openRows(store, nodes);
  const holder: { supply: ChainSupply | undefined } = { supply: undefined };
  const { crypto, profile, openDriver, tables } = backends;
  const world: World = createWorld({
    ...{ seed, nodes, crypto, profile, openDriver, tables },
    // Not in it: what executes the chain and keeps the rows, which nothing in a trace depends on.
    label: `${scenario.name} seed=${seed} nodes=${nodes}${chain === "none" ? " without chain" : ""}`,
    configure(seat) {
      const configured = backends.configure(seat, gossipOnly(seat.index) ? "none" : chain);
      return scenario.confirmed.includes(seat.index) ? { ...configured, chainCommitment: "confirmed" } : configured;
    },
    openDisk(node, clock, faults) {
      const rows = rowsFor(node);
      return openNodeDisk({ node, seed, clock, faults, conditions: healthyDisk, ...(rows && { rows }) });
    },
    openChain: (node, observe) => (gossipOnly(node) ? undefined : supplied(holder).open(node, observe)),
    chain: () => holder.supply?.cluster,
    older: scenario.older,
    conditions: scenario.conditions,
    entrypoints: (node) => entrypointsOf(seed, node),
    checkers: [...scenario.safety.map(safetyCheck), ...(recorder === undefined ? [] : [recorder.checker])],
    capture: options.capture,
  });
  if (chain !== "none") {
    const participants = scenario.participants.map((member) => ({ ...member, wallet: world.person(member.name) }));
    const { loop, faults } = world;
    holder.supply = await backends.openChain({
      ...{ choice: chain, seed, loop, faults, profile, participants },
      nodes: world.nodes.map((node) => node.wallet),
    });
  }
  if (options.tell !== undefined) tellAsItHappens(world, options.tell);
  const columns = world.nodes.map(({ index }) => ({ node: index, gossipOnly: gossipOnly(index) }));
  return { world, chain, seed, supply: holder.supply, recorder, columns };
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

/** In the order of their indexes, so that the nodes one dials are there or about to be. */
function startNodes(world: World): void {
  for (const node of world.nodes) {
    world.loop.at(Math.floor((node.index * START_SPREAD_MS) / world.nodes.length), () => node.start());
  }
}

/** Stops at the first violation, and says now and then how far the run is. */
function watcher(world: World, scenario: Scenario, progress: RunOptions["progress"]): () => boolean {
  let ran = 0;
  return () => {
    ran += 1;
    if (progress !== undefined && ran % PROGRESS_EVENTS === 0) {
      progress({ events: world.trace.events(), simulatedMs: world.loop.now(), lastsMs: scenario.lasts });
    }
    return world.violations.length > 0;
  };
}

/** Everything that was broken works again. */
async function heal(
  world: World,
  scenario: Scenario,
  supply: ChainSupply | undefined,
  faults: FaultStage,
): Promise<void> {
  const { network } = world;
  await faults.heal();
  supply?.heal();
  healNetwork(network, { ...scenario.conditions, loss: 0, duplication: 0, jitter: null, bytesPerMs: null });
  for (const node of world.nodes) {
    node.disk.setConditions(healthyDisk);
    node.files.setConditions(healthyFiles);
    node.setBusyMs(0);
    node.resume();
    if (world.violations.length === 0) node.start();
  }
}

/** The liveness phase: what must come true has a bounded time to do so. */
async function comeRight(world: World, scenario: Scenario, stage: Stage, stop: () => boolean): Promise<void> {
  const { within } = scenario.liveness;
  const checks = scenario.liveness.checks.map(livenessCheck);
  const deadline = world.loop.now() + within;
  const missing = (): readonly (readonly [string, string])[] => [
    ...stage.unfinished().map((title) => ["actions", `${title} is not over`] as const),
    ...checks.flatMap((check) => {
      const lacks = check.missing(world);
      return lacks === undefined ? [] : [[check.name, lacks] as const];
    }),
  ];
  while (world.violations.length === 0 && missing().length > 0) {
    if (world.loop.now() >= deadline) {
      for (const [check, lacks] of missing())
        world.violate(check, `${lacks}, ${within} ms after everything worked again`);
      return;
    }
    await world.loop.runUntil(Math.min(deadline, world.loop.now() + LIVENESS_STEP_MS), stop);
  }
}

function finish(world: World): void {
  const nodes = world.nodes.flatMap((node) => {
    const driver = node.driver();
    return driver === undefined ? [] : [{ node: node.index, view: driver.view, roots: world.rootsOf(node.index) }];
  });
  world.checkers.end?.({ nodes });
}

/** A declared fault that changed nothing shows nothing: the run is not what its scenario says. Source: DESIGN L12. */
function proveFaults(world: World): void {
  for (const kind of world.faults.unproven()) {
    world.violate("faults-are-proven", `${kind} was declared and never changed anything`);
  }
}

function reportOf(scenario: Scenario, { world, chain, seed }: Setup, wall: number): RunReport {
  const events = world.trace.events();
  world.trace.close({ faults: world.faults.counts() });
  return {
    scenario: scenario.name,
    seed,
    nodes: world.nodes.length,
    chain,
    events,
    deliveries: world.network.deliveries,
    simulated_ms: world.loop.now(),
    wall_ms: Math.round(wall),
    events_per_second: Math.round((events * 1000) / Math.max(1, wall)),
    trace_hash: world.trace.head(),
    state_root: stateRootOf(world),
    faults: world.faults.counts(),
    violations: world.violations,
  };
}
