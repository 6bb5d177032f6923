/**
 * Sleep sets: of moves that do not touch each other one order is walked. A move sleeps in a state when the way through
 * it was walked from an earlier state on; every state is still met. A state that is met again with fewer moves asleep
 * is walked again by those. After Godefroid's "Partial-Order Methods for the Verification of Concurrent Systems",
 * 1996, chapter 5. Source: DESIGN section 5.1.
 */
import type { Footprint } from "./independence.ts";
import { areIndependent } from "./independence.ts";
import { createInterner } from "./interner.ts";

export interface SleepSets {
  /** What sleeps in a state. */
  of(state: number): readonly number[];
  /**
   * A state is met with these asleep. Answers what has to be walked from it once more: nothing, unless it was walked
   * already and some of what slept then does not now.
   */
  meet(state: number, asleep: readonly number[], isNew: boolean, wasWalked: boolean): readonly number[];
}

const NONE: readonly number[] = [];

/** Nothing sleeps yet. */
export function openSleepSets(): SleepSets {
  const sets = createInterner<readonly number[]>();
  const idOf = (moves: readonly number[]) => sets.of(moves.join(), () => moves);
  idOf(NONE);
  let held = new Uint32Array(4_096);
  const keep = (state: number, id: number) => {
    if (state >= held.length) {
      const more = new Uint32Array(Math.max(held.length * 2, state + 1));
      more.set(held);
      held = more;
    }
    held[state] = id;
  };
  return {
    of: (state) => sets.at(held[state] ?? 0),
    meet(state, asleep, isNew, wasWalked) {
      if (isNew) {
        keep(state, idOf(asleep));
        return NONE;
      }
      const before = sets.at(held[state] as number);
      if (before.length === 0) return NONE;
      const both = before.filter((move) => asleep.includes(move));
      if (both.length === before.length) return NONE;
      keep(state, idOf(both));
      return wasWalked ? before.filter((move) => !both.includes(move)) : NONE;
    },
  };
}

/** What sleeps behind a move: all that slept or was walked before it and does not touch it, in order. */
export function asleepBehind(
  move: Footprint,
  earlier: readonly number[],
  footprint: (move: number) => Footprint,
): readonly number[] {
  return earlier.filter((other) => areIndependent(footprint(other), move)).sort((a, b) => a - b);
}
