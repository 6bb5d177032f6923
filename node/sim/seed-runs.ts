/**
 * Runs of many seeds, one after the other in this process or spread over processes of their own: each begins the next
 * seed when it is done with one, so no slow seed holds up others. What comes of a seed is the same either way.
 * Source: DESIGN section 5 "Speed".
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
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
import { runOfNumber, sweptParameterOf, variedScenario } from "./sweep-plan.ts";
import type { SeedRange } from "./usage.ts";

/** Which worlds are run: those that seeds draw, or one scenario with many seeds. */
export interface SeedChoices extends Pick<RunChoices, "chain" | "store" | "parity"> {
  readonly scenario?: string;
  /** Of a sweep, what is varied and with which seeds: runs have numbers then, in the place of seeds. */
  readonly param?: readonly SweptParameter[];
  readonly sweptSeeds?: SeedRange;
}

/** The same with its parameters as they are written. */
export type WrittenChoices = Omit<SeedChoices, "param"> & { readonly param?: readonly string[] };

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
  return choices.scenario === undefined ? swarmScenario(seed) : await scenarioNamed(choices.scenario, around);
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
}

/** Processes that end in a row without finishing any seed: these will not finish the next either. */
const LOST_IN_A_ROW_MAX = 3;

/** Runs seeds until there are none, or until the surroundings say to stop: what runs then is finished. */
export async function runSeeds(
  seeds: Iterator<bigint>,
  workers: number,
  choices: SeedChoices,
  around: Surroundings,
  taker: SeedTaker,
): Promise<void> {
  const left = whileWanted(seeds, around.stop);
  if (workers > 1) {
    await Promise.all(Array.from({ length: workers }, () => runInProcesses(left, choices, around, taker)));
    return;
  }
  for (let next = left.next(); next.done !== true; next = left.next()) {
    taker.done(await runSeed(next.value, choices, around));
    // A signal is noticed only between two turns of the event loop.
    await new Promise(setImmediate);
  }
}

function* whileWanted(seeds: Iterator<bigint>, stop: AbortSignal): Generator<bigint> {
  while (!stop.aborted) {
    const next = seeds.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/** Answers a line of JSON to every seed on a line of the input, until that ends. */
export async function seedWorkerCommand(given: WrittenChoices, around: Surroundings): Promise<number> {
  const { param, ...others } = given;
  const choices: SeedChoices = { ...others, ...(param && { param: param.map(sweptParameterOf) }) };
  for await (const line of createInterface({ input: process.stdin })) {
    const { seed, report, reached, twin, figures } = await runSeed(BigInt(line), choices, around);
    const { events, violations } = report;
    const told = { seed: seed.toString(), report: { events, violations }, reached, twin, figures };
    around.out(`${JSON.stringify(told)}\n`);
  }
  return 0;
}

/** One process after the other, each until it ends: seeds that others were given go on. */
async function runInProcesses(
  seeds: Iterator<bigint>,
  choices: SeedChoices,
  around: Surroundings,
  { done, lost }: SeedTaker,
): Promise<void> {
  for (let inARow = 0; ; ) {
    const { finished, left } = await runInProcess(seeds, choices, around, done);
    if (left === undefined) return;
    lost(left.seed, left.cause);
    inARow = finished === 0 ? inARow + 1 : 0;
    if (inARow === LOST_IN_A_ROW_MAX) throw new Error(`no process that runs seeds lives: ${left.cause}`);
  }
}

interface Served {
  /** Seeds that came to their end. */
  readonly finished: number;
  /** The seed that was being run when the process ended, if it ended before there were no seeds. */
  readonly left: { readonly seed: bigint; readonly cause: string } | undefined;
}

/** A process that is handed one seed after the other. */
function runInProcess(
  seeds: Iterator<bigint>,
  choices: SeedChoices,
  around: Surroundings,
  done: (result: SeedResult) => void,
): Promise<Served> {
  const first = seeds.next();
  if (first.done === true) return Promise.resolve({ finished: 0, left: undefined });
  let seed: bigint | undefined = first.value;
  let finished = 0;
  // In a group of its own: what interrupts this command at a terminal lets the seeds that are running end.
  const launch = [around.launcher, "seed-worker", ...argumentsOf(choices)];
  const child = spawn(process.execPath, launch, { detached: true });
  const complaints: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  // Who is gone cannot be written to; its end says the rest.
  child.stdin.on("error", () => undefined);
  child.stdin.write(`${seed}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const result = JSON.parse(line) as Omit<SeedResult, "seed"> & { readonly seed: string };
    done({ ...result, seed: BigInt(result.seed) });
    finished += 1;
    const next = seeds.next();
    seed = next.done === true ? undefined : next.value;
    if (seed === undefined) child.stdin.end();
    else child.stdin.write(`${seed}\n`);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const complaint = Buffer.concat(complaints).toString().trim();
      const cause = `its process ended with ${signal ?? code}${complaint === "" ? "" : `: ${complaint}`}`;
      resolve({ finished, left: seed === undefined ? undefined : { seed, cause } });
    });
  });
}

/** The options that make a worker play the same worlds. */
function argumentsOf(choices: SeedChoices): readonly string[] {
  const { scenario, chain, store, parity, param = [], sweptSeeds } = choices;
  return [
    ...param.flatMap(({ name, values }) => ["--param", `${name}=${values.join(",")}`]),
    ...(sweptSeeds === undefined ? [] : ["--swept-seeds", `${sweptSeeds.first}..${sweptSeeds.last}`]),
    ...(scenario === undefined ? [] : ["--scenario", scenario]),
    ...(chain === undefined ? [] : ["--chain", chain]),
    ...(parity === undefined ? [] : ["--parity", parity]),
    ...["--store", store],
  ];
}
