/**
 * What is held while a sweep goes forward in time. Claims come in order of their dates, so full windows end
 * in that order too: a place that moves along the blocks lets them go. The few that end early stand apart.
 * Source: CONVERGENCE "Allocation".
 */

import { known } from "../../../kernel/assert.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import type { Claim } from "./allocation.ts";
import { GRANTED, WINDOW_MS } from "./allocation.ts";
import type { Block, Place } from "./blocks.ts";
import { placeOf } from "./blocks.ts";

/** Everything before `from` is over; `early` are the held claims that end before their window. */
export interface Holds {
  readonly from: Place;
  readonly units: bigint;
  readonly early: readonly Claim[];
}

export interface RunningHolds {
  /** Units held at an instant; instants never go back. */
  heldAt(instant: EpochMillis): bigint;
  /** Takes a granted claim; an acknowledged one does not hold here, since it holds for ever. */
  add(claim: Claim): void;
  state(): Holds;
}

export const noHolds: Holds = { from: { block: 0, offset: 0 }, units: 0n, early: [] };

/** What the claims before a place hold at the date of the last one of them that could. */
export function holdsBefore(blocks: readonly Block[], until: Place): Holds {
  const next = blocks[until.block]?.claims[until.offset] ?? blocks.at(-1)?.claims.at(-1);
  if (next === undefined) return noHolds;
  const since = (next.timestamp - BigInt(WINDOW_MS)) as EpochMillis;
  const from = placeOf(blocks, { timestamp: since, identity: "" });
  const running = resumeHolds(blocks, { from, units: 0n, early: [] });
  for (let block = from.block; block <= until.block && block < blocks.length; block++) {
    const { claims, verdicts } = known(blocks[block], "a block");
    const last = block === until.block ? until.offset : claims.length;
    for (let offset = block === from.block ? from.offset : 0; offset < last; offset++) {
      if (verdicts[offset] === GRANTED) running.add(known(claims[offset], "a claim"));
    }
  }
  return running.state();
}

/** Goes on from a state. `blocks` may grow and get verdicts meanwhile, at places not yet passed. */
export function resumeHolds(blocks: readonly Block[], holds: Holds): RunningHolds {
  let { block, offset } = holds.from;
  let units = holds.units;
  let early = [...holds.early];

  function letGo(instant: EpochMillis): void {
    for (let held = blocks[block]; held !== undefined; held = blocks[block]) {
      const claim = held.claims[offset];
      if (claim === undefined) {
        if (block + 1 >= blocks.length) return;
        block += 1;
        offset = 0;
        continue;
      }
      if (claim.timestamp + BigInt(WINDOW_MS) >= instant) return;
      if (held.verdicts[offset] === GRANTED && holdsItsWindow(claim)) units -= claim.units;
      offset += 1;
    }
  }

  return {
    heldAt(instant) {
      letGo(instant);
      if (early.some((claim) => claim.endsAt <= instant)) {
        for (const claim of early) if (claim.endsAt <= instant) units -= claim.units;
        early = early.filter((claim) => claim.endsAt > instant);
      }
      return units;
    },
    add(claim) {
      if (claim.acknowledged) return;
      units += claim.units;
      if (claim.endsEarly) early.push(claim);
    },
    state: () => ({ from: { block, offset }, units, early }),
  };
}

function holdsItsWindow(claim: Claim): boolean {
  return !claim.acknowledged && !claim.endsEarly;
}
