/**
 * A run that broke a law, as a text that stands on its own: the whole scenario, the options, and what was found. Under
 * the same code it ends at the same event; under other code it is to show the same law broken, or broken no more.
 * Source: DESIGN section 5 "Failure".
 */
import type { Infer, Result } from "../core/index.ts";
import { bool, enumeration, err, ok, struct, u64 } from "../core/index.ts";
import { small, plainText as text } from "../core/testing.ts";
import { checkedText, plainText } from "./data/plain.ts";
import { Milliseconds } from "./data/values.ts";
import type { RunReport } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { ScenarioData, scenarioFrom } from "./scenario-data.ts";
import type { RunOptions, StoreChoice } from "./setup.ts";

/** A run and what it broke, as its file holds them. */
export const ReproData = struct("Repro", {
  format: enumeration("ofs-repro/1"),
  seed: u64,
  nodes: small(32, { least: 1, most: 100_000 }),
  chain: enumeration("bankrun", "litesvm", "model", "none"),
  store: enumeration("memory", "sqljs", "sqlite"),
  /** Nodes play the reference. */
  parity: bool,
  /** The law, how that showed, when, after which event, and the trace up to there. */
  found: struct("Found", { check: text, message: text, time: Milliseconds, event: small(32), trace: text }),
  scenario: ScenarioData,
});
export type ReproData = Infer<typeof ReproData>;

/** A run that can be played again, and what it broke then. */
export interface Repro extends Omit<ReproData, "scenario"> {
  readonly scenario: Scenario;
}

/** What a run was besides its report. */
export interface ReproOptions {
  readonly store: StoreChoice;
  readonly parity: boolean;
}

/** The text of a run that broke a law; or why it has none, in one line. */
export function reproText(scenario: Scenario, report: RunReport, options: ReproOptions): Result<string, string> {
  const [violation] = report.violations;
  if (violation === undefined) return err(`${scenario.name} broke no law`);
  const { check, message, time, event } = violation;
  const written = plainText({
    format: "ofs-repro/1",
    ...{ seed: report.seed, nodes: report.nodes, chain: report.chain, ...options },
    found: { check, message, time, event, trace: report.trace_hash },
    scenario,
  });
  return written.ok ? ok(`${written.value}\n`) : err(`${scenario.name} cannot be written down: ${written.error}`);
}

/** The run that a text holds; or why it holds none, in one line that names the member. */
export function reproOf(content: string): Result<Repro, string> {
  const read = checkedText(ReproData, content, "");
  if (!read.ok) return err(read.error.replace(/^: /, ""));
  const scenario = scenarioFrom(read.value.scenario);
  return scenario.ok ? ok({ ...read.value, scenario: scenario.value }) : err(`scenario: ${scenario.error}`);
}

/** The options with which the run of a repro is played again. */
export function optionsOf({
  seed,
  nodes,
  chain,
  store,
}: Pick<Repro, "seed" | "nodes" | "chain" | "store">): RunOptions {
  return { seed, nodes, store, ...(chain !== "none" && { chain }) };
}

/** What became of a repro: the same run, the same law broken otherwise, another law, or none. */
export type ReplayVerdict = "same" | "same-law" | "other-law" | "gone";

/** Compares what a run came to with what its repro says. */
export function verdictOn({ found }: Pick<Repro, "found">, report: RunReport): ReplayVerdict {
  const [violation] = report.violations;
  if (violation === undefined) return "gone";
  if (violation.check !== found.check) return "other-law";
  return violation.event === found.event && report.trace_hash === found.trace ? "same" : "same-law";
}
