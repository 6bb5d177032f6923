/**
 * What is held while a sweep goes forward in time. Allocations come in order of their dates, so full windows end
 * in that order too: a place that moves along the blocks lets them go. The few that end early stand apart.
 * Source: CONVERGENCE "Allocation".
 */

import { known } from "../../../kernel/assert.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import type { Allocation } from "./allocation.ts";
import { GRANTED, WINDOW_MS } from "./allocation.ts";
import type { Block, Place } from "./blocks.ts";
import { placeOf } from "./blocks.ts";

/** Everything before `from` has expired; `early` are the held allocations that end before their window. */
export interface Holds {
  readonly from: Place;
  readonly units: bigint;
  readonly early: readonly Allocation[];
}

export interface RunningHolds {
  /** Units held at an instant; instants never go back. */
  heldAt(instant: EpochMillis): bigint;
  /** Takes a granted allocation; an acknowledged one does not hold here, since it holds for ever. */
  add(allocation: Allocation): void;
  state(): Holds;
}

export const noHolds: Holds = { from: { block: 0, offset: 0 }, units: 0n, early: [] };

/** What the allocations before a place hold at the date of the last one of them that could. */
export function holdsBefore(blocks: readonly Block[], until: Place): Holds {
  const next = blocks[until.block]?.allocations[until.offset] ?? blocks.at(-1)?.allocations.at(-1);
  if (next === undefined) return noHolds;
  const since = (next.timestamp - BigInt(WINDOW_MS)) as EpochMillis;
  const from = placeOf(blocks, { timestamp: since, identity: "" });
  const running = resumeHolds(blocks, { from, units: 0n, early: [] });
  for (let block = from.block; block <= until.block && block < blocks.length; block++) {
    const { allocations, verdicts } = known(blocks[block], "a block");
    const last = block === until.block ? until.offset : allocations.length;
    for (let offset = block === from.block ? from.offset : 0; offset < last; offset++) {
      if (verdicts[offset] === GRANTED) running.add(known(allocations[offset], "an allocation"));
    }
  }
  return running.state();
}

/** Goes on from a state. `blocks` may grow and get verdicts meanwhile, at places not yet passed. */
export function resumeHolds(blocks: readonly Block[], holds: Holds): RunningHolds {
  let { block, offset } = holds.from;
  let units = holds.units;
  let early = [...holds.early];

  function dropExpired(instant: EpochMillis): void {
    for (let held = blocks[block]; held !== undefined; held = blocks[block]) {
      const allocation = held.allocations[offset];
      if (allocation === undefined) {
        if (block + 1 >= blocks.length) return;
        block += 1;
        offset = 0;
        continue;
      }
      if (allocation.timestamp + BigInt(WINDOW_MS) >= instant) return;
      if (held.verdicts[offset] === GRANTED && holdsItsWindow(allocation)) units -= allocation.units;
      offset += 1;
    }
  }

  return {
    heldAt(instant) {
      dropExpired(instant);
      if (early.some((allocation) => allocation.endsAt <= instant)) {
        for (const allocation of early) if (allocation.endsAt <= instant) units -= allocation.units;
        early = early.filter((allocation) => allocation.endsAt > instant);
      }
      return units;
    },
    add(allocation) {
      if (allocation.acknowledged) return;
      units += allocation.units;
      if (allocation.endsEarly) early.push(allocation);
    },
    state: () => ({ from: { block, offset }, units, early }),
  };
}

function holdsItsWindow(allocation: Allocation): boolean {
  return !allocation.acknowledged && !allocation.endsEarly;
}
