/**
 * Puts the faults of a scenario on the stage of a world: each begins and ends at its time, and what has not ended by
 * then ends when everything is healed. Source: DESIGN section 5 "Phases", "Faults".
 */
import type { ChainFaults } from "./chain-faults.ts";
import type { FaultScene } from "./fault-kinds.ts";
import { beginFault, injectedBy, spanOf } from "./fault-kinds.ts";
import type { FaultPlan } from "./fault-plans.ts";
import type { World } from "./world.ts";

export interface FaultStage {
  /** Ends what is still going on. */
  heal(): Promise<void>;
}

/** Schedules every fault. What a kind injects is in the report from here on, though it may never come to it. */
export function stageFaults(world: World, chain: ChainFaults | undefined, faults: readonly FaultPlan[]): FaultStage {
  const scene: FaultScene = { world, chain };
  /** By place: one value may be declared twice. */
  const ends = new Map<number, () => void | Promise<void>>();
  const end = async (place: number) => {
    const take = ends.get(place);
    ends.delete(place);
    await take?.();
  };
  for (const [place, fault] of faults.entries()) {
    world.faults.declare(injectedBy(fault));
    if (fault.kind === "code") {
      fault.install(world);
      continue;
    }
    const { from, until } = spanOf(fault);
    world.loop.at(from, () => {
      const begun = beginFault(scene, fault);
      const keep = (found: (() => void | Promise<void>) | undefined) => {
        if (found !== undefined) ends.set(place, found);
      };
      return begun instanceof Promise ? begun.then(keep) : keep(begun);
    });
    if (!("at" in fault)) world.loop.at(until, () => (ends.has(place) ? end(place) : undefined));
  }
  return {
    async heal() {
      for (const place of [...ends.keys()]) await end(place);
    },
  };
}
