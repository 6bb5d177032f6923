/**
 * `ofs-sim run NAME` and its hidden sibling `trace`: one run, told as a story, as an object, as a page.
 */
import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Ending } from "../../sim/endings.ts";
import type { RunReport } from "../../sim/report.ts";
import { reportJson, reportLine } from "../../sim/report.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import type { ChainChoice, Scenario } from "../../sim/scenario.ts";
import { clockText } from "../../sim/scenario.ts";
import { scenarioSchema } from "../../sim/scenario-data.ts";
import type { Backends, Progress, RunOptions, StoreChoice } from "../../sim/setup.ts";
import { chainOf, unfitChain } from "../../sim/setup.ts";
import { checkPackages } from "./missing-packages.ts";
import { reportPage } from "./report-page.ts";
import { isPath, scenarioIn } from "./scenario-file.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

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
}

/** Between two looks at the progress line. */
const PROGRESS_CHARACTERS = 78;

/** Runs a scenario; answers the exit code. */
export async function runCommand(name: string, choices: RunChoices, around: Surroundings): Promise<number> {
  const scenario = await scenarioNamed(name, around);
  checkFit(scenario, choices);
  checkPackages(scenario, choices);
  if (choices.network !== "simulated") throw new UsageError(`--network ${choices.network} is not built in here.`);
  // A report that cannot be written is bad usage, to be said before the run and not after it.
  if (choices.report !== undefined) await writeReport(choices.report, "");
  const progress = around.terminal && !choices.json ? progressLine(around) : undefined;
  const options: RunOptions = {
    ...runOptionsOf(choices),
    ...(progress !== undefined && { progress: progress.show }),
    ...(!choices.json && { tell: teller(around, progress) }),
    diagram: choices.report !== undefined,
  };
  if (!choices.json) introduce(scenario, choices, around);
  const result = await runScenario(scenario, options, await backendsOf(choices, around));
  progress?.clear();
  if (choices.report !== undefined) await writeReport(choices.report, reportPage(scenario, result));
  if (choices.json) around.out(`${reportJson(result.report)}\n`);
  else conclude(name, result, choices, around);
  return result.report.violations.length === 0 ? 0 : 1;
}

export function runOptionsOf(choices: Pick<RunChoices, "seed" | "nodes" | "chain" | "store">): RunOptions {
  const { seed, nodes, chain, store } = choices;
  return { seed, store, ...(nodes !== undefined && { nodes }), ...(chain !== undefined && { chain }) };
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

/** What it came to. */
function conclude(name: string, { report, story, ending }: RunResult, choices: RunChoices, around: Surroundings): void {
  if (story.length > 0) around.out("\n");
  for (const line of tableLines(ending)) around.out(`${line}\n`);
  around.out("\n");
  for (const { kind, injected, effective } of report.faults) {
    around.out(`fault ${kind}: ${injected} injected, ${effective} effective\n`);
  }
  if (choices.report !== undefined) around.out(`report: ${choices.report}\n`);
  for (const line of violationLines(name, report, choices)) around.out(`${line}\n`);
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

function violationLines(name: string, report: RunReport, choices: RunChoices): readonly string[] {
  if (report.violations.length === 0) return [];
  const given = [
    `--seed ${report.seed}`,
    ...(choices.nodes === undefined ? [] : [`--nodes ${choices.nodes}`]),
    ...(choices.chain === undefined ? [] : [`--chain ${choices.chain}`]),
    ...(choices.store === "memory" ? [] : [`--store ${choices.store}`]),
    ...(choices.parity === undefined ? [] : [`--parity ${choices.parity}`]),
  ];
  return [
    ...report.violations.map(({ check, message, time, event }) => {
      return `violation of ${check} at ${clockText(time)} (event ${event}): ${message}`;
    }),
    `again: ofs-sim run ${name} ${given.join(" ")}`,
  ];
}

async function writeReport(file: string, page: string): Promise<void> {
  try {
    await makeFolder(dirname(resolve(file)));
    await writeFile(file, page);
  } catch (error) {
    throw new UsageError(`The report cannot be written to ${file}: ${(error as Error).message}.`);
  }
}

/** Folder by folder: Node's own recursive form never ends where the system answers that a parent is not there. */
async function makeFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined || folder === dirname(folder)) return;
  await makeFolder(dirname(folder));
  await mkdir(folder);
}

function progressLine(around: Surroundings) {
  let text = "";
  const draw = () => around.err(`\r${text.slice(0, PROGRESS_CHARACTERS).padEnd(PROGRESS_CHARACTERS)}`);
  return {
    show({ events, simulatedMs, lastsMs }: Progress): void {
      const part = Math.min(100, Math.floor((100 * simulatedMs) / Math.max(1, lastsMs)));
      text = `${part.toString().padStart(3)} %  ${clockText(simulatedMs)}  ${events} events`;
      draw();
    },
    draw,
    clear: () => around.err(`\r${" ".repeat(PROGRESS_CHARACTERS)}\r`),
  };
}
