/**
 * `ofs-sim shrink FILE`: makes a run that broke a law smaller, as long as it breaks the same law.
 * Source: DESIGN section 6.
 */
import { faultText } from "../../sim/fault-kinds.ts";
import { optionsOf, reproText } from "../../sim/repro.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { RunBound } from "../../sim/setup.ts";
import { shrink } from "../../sim/shrink.ts";
import { checkKind } from "./kept-kinds.ts";
import { writeOut } from "./out-file.ts";
import { readRepro } from "./replay-command.ts";
import { backendsOf, brokenLines } from "./run-command.ts";
import type { Surroundings } from "./surroundings.ts";
import { stopAsked } from "./surroundings.ts";
import { INTERRUPTED, UsageError } from "./usage.ts";

export interface ShrinkChoices {
  /** Where the smaller run is written; over the file itself when absent. */
  readonly out?: string;
  /** Runs that may be tried. */
  readonly tries: number;
}

/**
 * Answers the exit code: 1 as what is left breaks a law, 130 when somebody ended the search for less, 2 when the file's
 * run breaks none.
 */
export async function shrinkCommand(file: string, choices: ShrinkChoices, around: Surroundings): Promise<number> {
  checkKind(file, "shrink");
  const repro = await readRepro(file);
  const { scenario, nodes, store, parity } = repro;
  const backends = await backendsOf(parity ? { parity: "reference" } : {}, around);
  const play = async (smaller: Scenario, until?: RunBound) =>
    (await runScenario(smaller, { ...optionsOf({ ...repro, nodes: smaller.nodes }), until }, backends)).report;
  const first: Scenario = { ...scenario, nodes, nodesMin: Math.min(scenario.nodesMin, nodes) };
  const report = await play(first);
  if (report.violations.length === 0) throw new UsageError(`${file}: its law is not broken any more.`);
  const search = { play, tries: choices.tries, pause: stopAsked(around) };
  const { broken, tried, whole } = await shrink({ scenario: first, report }, search);
  const text = reproText(broken.scenario, broken.report, { store, parity });
  if (!text.ok) throw new UsageError(`${text.error}.`);
  const out = choices.out ?? file;
  await writeOut(out, text.value);
  for (const line of [...sizeLines(scenario, broken.scenario), ...brokenLines(broken.report)]) around.out(`${line}\n`);
  const interrupted = !whole && around.stop.aborted;
  const bound = interrupted ? `interrupted; shrink ${out} goes on` : `more than ${tried} runs would be needed to go on`;
  around.out(`after ${tried} runs: ${whole ? "nothing more can be left out" : bound}\nrepro: ${out}\n`);
  return interrupted ? INTERRUPTED : 1;
}

function sizeLines(before: Scenario, after: Scenario): readonly string[] {
  const counted = (member: "actions" | "faults") => `${before[member].length} -> ${after[member].length} ${member}`;
  return [
    `${before.nodes} -> ${after.nodes} nodes, ${counted("actions")}, ${counted("faults")}`,
    ...after.actions.map((action) => `  ${action.at} ms  ${action.actor}: ${action.kind}`),
    ...after.faults.map((fault) => `  fault: ${faultText(fault)}`),
  ];
}
