/**
 * The run of one seed, in this process: of a world that it draws, of a scenario, or of a number of a sweep; and who is
 * told what came of seeds. Source: DESIGN section 5.
 */
import type { FaultKind } from "../../sim/faults.ts";
import { watchMeasures } from "../../sim/measures.ts";
import type { RunReport } from "../../sim/report.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import { watchReach } from "../../sim/swarm/reach.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { bites, drawnSuspect } from "../../sim/swarm/twins.ts";
import type { RunChoices } from "./run-command.ts";
import { backendsOf, runOptionsOf, scenarioNamed } from "./run-command.ts";
import type { Surroundings } from "./surroundings.ts";
import type { RunFigures } from "./sweep-csv.ts";
import type { SweptParameter } from "./sweep-plan.ts";
import { runOfNumber, variedScenario } from "./sweep-plan.ts";
import type { SeedRange, UsageError } from "./usage.ts";

/** Which worlds are run: those that seeds draw, or one scenario with many seeds. */
export interface SeedChoices extends Pick<RunChoices, "chain" | "store" | "parity"> {
  readonly scenario?: string;
  /** The scenario itself, where it was sent. */
  readonly given?: Scenario;
  /** Of a sweep, what is varied and with which seeds: runs have numbers then, in the place of seeds. */
  readonly param?: readonly SweptParameter[];
  readonly sweptSeeds?: SeedRange;
}

/** What came of one seed. */
export interface SeedResult {
  readonly seed: bigint;
  readonly report: Pick<RunReport, "events" | "violations">;
  /** Names of things, as sim/swarm/reach.ts has them. */
  readonly reached: readonly string[];
  /** A fault that the world was played without as well, if it was, and whether that came to other events. */
  readonly twin?: Twin;
  /** What was measured of a run of a sweep. */
  readonly figures?: RunFigures;
}

/** A sweep. */
export type SweptChoices = SeedChoices & Required<Pick<SeedChoices, "param" | "sweptSeeds">>;
export type SweptResult = SeedResult & Required<Pick<SeedResult, "figures">>;

/** A world played again without one of its faults. */
export interface Twin {
  readonly kind: FaultKind;
  readonly bit: boolean;
}

/** The scenario that a seed stands for. */
export async function scenarioOfSeed(seed: bigint, choices: SeedChoices, around: Surroundings): Promise<Scenario> {
  const { given, scenario } = choices;
  if (given !== undefined) return given;
  return scenario === undefined ? swarmScenario(seed) : await scenarioNamed(scenario, around);
}

/** A run of a seed's scenario as it stands, or of a smaller one in its place. */
export async function playSeed(
  scenario: Scenario,
  seed: bigint,
  choices: SeedChoices,
  around: Surroundings,
  more: Partial<RunOptions> = {},
): Promise<RunReport> {
  const options = { ...runOptionsOf({ ...choices, seed }), ...more };
  return (await runScenario(scenario, options, await backendsOf(choices, around))).report;
}

/** The run of a number of a sweep, in this process. */
export async function runSwept(number: bigint, choices: SweptChoices, around: Surroundings): Promise<SweptResult> {
  const { param, sweptSeeds } = choices;
  const { values, seed } = runOfNumber(Number(number), param, sweptSeeds);
  const scenario = variedScenario(await scenarioOfSeed(seed, choices, around), param, values, choices.chain);
  const watch = watchMeasures();
  const report = await playSeed(scenario, seed, choices, around, { watch: [watch.checker] });
  const { nodes, events, deliveries, trace_hash, violations } = report;
  const counts = { nodes, events, deliveries, violations: violations.length, trace_hash };
  return { seed: number, report, reached: [], figures: { ...counts, ...watch.measured(nodes) } };
}

/** One seed, in this process. */
export async function runSeed(seed: bigint, choices: SeedChoices, around: Surroundings): Promise<SeedResult> {
  const { param, sweptSeeds } = choices;
  if (param !== undefined && sweptSeeds !== undefined) {
    return await runSwept(seed, { ...choices, param, sweptSeeds }, around);
  }
  const scenario = await scenarioOfSeed(seed, choices, around);
  const watch = watchReach();
  const [options, backends] = [runOptionsOf({ ...choices, seed }), await backendsOf(choices, around)];
  const result = await runScenario(scenario, { ...options, watch: [watch.checker] }, backends);
  const { report } = result;
  const reached = [...watch.reached(scenario.faults, report.faults)];
  const suspect = report.violations.length === 0 ? drawnSuspect(seed, scenario) : undefined;
  if (suspect === undefined) return { seed, report, reached };
  const bit = await bites(scenario, suspect, result, options, backends);
  return { seed, report, reached, twin: { kind: suspect.kind, bit } };
}

/** Who is told what came of seeds, in the order in which they end. */
export interface SeedTaker {
  readonly done: (result: SeedResult) => void;
  /** A process ended in the middle of a seed; what became of it, in words. */
  readonly lost: (seed: bigint, cause: string) => void;
  /** Of a queue, how many workers there are, whenever that was looked at. */
  readonly seen?: (workers: number) => void;
}

/** What was not run in the end. */
export interface SeedsLeft {
  /** Whether it was told to stop, or stopped at the first run that broke a law. */
  readonly stopped: boolean;
  /** The first seed that was handed out and that nobody ran. */
  readonly first?: bigint | undefined;
  /** Why, where nobody asked for that. */
  readonly cause?: UsageError | undefined;
}
