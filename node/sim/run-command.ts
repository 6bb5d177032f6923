/**
 * `ofs-sim run NAME` and its hidden sibling `trace`: one run, told as a story, as an object, as a page.
 */
import { unknownOverLibp2p } from "../../sim/carrier.ts";
import { clockText } from "../../sim/clock-text.ts";
import type { Ending } from "../../sim/endings.ts";
import { faultText } from "../../sim/fault-kinds.ts";
import { saveRun, unheldOn } from "../../sim/held-run.ts";
import type { RunReport } from "../../sim/report.ts";
import { reportJson, reportLine } from "../../sim/report.ts";
import { reproText } from "../../sim/repro.ts";
import type { Run, RunResult } from "../../sim/run.ts";
import { openRun } from "../../sim/run.ts";
import type { ChainChoice, Scenario } from "../../sim/scenario.ts";
import { scenarioSchema } from "../../sim/scenario-data.ts";
import type { Backends, Progress, RunOptions, StoreChoice } from "../../sim/setup.ts";
import { chainOf, unfitChain } from "../../sim/setup.ts";
import { checkPackages } from "./missing-packages.ts";
import { checkApart, removeOut, writeOut } from "./out-file.ts";
import { goOnUntil, runRecorded } from "./recorded-run.ts";
import { isPath, scenarioIn } from "./scenario-file.ts";
import type { Surroundings } from "./surroundings.ts";
import { INTERRUPTED, UsageError } from "./usage.ts";

/** The options of `run` as they were read. */
export interface RunChoices {
  readonly seed: bigint;
  readonly nodes?: number;
  readonly chain?: Exclude<ChainChoice, "none">;
  readonly store: StoreChoice;
  /** Nodes play the reference: its validation orders and answers. Source: DESIGN §7 #12. */
  readonly parity?: "reference";
  readonly network: "simulated" | "libp2p-memory";
  readonly json: boolean;
  readonly report?: string;
  /** Where the state of every node after every event is kept. */
  readonly record?: string;
  /** Where the run is written if it breaks a law. */
  readonly repro?: string;
  /** Where it is held once so many events have happened. */
  readonly hold?: string;
  readonly holdAt?: number;
}

/** Between two looks at the progress line. */
const PROGRESS_CHARACTERS = 78;

/** Runs a scenario; answers the exit code. */
export async function runCommand(name: string, choices: RunChoices, around: Surroundings): Promise<number> {
  const scenario = await scenarioNamed(name, around);
  checkFit(scenario, choices);
  checkPackages(scenario, choices);
  await checkFiles(name, choices);
  if (choices.hold !== undefined) return await holdRun({ ...choices, name, scenario }, choices.hold, around);
  // A file that cannot be written is bad usage, to be said before the run and not after it.
  for (const file of [choices.report, choices.record, choices.repro]) if (file !== undefined) await writeOut(file, "");
  const shown = showing(choices, around);
  const options: RunOptions = { ...runOptionsOf(choices), ...shown.options };
  const backends = await backendsOf(choices, around);
  if (!choices.json) introduce(scenario, choices, around);
  if (!choices.json) for (const line of unknownFaultLines(scenario, choices)) around.out(`${line}\n`);
  const result = await runRecorded(scenario, options, backends, choices, around.stop, shown.clear);
  if (choices.repro !== undefined) await writeRepro(choices.repro, scenario, result.report, choices);
  if (result.interrupted) return toldInterrupted(result, keptLines(choices, result.report), choices.json, around);
  if (choices.json) around.out(`${reportJson(result.report)}\n`);
  else
    conclude(result, around, [...keptLines(choices, result.report), ...violationLines(name, result.report, choices)]);
  return result.report.violations.length === 0 ? 0 : 1;
}

/** Refuses files that would be written over each other, and an option that does nothing by itself. */
async function checkFiles(name: string, { report, record, repro, hold, holdAt }: RunChoices): Promise<void> {
  if (holdAt !== undefined && hold === undefined)
    throw new UsageError("--hold-at wants --hold: where the run is kept.");
  const scenario = ["the scenario", isPath(name) ? name : undefined] as const;
  if (hold !== undefined) return await checkApart([scenario, ["--hold", hold]]);
  await checkApart([scenario, ["--record", record], ["--report", report], ["--repro", repro]]);
}

/** Says how far an interrupted run came, and what is kept of it. */
export function toldInterrupted(
  { report }: RunResult,
  kept: readonly string[],
  json: boolean,
  around: Surroundings,
): number {
  if (!json) for (const line of kept) around.out(`${line}\n`);
  const { scenario, seed, events, simulated_ms } = report;
  around.err(`interrupted: ${scenario} of seed ${seed} after event ${events} at ${clockText(simulated_ms)}\n`);
  return INTERRUPTED;
}

/** Runs until so many events have happened, and keeps what there is then. */
async function holdRun(
  choices: RunChoices & { readonly name: string; readonly scenario: Scenario },
  file: string,
  around: Surroundings,
): Promise<number> {
  const { scenario, holdAt } = choices;
  for (const kept of ["record", "report", "repro"] as const)
    if (choices[kept] !== undefined) throw new UsageError(`--${kept} keeps whole runs; --hold ends one early.`);
  if (holdAt === undefined) throw new UsageError("--hold wants --hold-at: after how many events.");
  // Said before anything runs: bankrun cannot be held.
  const unfit = unheldOn(chainOf(scenario, choices.chain), scenario.name);
  if (unfit !== undefined) throw new UsageError(`${unfit}.`);
  await writeOut(file, "");
  const run = await openRun(scenario, runOptionsOf(choices), await backendsOf(choices, around));
  try {
    const why = await goOnUntil(run, around.stop, () => run.world.trace.events() >= holdAt);
    if (why !== "enough") return await toldUnheld(run, why, choices, file, around);
    const saved = saveRun(run);
    if (!saved.ok) throw new UsageError(`${saved.error}.`);
    await writeOut(file, saved.value);
    const { trace, loop } = run.world;
    around.out(`held ${scenario.name} after event ${trace.events()} at ${clockText(loop.now())} in ${file}\n`);
    around.out(`on: ofs-sim resume ${file}\n`);
    return 0;
  } finally {
    await run.close();
  }
}

/** Says why nothing is held, and leaves no file: a law that broke on the way is a finding, however long the run was. */
async function toldUnheld(
  run: Run,
  why: "over" | "stopped",
  choices: RunChoices & { readonly name: string },
  file: string,
  around: Surroundings,
): Promise<number> {
  await removeOut(file);
  const result = run.result();
  const { report } = result;
  if (why === "stopped") return toldInterrupted(result, [], choices.json, around);
  if (report.violations.length === 0) throw new UsageError(`${report.scenario} ends before event ${choices.holdAt}.`);
  if (choices.json) around.out(`${reportJson(report)}\n`);
  else conclude(result, around, violationLines(choices.name, report, choices));
  return 1;
}

async function writeRepro(file: string, scenario: Scenario, report: RunReport, choices: RunChoices): Promise<void> {
  if (report.violations.length === 0) return await removeOut(file);
  const text = reproText(scenario, report, { store: choices.store, parity: choices.parity !== undefined });
  if (!text.ok) throw new UsageError(`${text.error}.`);
  await writeOut(file, text.value);
}

/** How a run is shown while it goes on: its story line by line, above a line of progress on a terminal. */
export function showing(
  { json }: Pick<RunChoices, "json">,
  around: Surroundings,
): { readonly options: Pick<RunOptions, "progress" | "tell">; readonly clear: () => void } {
  const progress = around.overwrite === undefined || json ? undefined : progressLine(around.overwrite);
  return {
    options: {
      ...(progress !== undefined && { progress: progress.show }),
      ...(!json && { tell: teller(around, progress) }),
    },
    clear: () => progress?.clear(),
  };
}

export function runOptionsOf(
  choices: Pick<RunChoices, "seed" | "nodes" | "chain" | "store"> & Partial<Pick<RunChoices, "network">>,
): RunOptions {
  const { seed, nodes, chain, store, network } = choices;
  return {
    seed,
    store,
    ...(network !== undefined && { network }),
    ...(nodes !== undefined && { nodes }),
    ...(chain !== undefined && { chain }),
  };
}

/** The parts of a world, every node under the profile that was asked for. */
export async function backendsOf({ parity }: Pick<RunChoices, "parity">, around: Surroundings): Promise<Backends> {
  const backends = await around.backends();
  if (parity === undefined) return backends;
  const profile = { ...backends.profile, parity: true };
  return { ...backends, profile, configure: (seat, chain) => ({ ...backends.configure(seat, chain), profile }) };
}

export async function scenarioNamed(name: string, around: Surroundings): Promise<Scenario> {
  if (isPath(name)) return await scenarioIn(name);
  const scenarios = await around.scenarios();
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  throw new UsageError(`Unknown scenario "${name}". One of: ${scenarios.map((scenario) => scenario.name).join(", ")}.`);
}

/** Refuses what the scenario cannot be run with, before anything starts. */
export function checkFit(scenario: Scenario, { nodes, chain }: Pick<RunChoices, "nodes" | "chain">): void {
  if (nodes !== undefined && nodes < scenario.nodesMin) {
    throw new UsageError(`${scenario.name} needs at least ${scenario.nodesMin} nodes, not ${nodes}.`);
  }
  const unfit = unfitChain(scenario, chain);
  if (unfit !== undefined) throw new UsageError(`${unfit}.`);
}

/** Prints scenarios, one line each. */
export async function listCommand(around: Surroundings): Promise<number> {
  const scenarios = await around.scenarios();
  const width = Math.max(0, ...scenarios.map((scenario) => scenario.name.length));
  for (const { name, description } of scenarios) around.out(`${name.padEnd(width)}  ${description}\n`);
  return 0;
}

/** Prints the JSON Schema of a scenario's file. */
export function schemaCommand(around: Surroundings): number {
  around.out(`${JSON.stringify(scenarioSchema(), null, 2)}\n`);
  return 0;
}

/** The faults that a network does not know, which are left out. */
function unknownFaultLines({ faults }: Scenario, { network }: RunChoices): readonly string[] {
  if (network === "simulated") return [];
  return faults.flatMap((fault) =>
    unknownOverLibp2p.some((kind) => kind === fault.kind) ? [`not over ${network}: ${faultText(fault)}`] : [],
  );
}

/** What is about to be run. */
function introduce(scenario: Scenario, choices: RunChoices, around: Surroundings): void {
  const { name, description } = scenario;
  const chain = chainOf(scenario, choices.chain);
  const executed = chain === "none" ? "no chain" : chain;
  around.out(`${name}: ${description}\n`);
  around.out(
    `seed ${choices.seed}, ${choices.nodes ?? scenario.nodes} nodes, ${executed}, ${choices.store} stores\n\n`,
  );
}

/** Prints the story as it happens, above the progress line. */
function teller(around: Surroundings, progress: ReturnType<typeof progressLine> | undefined): (line: string) => void {
  return (line) => {
    progress?.clear();
    around.out(`${line}\n`);
    progress?.draw();
  };
}

/** What it came to, with lines of the command before the last. */
export function conclude({ report, story, ending }: RunResult, around: Surroundings, lines: readonly string[]): void {
  if (story.length > 0) around.out("\n");
  for (const line of tableLines(ending)) around.out(`${line}\n`);
  around.out("\n");
  for (const { kind, injected, effective } of report.faults) {
    around.out(`fault ${kind}: ${injected} injected, ${effective} effective\n`);
  }
  for (const line of lines) around.out(`${line}\n`);
  around.out(`${reportLine(report)}\n`);
}

/** A table in columns. */
function tableLines({ columns, rows }: Ending): readonly string[] {
  const widths = columns.map((column, place) => {
    return Math.max(column.length, ...rows.map((row) => row[place]?.length ?? 0));
  });
  return [columns, ...rows].map((row) =>
    row
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The files that a run left. */
function keptLines({ report, record, repro }: RunChoices, { violations }: RunReport): readonly string[] {
  return [
    ...(report === undefined ? [] : [`report: ${report}`]),
    ...(record === undefined ? [] : [`record: ${record}`]),
    ...(repro === undefined || violations.length === 0 ? [] : [`repro: ${repro}`]),
  ];
}

/** The laws that a run broke. */
export function brokenLines({ violations }: RunReport): readonly string[] {
  return violations.map(
    ({ check, message, time, event }) => `violation of ${check} at ${clockText(time)} (event ${event}): ${message}`,
  );
}

function violationLines(name: string, report: RunReport, choices: RunChoices): readonly string[] {
  if (report.violations.length === 0) return [];
  const given = [
    `--seed ${report.seed}`,
    ...(choices.nodes === undefined ? [] : [`--nodes ${choices.nodes}`]),
    ...(choices.chain === undefined ? [] : [`--chain ${choices.chain}`]),
    ...(choices.store === "memory" ? [] : [`--store ${choices.store}`]),
    ...(choices.parity === undefined ? [] : [`--parity ${choices.parity}`]),
  ];
  return [...brokenLines(report), `again: ofs-sim run ${name} ${given.join(" ")}`];
}

function progressLine(overwrite: (text: string) => void) {
  let text = "";
  const draw = () => overwrite(text.slice(0, PROGRESS_CHARACTERS));
  return {
    show({ events, simulatedMs, lastsMs }: Progress): void {
      const part = Math.min(100, Math.floor((100 * simulatedMs) / Math.max(1, lastsMs)));
      text = `${part.toString().padStart(3)} %  ${clockText(simulatedMs)}  ${events} events`;
      draw();
    },
    draw,
    clear: () => overwrite(""),
  };
}
