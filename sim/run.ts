/**
 * One run of one scenario: the world plays under faults, heals, and must then come right in time. A run ends at the
 * first violation. It stands still between any two events, can be held there, and go on from what was held.
 * Nothing here reads the wall clock but to say how long it took. Source: DESIGN section 5 "Phases".
 */

import { prepareActions } from "./action-kinds.ts";
import { endingOf, livenessCheck } from "./check-kinds.ts";
import type { Part } from "./clock.ts";
import { healthyDisk } from "./disk.ts";
import type { Ending } from "./endings.ts";
import type { FaultStage } from "./fault-stage.ts";
import { stageFaults } from "./fault-stage.ts";
import { healthyFiles } from "./files.ts";
import { healNetwork } from "./network-faults.ts";
import { SEED_MAX } from "./random.ts";
import type { RunReport } from "./report.ts";
import { stateRootOf } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { senseless, storyText } from "./scenario.ts";
import type { Backends, ChosenOptions, Column, RunOptions, Setup } from "./setup.ts";
import { buildWorld, unfitChain } from "./setup.ts";
import type { Stage } from "./stage.ts";
import { stageActions } from "./stage.ts";
import type { CapturedEvent, Checkpoint } from "./trace.ts";
import { wallMs } from "./wall-clock.ts";
import type { StoryLine, World } from "./world.ts";

/** What came of a run: its report, its story, and what was asked to be kept. */
export interface RunResult {
  readonly report: RunReport;
  readonly story: readonly string[];
  /** The same with instants. */
  readonly told: readonly StoryLine[];
  /** The nodes, and which of them have no endpoint of their own. */
  readonly columns: readonly Column[];
  readonly ending: Ending;
  readonly checkpoints: readonly Checkpoint[];
  readonly captured: readonly CapturedEvent[];
  /** The hash of all events alone, without the counts of faults with which the trace of the report ends. */
  readonly eventsHash: string;
}

/** What no link does once everything works again. */
const undisturbed = { loss: 0, duplication: 0, jitter: null, bytesPerMs: null, corruption: 0 };
/** How often liveness is looked at. Source: DESIGN "Simulated world". */
const LIVENESS_STEP_MS = 250;
/** Events between looks at the wall clock. */
const PROGRESS_EVENTS = 512;

/** A run that stands between two events. */
export interface Run {
  readonly scenario: Scenario;
  readonly options: ChosenOptions;
  readonly world: World;
  /** Goes on until `enough`, asked after every event, or to the end; answers whether the end has come. */
  goOn(enough?: () => boolean): Promise<boolean>;
  /** What came of it; asked at the end, once. */
  result(): RunResult;
  close(): Promise<void>;
}

/** Where a run stands. */
interface HeldRun {
  phase: "playing" | "coming right" | "over";
  /** While it comes right: when that must be done, and when it is looked at again. */
  deadline: number;
  look: number;
}

/** Nodes begin one after another, so that those which one dials are there or about to be. */
interface NodeStarts {
  readonly kind: "starts";
  readonly node: number;
}

interface State {
  readonly scenario: Scenario;
  readonly setup: Setup;
  readonly part: Part<HeldRun, NodeStarts>;
  readonly faults: FaultStage;
  readonly stage: Stage;
  readonly progress: RunOptions["progress"];
  ran: number;
}

/** Runs a scenario to its end, to its first violation, until nothing can come right any more, or as far as asked. */
export async function runScenario(scenario: Scenario, options: RunOptions, backends: Backends): Promise<RunResult> {
  const run = await openRun(scenario, options, backends);
  const { until } = options;
  const { loop, trace } = run.world;
  try {
    await run.goOn(until && (() => loop.now() >= until.time || trace.events() >= until.events));
  } finally {
    await run.close();
  }
  return run.result();
}

/** A run before its first event, or one that goes on from what another held. */
export async function openRun(scenario: Scenario, options: RunOptions, backends: Backends): Promise<Run> {
  if (options.seed < 0n || options.seed > SEED_MAX) throw new RangeError("a seed is a number below 2^64");
  // What goes on was looked at when it began, or when its bytes were read.
  const problem = options.from === undefined ? (senseless(scenario) ?? unfitChain(scenario, options.chain)) : undefined;
  if (problem !== undefined) throw new RangeError(problem);
  const started = wallMs();
  await prepareActions(scenario.actions);
  const setup = await buildWorld(scenario, options, backends);
  const { world, supply } = setup;
  const fresh = (): HeldRun => ({ phase: "playing", deadline: 0, look: 0 });
  const part = world.loop.part("run", fresh, ({ node }: NodeStarts) => world.nodes[node]?.start());
  const faults = stageFaults(world, supply, scenario.faults);
  const stage = stageActions(world, scenario.actions, scenario.provesActions);
  const state: State = { scenario, setup, part, faults, stage, progress: options.progress, ran: 0 };
  const startsWithin = Math.min(scenario.startsWithin, scenario.lasts);
  for (const { index, resumeHeld } of world.nodes) {
    if (part.resumed) resumeHeld();
    else part.at(Math.floor((index * startsWithin) / world.nodes.length), { kind: "starts", node: index });
  }
  return {
    ...{ scenario, options: setup.options, world },
    goOn: (enough = () => false) => goOn(state, enough),
    result: () => resultOf(state, wallMs() - started),
    async close() {
      await world.carrier.close();
      await supply?.close();
    },
  };
}

async function goOn(state: State, enough: () => boolean): Promise<boolean> {
  const { part, scenario, setup } = state;
  const { loop } = setup.world;
  let stands = false;
  const stop = () => {
    const broken = noted(state);
    stands = !broken && enough();
    return broken || stands;
  };
  const settle = () => setup.world.carrier.settle();
  const isOver = () => part.held.phase === "over";
  while (!isOver()) {
    const plays = part.held.phase === "playing";
    await loop.runUntil(plays ? scenario.lasts : part.held.look, stop, settle);
    if (stands) return false;
    if (plays) await heal(state);
    else look(state);
  }
  return true;
}

/** Notes an event, says now and then how far the run is, and whether a law was broken. */
function noted(state: State): boolean {
  const { setup, scenario, progress } = state;
  const { world } = setup;
  state.ran += 1;
  if (progress !== undefined && state.ran % PROGRESS_EVENTS === 0) {
    progress({ events: world.trace.events(), simulatedMs: world.loop.now(), lastsMs: scenario.lasts });
  }
  return world.violations.length > 0;
}

/** Everything that was broken works again; from now on what must come true has a bounded time to do so. */
async function heal(state: State): Promise<void> {
  const { part, scenario, setup, faults } = state;
  const { world, supply } = setup;
  await faults.heal();
  supply?.heal();
  healNetwork(world.network, { ...scenario.conditions, ...undisturbed });
  for (const node of world.nodes) {
    node.disk.setConditions(healthyDisk);
    node.files.setConditions(healthyFiles);
    node.setBusyMs(0);
    node.resume();
    if (world.violations.length === 0) node.start();
  }
  part.held.phase = "coming right";
  part.held.deadline = world.loop.now() + scenario.liveness.within;
  look(state);
}

/** Looks at what must come true: the run is over once nothing is missing, or no time is left. */
function look(state: State): void {
  const { part, scenario, setup } = state;
  const { world } = setup;
  const { held } = part;
  const missing = world.violations.length === 0 ? missingFrom(state) : [];
  if (missing.length === 0) return end(state);
  if (world.loop.now() < held.deadline) {
    held.look = Math.min(held.deadline, world.loop.now() + LIVENESS_STEP_MS);
    return;
  }
  for (const [check, lacks] of missing)
    world.violate(check, `${lacks}, ${scenario.liveness.within} ms after everything worked again`);
  end(state);
}

function missingFrom({ scenario, setup: { world }, stage }: State): readonly (readonly [string, string])[] {
  return [
    // A node that still reads its store has nothing to be judged by.
    ...world.nodes
      .filter((node) => node.driver()?.ready() !== true)
      .map(({ name }) => ["nodes-load", `${name} has not loaded its store`] as const),
    ...stage.unfinished().map((title) => ["actions", `${title} is not over`] as const),
    ...scenario.liveness.checks.map(livenessCheck).flatMap((check) => {
      const lacks = check.missing(world);
      return lacks === undefined ? [] : [[check.name, lacks] as const];
    }),
  ];
}

function end({ part, scenario, setup: { world } }: State): void {
  part.held.phase = "over";
  if (world.violations.length === 0) finish(world);
  if (world.violations.length === 0 && scenario.provesFaults) proveFaults(world);
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

function resultOf(state: State, wall: number): RunResult {
  const { scenario, setup } = state;
  const { world, columns } = setup;
  const eventsHash = world.trace.head();
  const report = reportOf(scenario, setup, wall);
  return {
    report,
    story: world.story.map(storyText),
    told: world.story,
    columns,
    ending: endingOf(scenario.ending, world, scenario.gossipOnly),
    checkpoints: world.trace.checkpoints(),
    captured: world.trace.captured(),
    eventsHash,
  };
}

function reportOf(scenario: Scenario, { world, options }: Setup, wall: number): RunReport {
  const events = world.trace.events();
  world.trace.close({ faults: world.faults.counts() });
  return {
    scenario: scenario.name,
    seed: options.seed,
    nodes: options.nodes,
    chain: options.chain,
    events,
    deliveries: world.carrier.deliveries(),
    simulated_ms: world.loop.now(),
    wall_ms: Math.round(wall),
    events_per_second: Math.round((events * 1000) / Math.max(1, wall)),
    trace_hash: world.trace.head(),
    state_root: stateRootOf(world),
    faults: world.faults.counts(),
    violations: world.violations,
  };
}
