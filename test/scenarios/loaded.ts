/**
 * Scenarios in a world that was loaded anew, with a bug in it or without.
 */
import type * as Listed from "../../scenarios/index.ts";
import type * as Usual from "../../sim/backends.ts";
import type { Violation } from "../../sim/checker.ts";
import type * as Run from "../../sim/run.ts";
import type * as Scenarios from "../../sim/scenario.ts";
import type { Load } from "../planted/planted-bug.ts";

/** What a run of a scenario on the model finds. */
export async function violationsIn(load: Load, name: string): Promise<readonly Violation[]> {
  const { scenarios } = await load<typeof Listed>("scenarios/index.ts");
  const { excerptOf } = await load<typeof Scenarios>("sim/scenario.ts");
  const { runScenario } = await load<typeof Run>("sim/run.ts");
  const { openBackends } = await load<typeof Usual>("sim/backends.ts");
  const scenario = scenarios.find((one) => one.name === name);
  if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
  return (await runScenario(excerptOf(scenario), { seed: 1n, chain: "model" }, openBackends())).report.violations;
}
