/**
 * How far the chain's levels have come. A level lies so many slots behind the newest one, unless finality is held:
 * while it stalls, and while rival branches live, nothing more becomes final. What is held becomes final only under a
 * block made afterwards. Source: protocol 03 part E; DESIGN section 4 "Cluster".
 */
import type { Commitment } from "./slots.ts";
import { commitmentLag } from "./slots.ts";

/** Something that keeps blocks from becoming final. */
export interface Hold {
  /** The newest slot that may be final meanwhile. */
  readonly at: bigint;
  /** The slot in which it ended; null while it lasts. */
  until: bigint | null;
}

/** What holds finality, or did until a slot that is not final yet. */
export interface Finality {
  holds: readonly Hold[];
}

/** The newest slot at a level when `current` is the newest of all; it may have no block. */
export function reached({ holds }: Finality, commitment: Commitment, current: bigint): bigint {
  let slot = current - commitmentLag[commitment];
  if (slot < 0n) return 0n;
  if (commitment !== "finalized") return slot;
  for (let held = holds.find((hold) => within(slot, hold)); held !== undefined; ) {
    slot = held.at;
    held = holds.find((hold) => within(slot, hold));
  }
  return slot;
}

/** Holds finality at a slot, until it is released. */
export function holdFinality(finality: Finality, at: bigint): Hold {
  const hold: Hold = { at, until: null };
  finality.holds = [...finality.holds, hold];
  return hold;
}

/** Ends a hold, as of the slot that is current. */
export function releaseFinality(finality: Finality, hold: Hold, current: bigint): void {
  hold.until ??= current;
  const final = reached(finality, "finalized", current);
  finality.holds = finality.holds.filter(({ until }) => until === null || until > final);
}

function within(slot: bigint, { at, until }: Hold): boolean {
  return slot > at && (until === null || slot < until);
}
