/**
 * Runs of many seeds, one after the other in this process or spread over processes of their own: each begins the next
 * seed when it is done with one, so no slow seed holds up others. What comes of a seed is the same either way.
 * Source: DESIGN section 5 "Speed".
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { RunReport } from "../../sim/report.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import { watchReach } from "../../sim/swarm/reach.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import type { RunChoices } from "./run-command.ts";
import { backendsOf, runOptionsOf, scenarioNamed } from "./run-command.ts";
import type { Surroundings } from "./surroundings.ts";

/** Which worlds are run: those that seeds draw, or one scenario with many seeds. */
export interface SeedChoices extends Pick<RunChoices, "chain" | "store" | "parity"> {
  readonly scenario?: string;
}

/** What came of one seed. */
export interface SeedResult {
  readonly seed: bigint;
  readonly report: Pick<RunReport, "events" | "violations">;
  /** Names of things, as sim/swarm/reach.ts has them. */
  readonly reached: readonly string[];
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

/** One seed, in this process. */
export async function runSeed(seed: bigint, choices: SeedChoices, around: Surroundings): Promise<SeedResult> {
  const scenario = await scenarioOfSeed(seed, choices, around);
  const watch = watchReach();
  const report = await playSeed(scenario, seed, choices, around, { watch: [watch.checker] });
  return { seed, report, reached: [...watch.reached(scenario.faults, report.faults)] };
}

/** Runs seeds until there are none; `done` is told of each, in the order in which they end. */
export async function runSeeds(
  seeds: Iterator<bigint>,
  workers: number,
  choices: SeedChoices,
  around: Surroundings,
  done: (result: SeedResult) => void,
): Promise<void> {
  if (workers > 1) {
    await Promise.all(Array.from({ length: workers }, () => runInProcess(seeds, choices, around, done)));
    return;
  }
  for (let next = seeds.next(); next.done !== true; next = seeds.next())
    done(await runSeed(next.value, choices, around));
}

/** Answers a line of JSON to every seed on a line of the input, until that ends. */
export async function seedWorkerCommand(choices: SeedChoices, around: Surroundings): Promise<number> {
  for await (const line of createInterface({ input: process.stdin })) {
    const { seed, report, reached } = await runSeed(BigInt(line), choices, around);
    const { events, violations } = report;
    around.out(`${JSON.stringify({ seed: seed.toString(), report: { events, violations }, reached })}\n`);
  }
  return 0;
}

/** A process that is handed one seed after the other. */
function runInProcess(
  seeds: Iterator<bigint>,
  choices: SeedChoices,
  around: Surroundings,
  done: (result: SeedResult) => void,
): Promise<void> {
  const child = spawn(process.execPath, [around.launcher, "seed-worker", ...argumentsOf(choices)]);
  const complaints: Buffer[] = [];
  const hand = () => {
    const next = seeds.next();
    if (next.done === true) child.stdin.end();
    else child.stdin.write(`${next.value}\n`);
  };
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  createInterface({ input: child.stdout }).on("line", (line) => {
    const result = JSON.parse(line) as Omit<SeedResult, "seed"> & { readonly seed: string };
    done({ ...result, seed: BigInt(result.seed) });
    hand();
  });
  hand();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`a process that runs seeds ended with ${code}: ${Buffer.concat(complaints)}`));
    });
  });
}

function argumentsOf({ scenario, chain, store, parity }: SeedChoices): readonly string[] {
  return [
    ...(scenario === undefined ? [] : ["--scenario", scenario]),
    ...(chain === undefined ? [] : ["--chain", chain]),
    ...(parity === undefined ? [] : ["--parity", parity]),
    ...["--store", store],
  ];
}
