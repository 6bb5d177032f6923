/**
 * Control of what people do all at once: a scenario, played in the network as it is.
 */
import type { Result } from "../../../core/index.ts";
import { bool, err, list, ok, struct, u64 } from "../../../core/index.ts";
import { plainText } from "../../../core/testing.ts";
import { may } from "../../data/optional.ts";
import { Milliseconds, Name } from "../../data/values.ts";
import type { Scenario } from "../../scenario.ts";
import { scenarioOf } from "../../scenario-data.ts";
import { playScenario, unfitFor } from "../scenario-play.ts";
import type { Controlled } from "./method.ts";
import { jumpTo, method, refuse } from "./method.ts";
import { Violation, violationData } from "./violations.ts";

/** The longest that one may take, in milliseconds of the network's: eight days. Source: DESIGN L10. */
export const SCENARIO_MS_MAX = 8 * 86_400_000;

const PlayedData = struct("PlayedScenario", {
  scenario: plainText,
  ended: bool,
  took: u64,
  kept: list(plainText),
  violations: list(Violation),
});

export const scenarioMethods = {
  sim_runScenario: method({
    group: "Market",
    params: { scenario: Name, faults: may(bool), within: may(Milliseconds) },
    result: PlayedData,
    errors: ["UNKNOWN_SCENARIO", "UNFIT_SCENARIO", "TOO_MANY"],
    doc:
      "Plays a scenario from now on: the name of one that ofs-sim list tells, or the JSON text of a file of one. Its " +
      "people act, funded as it says where they are new; nodes, links and chain are the network's own. With faults: " +
      "true its faults come and go as well, but attackers. The network runs as fast as it goes until everybody is done " +
      "and what must come true has, as long at most as the scenario lasts and gives for it, or as is said. Ended: " +
      "nothing kept it; else what did, in lines, and laws that broke. What a second run repeats, nodes refuse.",
    run: runScenario,
  }),
};

interface ScenarioParams {
  readonly scenario: string;
  readonly faults?: boolean;
  readonly within?: number;
}

async function runScenario(network: Controlled, { scenario: given, faults = false, within }: ScenarioParams) {
  const { host } = network;
  const found = await scenarioIn(network, given);
  if (!found.ok) return refuse("UNKNOWN_SCENARIO", found.error);
  const { name, lasts, liveness } = found.value;
  const most = within ?? lasts + liveness.within;
  if (most > SCENARIO_MS_MAX) return refuse("TOO_MANY", `${most} ms are more than the ${SCENARIO_MS_MAX} of one call`);
  const unfit = unfitFor(host, found.value, faults);
  if (unfit !== undefined) return refuse("UNFIT_SCENARIO", unfit);
  const { took, kept, violations } = await playScenario(host, found.value, faults, most);
  await jumpTo(network, host.world().loop.now());
  const broken = violations.map(violationData);
  const ended = kept.length === 0 && broken.length === 0;
  return ok({ scenario: name, ended, took: BigInt(took), kept, violations: broken });
}

/** The scenario of a name, or of the text of a file. */
async function scenarioIn({ scenarios }: Controlled, given: string): Promise<Result<Scenario, string>> {
  if (given.trimStart().startsWith("{")) return scenarioOf(given);
  const found = (await scenarios()).find(({ name }) => name === given);
  return found === undefined
    ? err(`there is no scenario ${given.slice(0, 64)}; ofs-sim list has their names`)
    : ok(found);
}
