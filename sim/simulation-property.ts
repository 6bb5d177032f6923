/**
 * Drawn worlds for the tests of others: one call inside any test runner runs a scenario, or the worlds that seeds draw,
 * with seed after seed, under the laws of every world and laws of one's own. What breaks a law is made small, written
 * down, and played first the next time; the error says with which seed, and how it is played again.
 * Source: DESIGN section 5 "For CI users".
 */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../adapters/folders/make-folder.ts";
import { openBackends } from "./backends.ts";
import type { MakeChecker, Violation } from "./checker.ts";
import { clockText } from "./clock-text.ts";
import type { RunReport } from "./report.ts";
import { optionsOf, reproOf, reproText } from "./repro.ts";
import { runScenario } from "./run.ts";
import type { Scenario } from "./scenario.ts";
import type { Backends, RunOptions } from "./setup.ts";
import type { ShrinkOptions } from "./shrink.ts";
import { shrink } from "./shrink.ts";
import { swarmScenario } from "./swarm/swarm-scenario.ts";

/** What is tried, how often, and where failures are kept. */
export interface SimulationPropertyOptions {
  /** A scenario, or the one that a seed stands for; the worlds that seeds draw when absent. */
  readonly scenario?: Scenario | ((seed: bigint) => Scenario);
  /** Laws beside those of the scenario and of every world. */
  readonly laws?: readonly MakeChecker[];
  /** Seeds that are run, one after the other; 10 unless said. */
  readonly runs?: number;
  /** The first seed; that of the environment variable `OFS_SIM_SEED` when absent, else 1. */
  readonly from?: bigint;
  /** A folder of runs that broke a law before: they come first. New ones are written there. */
  readonly repros?: string;
  /** Runs that making one violation small may take; 200 unless said. */
  readonly tries?: number;
  /** What executes transactions, and what keeps rows; the scenario's own choice when absent. */
  readonly options?: Pick<RunOptions, "chain" | "store" | "nodes">;
  /** The parts of worlds; the usual ones when absent. */
  readonly backends?: Backends;
}

/** What was tried. */
export interface SimulationPropertyReport {
  readonly runs: number;
  /** Inputs that nodes stepped, in all runs. */
  readonly events: number;
}

/** A law that a run broke: the seed, the law, and where the small run is written down. */
export class SimulationFailure extends Error {
  override readonly name = "SimulationFailure";
  readonly seed: bigint;
  readonly violation: Violation;
  /** The smallest run found that breaks the law, as a text that `ofs-sim replay` reads; none where it holds code. */
  readonly repro: string | undefined;
  readonly file: string | undefined;

  constructor({ seed, violation, repro, file }: Pick<SimulationFailure, "seed" | "violation" | "repro" | "file">) {
    const { check, message, time, event } = violation;
    const kept = file === undefined ? "" : `\nwritten down: ${file} (npx ofs-sim replay ${file})`;
    const broken = `seed ${seed} breaks ${check} at ${clockText(time)} (event ${event}): ${message}`;
    super(`${broken}\nagain: OFS_SIM_SEED=${seed}${kept}`);
    this.seed = seed;
    this.violation = violation;
    this.repro = repro;
    this.file = file;
  }
}

const RUNS = 10;
const TRIES = 200;
const FILE_ENDING = ".repro.json";

/**
 * Runs seed after seed and resolves with what was tried; rejects with a `SimulationFailure` at the first law that is
 * broken, and with a `RangeError` where the options make no sense.
 */
export async function simulationProperty(given: SimulationPropertyOptions = {}): Promise<SimulationPropertyReport> {
  const { laws = [], runs = RUNS, repros, options = {}, backends = openBackends() } = given;
  if (!Number.isSafeInteger(runs) || runs < 1) throw new RangeError(`runs is a whole number, 1 or more, not ${runs}`);
  const from = given.from ?? seedOf(process.env.OFS_SIM_SEED);
  const withLaws = (scenario: Scenario): Scenario => ({ ...scenario, safety: [...scenario.safety, ...laws] });
  const report = { runs: 0, events: 0 };
  const play = async (scenario: Scenario, seed: bigint, more: Partial<RunOptions> = options): Promise<RunReport> => {
    const result = await runScenario(withLaws(scenario), { seed, ...more }, backends);
    report.runs += 1;
    report.events += result.report.events;
    return result.report;
  };
  for (const { file, text } of await keptIn(repros)) {
    const read = reproOf(text);
    if (!read.ok) throw new RangeError(`${file}: ${read.error}`);
    const { scenario, seed } = read.value;
    const [violation] = (await play(scenario, seed, optionsOf(read.value))).violations;
    if (violation !== undefined) throw new SimulationFailure({ seed, violation, repro: text, file });
  }
  for (let seed = from; seed < from + BigInt(runs); seed++) {
    const scenario = scenarioOf(given.scenario, seed);
    const first = await play(scenario, seed);
    if (first.violations.length > 0)
      throw await failureOf({ scenario, report: first }, { ...given, tries: given.tries ?? TRIES }, (smaller, until) =>
        play(smaller, seed, { ...options, until }),
      );
  }
  return report;
}

function scenarioOf(given: SimulationPropertyOptions["scenario"], seed: bigint): Scenario {
  if (given === undefined) return swarmScenario(seed);
  return typeof given === "function" ? given(seed) : given;
}

function seedOf(text: string | undefined): bigint {
  if (text === undefined || text === "") return 1n;
  if (/^[0-9]{1,20}$/.test(text)) return BigInt(text);
  throw new RangeError(`OFS_SIM_SEED is a whole number, not "${text}"`);
}

/** Makes the run small and writes it down. */
async function failureOf(
  broken: { readonly scenario: Scenario; readonly report: RunReport },
  { tries, repros, options }: SimulationPropertyOptions & { readonly tries: number },
  play: ShrinkOptions["play"],
): Promise<SimulationFailure> {
  const small = (await shrink(broken, { play, tries })).broken;
  const violation = small.report.violations[0] as Violation;
  const { seed } = small.report;
  const written = reproText(small.scenario, small.report, { store: options?.store ?? "memory", parity: false });
  if (!written.ok || repros === undefined)
    return new SimulationFailure({ seed, violation, repro: written.ok ? written.value : undefined, file: undefined });
  const file = join(repros, `${violation.check.replaceAll(/[^A-Za-z0-9-]+/g, "-")}-${seed}${FILE_ENDING}`);
  makeFolder(repros);
  await writeFile(file, written.value);
  return new SimulationFailure({ seed, violation, repro: written.value, file });
}

/** What broke a law before, in order of its files' names. */
async function keptIn(
  folder: string | undefined,
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  if (folder === undefined) return [];
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(FILE_ENDING)).sort();
  return Promise.all(
    names.map(async (name) => ({ file: join(folder, name), text: await readFile(join(folder, name), "utf8") })),
  );
}
