/**
 * How far the chain's levels have come. A level lies so many slots behind the newest one, unless finality is held:
 * while it stalls, and while rival branches live, nothing more becomes final. What is held becomes final only under a
 * block made afterwards. Source: protocol 03 part E; DESIGN section 4 "Cluster".
 */
import type { Commitment } from "./slots.ts";
import { commitmentLag } from "./slots.ts";

interface Hold {
  /** The newest slot that may be final meanwhile. */
  readonly at: bigint;
  /** The slot in which it ended; null while it lasts. */
  until: bigint | null;
}

export interface Finality {
  /** The newest slot at a level when `current` is the newest of all; it may have no block. */
  reached(commitment: Commitment, current: bigint): bigint;
  /** Holds finality at a slot; the answer ends that, as of the slot then current. */
  hold(at: bigint): (current: bigint) => void;
}

export function openFinality(): Finality {
  let holds: readonly Hold[] = [];
  const within = (slot: bigint, { at, until }: Hold) => slot > at && (until === null || slot < until);
  const reached = (commitment: Commitment, current: bigint): bigint => {
    let slot = current - commitmentLag[commitment];
    if (slot < 0n) return 0n;
    if (commitment !== "finalized") return slot;
    for (let held = holds.find((hold) => within(slot, hold)); held !== undefined; ) {
      slot = held.at;
      held = holds.find((hold) => within(slot, hold));
    }
    return slot;
  };
  return {
    reached,
    hold(at) {
      const hold: Hold = { at, until: null };
      holds = [...holds, hold];
      return (current) => {
        hold.until ??= current;
        const final = reached("finalized", current);
        holds = holds.filter(({ until }) => until === null || until > final);
      };
    },
  };
}
