/**
 * What the allocation sweep looks at: allocations of requests, and when a merchant closed his advertisement.
 * What is acknowledged always fits and holds for ever; any other granted allocation holds for its window or until
 * it ends early; one that does not fit, whose date falls under a status other than Active, or whose price was not in
 * force, is refused.
 * Source: CONVERGENCE "Allocation".
 */

import { STATEMENT_AGE_MS_MAX } from "../../../engine/admission/ingress.ts";
import type { Amount, EpochMillis } from "../../../kernel/values.ts";

/**
 * A status this much older than a request refuses it always: nobody can sign it afterwards. Source: CONVERGENCE
 * "Allocation".
 */
export const STATUS_FINAL_MS = 2 * STATEMENT_AGE_MS_MAX;
/** Longest hold of an allocation that is not acknowledged, in milliseconds. Source: protocol 02 C.7. */
export const WINDOW_MS = 1_800_000;

/** Verdicts of the sweep. CROWDED: refused for want of room. BARRED: by a status so old that nothing else counts. */
export const REFUSED = 0;
export const GRANTED = 1;
export const BARRED = 2;
export const CROWDED = 3;

/** What a request asks for. */
export interface Asked {
  readonly timestamp: EpochMillis;
  readonly units: bigint;
  readonly decimals: number;
  readonly price: Amount;
  readonly mid: number | null;
}

/** A request as the sweep sees it. */
export interface Allocation extends Asked {
  readonly identity: string;
  readonly acknowledged: boolean;
  /** When its hold ends: its window's end, or an earlier cancel or return. */
  readonly endsAt: EpochMillis;
  /** Whether an early end is why: a cancelled hold has expired at the instant, an expired one after it. */
  readonly endsEarly: boolean;
  /** How long it takes from what is available, once granted. Source: CONVERGENCE "Availability". */
  readonly holds: "for ever" | "while it settles" | "for its window" | "no more";
  /** Until when it settles. Past its window it holds so long, granted or not. Source: CONVERGENCE B6, B7. */
  readonly settlesUntil: EpochMillis;
}

/** From an instant on: closed since then, or open again. */
export interface Closing {
  readonly from: EpochMillis;
  readonly closedSince: EpochMillis | undefined;
}

/** Since when the advertisement was closed at an instant; nothing while it was open. */
export function closedAt(closings: readonly Closing[], instant: EpochMillis): EpochMillis | undefined {
  let [low, high] = [0, closings.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((closings[middle] as Closing).from <= instant) low = middle + 1;
    else high = middle;
  }
  return closings[low - 1]?.closedSince;
}

export function isBarred(allocation: Pick<Allocation, "timestamp">, closedSince: EpochMillis | undefined): boolean {
  return closedSince !== undefined && allocation.timestamp - closedSince > BigInt(STATUS_FINAL_MS);
}

/** Canonical order. */
export function compareAllocations(
  a: Pick<Allocation, "timestamp" | "identity">,
  b: Pick<Allocation, "timestamp" | "identity">,
): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}
