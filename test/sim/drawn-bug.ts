/**
 * A bug that is planted into the product, and the drawn world whose people and faults bring it out.
 */
import type * as Usual from "../../sim/backends.ts";
import type * as Run from "../../sim/run.ts";
import type * as Swarm from "../../sim/swarm/swarm-scenario.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";

export interface DrawnBug {
  readonly name: string;
  readonly seed: bigint;
  readonly bug: PlantedBug | readonly PlantedBug[];
  /** The law that breaks first, and what it says. */
  readonly finds: RegExp;
}

/** Plays the world with the bug in it; gives the first law that broke, and what it says. */
export async function firstBroken({ seed, bug }: DrawnBug): Promise<string> {
  const [first] = await withPlantedBug(bug, async (load) => {
    const { runScenario } = await load<typeof Run>("sim/run.ts");
    const { openBackends } = await load<typeof Usual>("sim/backends.ts");
    const { swarmScenario } = await load<typeof Swarm>("sim/swarm/swarm-scenario.ts");
    return (await runScenario(swarmScenario(seed), { seed }, openBackends())).report.violations;
  });
  return `${first?.check}: ${first?.message}`;
}
