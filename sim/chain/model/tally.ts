/**
 * Counting one round's votes, and what happens when they decide nothing. Pure arithmetic over a case.
 * Source: protocol 03 D.8 (tally, result table, pool floor).
 */

import type { DisputeCase, TerminalReason } from "../../../core/testing.ts";
import { BARRED_MAX, outcomes, terminalReasons } from "../../../core/testing.ts";

/** Counted votes a decision needs, and rounds a case may have. Source: protocol 03 D.8. */
export const COUNTED_MIN = 3;
export const ROUNDS_MAX = 3;

export interface Tally {
  /** Revealed votes with weight. */
  readonly counted: number;
  /** The one heaviest outcome; null when too few counted or the heaviest tie. */
  readonly outcome: number | null;
  readonly winningWeight: bigint;
}

/** Ignores zero weights; a unique maximum of at least three counted votes wins. Source: protocol 03 D.8. */
export function tally(found: DisputeCase): Tally {
  const sums = new Map<number, bigint>();
  let counted = 0;
  for (const [seat, outcome] of found.revealed_outcomes.entries()) {
    const weight = found.weights[seat] ?? 0n;
    if (outcome === null || outcome >= outcomes.length || weight === 0n) continue;
    counted += 1;
    sums.set(outcome, (sums.get(outcome) ?? 0n) + weight);
  }
  const ranked = [...sums].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
  const [best, second] = ranked;
  if (counted < COUNTED_MIN || best === undefined || best[1] === second?.[1])
    return { counted, outcome: null, winningWeight: 0n };
  return { counted, outcome: best[0], winningWeight: best[1] };
}

/** The barred list after an undecided round: seats that committed and stayed silent join it. */
export function barredAfter(found: DisputeCase): readonly string[] {
  const silent = found.arbitrators.filter((_, seat) => found.revealed_outcomes[seat] === null);
  return [...found.barred, ...silent].slice(0, BARRED_MAX);
}

/** Arbitrators that must exist for another round, given whom it would bar. Source: protocol 03 D.8 (pool floor). */
export function requiredPool(barred: readonly string[]): number {
  return COUNTED_MIN + barred.length;
}

/** Whether another round could be staffed; a figure of zero, or none, sets no floor. Source: protocol 03 D.8. */
export function poolSuffices(published: number, found: DisputeCase, barred: readonly string[]): boolean {
  return published === 0 || Math.max(published, found.seats_taken_total) >= requiredPool(barred);
}

/** Why the last round decided nothing. Source: protocol 03 D.8. */
export function exhaustedReason(found: DisputeCase, counted: number): TerminalReason {
  if (found.arbitrators.length < COUNTED_MIN) return "RoundUnstaffed";
  return counted < COUNTED_MIN ? "QuorumNotReached" : "NoConsensus";
}

/** The byte of a reason. */
export function reasonByte(reason: TerminalReason): number {
  return terminalReasons.indexOf(reason);
}
