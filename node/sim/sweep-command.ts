/**
 * `ofs-sim sweep NAME`: a scenario with every combination of values of parameters and every seed, and what that came
 * to: a line of CSV a run, quantiles a combination, a page with plots. What is done is on the disk when the next run
 * begins, so an interrupted sweep goes on where it was. Source: DESIGN section 6.
 */
import { appendFile } from "node:fs/promises";
import { quantilesOf } from "../../sim/quantiles.ts";
import { readText } from "./bounded-file.ts";
import { checkApart, writeOut } from "./out-file.ts";
import { openProgressLine } from "./progress-line.ts";
import { scenarioNamed } from "./run-command.ts";
import { isPath } from "./scenario-file.ts";
import type { SeedsLeft, SweptChoices } from "./seed-run.ts";
import { runSwept } from "./seed-run.ts";
import type { SeedPlace } from "./seed-runs.ts";
import { checkPlace, runSeeds } from "./seed-runs.ts";
import type { Surroundings } from "./surroundings.ts";
import { compared, comparedLine, figuresOfOthers } from "./sweep-compare.ts";
import type { RunFigures } from "./sweep-csv.ts";
import { CSV_BYTES, csvHead, csvLine, metricOf, metrics, runName, runsIn } from "./sweep-csv.ts";
import type { Combination, Swept } from "./sweep-page.ts";
import { sweepPage } from "./sweep-page.ts";
import type { SweptParameter } from "./sweep-plan.ts";
import { pairsOf, runOfNumber, sizeOf, sweptParameterOf, variedScenario } from "./sweep-plan.ts";
import type { SeedRange } from "./usage.ts";
import { UsageError } from "./usage.ts";

export interface SweepChoices extends Pick<SweptChoices, "chain" | "store" | "parity">, SeedPlace {
  /** As they are written. */
  readonly param?: readonly string[];
  readonly seeds: SeedRange;
  readonly csv: string;
  readonly resume?: string;
  readonly report?: string;
  /** The figures that other code made of the same sweep. */
  readonly compare?: string;
  readonly json: boolean;
}

/** A sweep while it runs: figures by the numbers of their runs. */
interface Sweep {
  readonly choices: SweptChoices;
  readonly runs: number;
  readonly figures: Map<number, RunFigures>;
  /** What became of those that came to nothing, by their numbers too. */
  readonly lost: Map<number, string>;
}

const [DEFECT, INTERRUPTED] = [70, 130];

/** Answers the exit code: 1 when a run broke a law, else 70 for a lost run, 130 for an interruption, or 0. */
export async function sweepCommand(name: string, given: SweepChoices, around: Surroundings): Promise<number> {
  const { seeds, csv, report, json } = given;
  const params = (given.param ?? []).map(sweptParameterOf);
  if (params.length === 0) throw new UsageError("sweep wants --param name=v1,v2 once at least.");
  const { combinations, runs } = sizeOf(params, seeds);
  const choices: SweptChoices = { ...worldOf(given), scenario: name, param: params, sweptSeeds: seeds };
  const scenario = await scenarioNamed(name, around);
  for (let at = 0; at < runs; at += runs / combinations)
    variedScenario(scenario, params, runOfNumber(at, params, seeds).values, given.chain);
  await checkPlace(given, choices, around);
  await checkFiles(name, given);
  const whole = { params, seeds, runs, combinations };
  const others = given.compare === undefined ? undefined : await figuresOfOthers(given.compare, whole);
  const sweep: Sweep = { choices, runs, figures: new Map(), lost: new Map() };
  if (given.resume !== undefined) await takeUp(sweep, given.resume, around);
  if (report !== undefined) await writeOut(report, "");
  await writeOut(csv, csvOf(sweep));
  const print = (line: string) => (json ? undefined : around.out(`${line}\n`));
  print(`sweep: ${name}, ${combinations} combinations, seeds ${seeds.first}..${seeds.last}: ${runs} runs`);
  const { cause } = await runAll(sweep, given, around);
  await writeOut(csv, csvOf(sweep));
  const command = commandOf(name, given);
  const beside = others && { file: given.compare ?? "", combinations: compared(whole, sweep.figures, others) };
  const swept: Swept = {
    ...{ scenario, params, seeds, combinations: combinationsOf(sweep), command },
    ...(beside !== undefined && { beside }),
  };
  if (report !== undefined) await writeOut(report, sweepPage(swept));
  const code = concluded(sweep, swept, given, around);
  if (cause !== undefined) throw cause;
  return code;
}

/** Refuses files that would be written over each other; a sweep may go on in the file that it is taken up from. */
async function checkFiles(name: string, { csv, report, resume, compare }: SweepChoices): Promise<void> {
  const scenario = ["the scenario", isPath(name) ? name : undefined] as const;
  await checkApart([scenario, ["--csv", csv], ["--report", report], ["--compare", compare]]);
  await checkApart([scenario, ["--report", report], ["--resume", resume]]);
}

/** Prints what it came to; answers the exit code. */
function concluded(sweep: Sweep, swept: Swept, { csv, report, json }: SweepChoices, around: Surroundings): number {
  const { figures, runs, lost } = sweep;
  const goesOn = figures.size + lost.size < runs ? `${swept.command} --resume ${quoted(csv)}` : null;
  const broken = swept.combinations.reduce((count, one) => count + one.broken, 0);
  const verdict = broken > 0 ? "FAILED" : lost.size > 0 ? "LOST" : goesOn !== null ? "STOPPED" : "OK";
  const last = `${verdict} sweep runs=${figures.size} of=${runs} broken=${broken} lost=${lost.size}`;
  const lines = [
    ...swept.combinations.map((one) => combinationLine(swept.params, one)),
    ...besideLines(swept),
    ...lostLines(sweep),
    ...(goesOn === null ? [] : [`interrupted; ${goesOn} goes on`]),
    `figures: ${csv}`,
    ...(report === undefined ? [] : [`report: ${report}`]),
    `again: ${swept.command}`,
    last,
  ];
  if (json) around.out(`${jsonOf(swept, sweep, goesOn)}\n`);
  else for (const line of lines) around.out(`${line}\n`);
  if (broken > 0) return 1;
  return lost.size > 0 ? DEFECT : goesOn !== null ? INTERRUPTED : 0;
}

function worldOf({ chain, store, parity }: SweepChoices): Pick<SweptChoices, "chain" | "store" | "parity"> {
  return { store, ...(chain !== undefined && { chain }), ...(parity !== undefined && { parity }) };
}

/** Runs what is left, and keeps each run's line as soon as it is over. */
async function runAll(sweep: Sweep, given: SweepChoices, around: Surroundings): Promise<SeedsLeft> {
  const { csv } = given;
  const { choices, runs, figures, lost } = sweep;
  const { param, sweptSeeds } = choices;
  const line = openProgressLine(around);
  const [began, before] = [around.wallMs(), figures.size];
  const numbers = [...Array(runs).keys()].filter((number) => !figures.has(number)).map(BigInt);
  let kept = Promise.resolve();
  let unwritten: unknown;
  let there = "";
  const left = await runSeeds(numbers.values(), given, choices, around, {
    done({ seed: number, figures: measured }) {
      if (measured === undefined) throw new Error("bug: a run of a sweep was not measured");
      figures.set(Number(number), measured);
      const text = csvLine(runOfNumber(Number(number), param, sweptSeeds), measured);
      kept = kept
        .then(() => appendFile(csv, text))
        .catch((error: unknown) => {
          unwritten ??= error;
        });
      const rate = (figures.size - before) / Math.max(1, around.wallMs() - began);
      const seconds = () => Math.ceil((runs - figures.size) / rate / 1_000);
      line.show(() => `${figures.size} of ${runs} runs, ${seconds()} s left${there}`);
    },
    lost(number, cause) {
      const { values, seed } = runOfNumber(Number(number), param, sweptSeeds);
      lost.set(Number(number), `${pairsOf(param, values)} seed ${seed}: ${cause}`);
    },
    seen(workers) {
      there = `, ${workers} workers`;
    },
  });
  await kept;
  line.clear();
  if (unwritten !== undefined) throw new UsageError(`${csv} cannot be written: ${(unwritten as Error).message}.`);
  return left;
}

/** Takes the runs of a file as done, where the first of them still comes to the same. */
async function takeUp(sweep: Sweep, file: string, around: Surroundings): Promise<void> {
  const { choices, runs, figures } = sweep;
  const content = await readText(file, CSV_BYTES);
  const known = runsIn(file, content, choices.param);
  for (let number = 0; number < runs; number++) {
    const found = known.get(runName(runOfNumber(number, choices.param, choices.sweptSeeds)));
    if (found !== undefined) figures.set(number, found);
  }
  const [first] = figures;
  if (first === undefined) return;
  const again = await runSwept(BigInt(first[0]), choices, around);
  if (again.figures.trace_hash === first[1].trace_hash) return;
  throw new UsageError(`${file} was made by other code, of another scenario or with other options.`);
}

function csvOf({ choices, figures }: Sweep): string {
  const { param, sweptSeeds } = choices;
  const lines = [...figures]
    .sort(([a], [b]) => a - b)
    .map(([number, measured]) => {
      return csvLine(runOfNumber(number, param, sweptSeeds), measured);
    });
  return `${csvHead(param)}${lines.join("")}`;
}

/** What each combination came to, as far as it was run. */
function combinationsOf({ choices, runs, figures }: Sweep): readonly Combination[] {
  const { param, sweptSeeds } = choices;
  const { combinations } = sizeOf(param, sweptSeeds);
  const each = runs / combinations;
  return Array.from({ length: combinations }, (_, place) => {
    const done = Array.from({ length: each }, (_, n) => figures.get(place * each + n)).filter(
      (one) => one !== undefined,
    );
    const quantiles = metrics.flatMap(({ name }) => {
      const found = quantilesOf(done.map((one) => metricOf(one, name)).filter((value) => value !== null));
      return found === undefined ? [] : [[name, found] as const];
    });
    return {
      ...{ values: runOfNumber(place * each, param, sweptSeeds).values, runs: done.length },
      ...{ broken: done.filter(({ violations }) => violations > 0).length, figures: Object.fromEntries(quantiles) },
    };
  });
}

function combinationLine(params: readonly SweptParameter[], { values, runs, broken, figures }: Combination): string {
  const told = metrics.flatMap(({ name }) => {
    const found = figures[name];
    return found === undefined || name === "violations" ? [] : [`${name} ${found.median} (${found.p10}..${found.p90})`];
  });
  return `${pairsOf(params, values)}: ${[...told, `${broken} of ${runs} broke a law`].join(", ")}`;
}

/** The command that makes a sweep again. */
function commandOf(
  name: string,
  { param = [], seeds, chain, store, parity, csv, report, compare }: SweepChoices,
): string {
  const parts = [
    ...["ofs-sim", "sweep", name, ...param.flatMap((one) => ["--param", one])],
    ...["--seeds", `${seeds.first}..${seeds.last}`],
    ...(chain === undefined ? [] : ["--chain", chain]),
    ...(store === "memory" ? [] : ["--store", store]),
    ...(parity === undefined ? [] : ["--parity", parity]),
    ...["--csv", csv],
    ...(report === undefined ? [] : ["--report", report]),
    ...(compare === undefined ? [] : ["--compare", compare]),
  ];
  return parts.map(quoted).join(" ");
}

/** A word of a command line as a shell takes it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What other code made of the same runs. */
function besideLines({ params, beside }: Swept): readonly string[] {
  if (beside === undefined) return [];
  return [`against ${beside.file}:`, ...beside.combinations.map((one) => comparedLine(params, one))];
}

/** What became of lost runs, in the order of their numbers. */
function lostLines({ lost }: Sweep): readonly string[] {
  return [...lost].sort(([a], [b]) => a - b).map(([, line]) => line);
}

function jsonOf({ scenario, params, seeds, combinations, command, beside }: Swept, sweep: Sweep, goOn: string | null) {
  const named = ({ values }: Pick<Combination, "values">) =>
    Object.fromEntries(params.map(({ name }, at) => [name, values[at]]));
  return JSON.stringify({
    ...{ scenario: scenario.name, seeds: `${seeds.first}..${seeds.last}`, runs: sweep.runs },
    combinations: combinations.map((one) => {
      return { values: named(one), runs: one.runs, broken: one.broken, ...one.figures };
    }),
    ...(beside !== undefined && {
      compared: beside.combinations.map((one) => ({ ...one, values: named(one) })),
    }),
    ...{ lost: lostLines(sweep), go_on: goOn, again: command },
  });
}
