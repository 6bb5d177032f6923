/**
 * The allocation sweep: hands an advertisement's liquidity to its requests in canonical order. What is
 * acknowledged always fits and holds for ever; any other granted request holds for its window or until
 * it ends early; one that does not fit, or whose date falls under a status other than Active, is refused.
 * Source: CONVERGENCE "Allocation" (ours).
 */

import type { EpochMillis } from "../kernel/values.ts";

/** How long pushed statements may be late, in milliseconds: 7 days. Source: protocol 01 §13.1 (H, ours). */
export const STATEMENT_AGE_MS_MAX = 7 * 86_400_000;
/** A status this much older than a request refuses it always: nobody can sign it afterwards. Source: ours. */
export const STATUS_FINAL_MS = 2 * STATEMENT_AGE_MS_MAX;

/** A request as the sweep sees it. */
export interface Claim {
  readonly key: string;
  readonly identity: string;
  readonly timestamp: EpochMillis;
  readonly units: bigint;
  readonly decimals: number;
  readonly acknowledged: boolean;
  /** When its hold ends: its window's end, or an earlier cancel or return. */
  readonly endsAt: EpochMillis;
  /** Whether an early end is why: a cancelled hold is over at the instant, an expired one after it. */
  readonly endsEarly: boolean;
  /** Since when a status other than Active has been in force at its date. */
  readonly closedSince: EpochMillis | undefined;
}

export interface Sweep {
  readonly granted: ReadonlySet<string>;
  /** Refused by a status so old that nothing else counts. */
  readonly barred: ReadonlySet<string>;
  readonly acknowledged: bigint;
}

/** Hands out `liquidity` (of `decimals`) over claims in (timestamp, identity) order. */
export function sweep(liquidity: bigint, decimals: number, claims: readonly Claim[]): Sweep {
  const granted = new Set<string>();
  const barred = new Set<string>();
  let acknowledged = 0n;
  const competing: Claim[] = [];
  for (const claim of claims) {
    if (isBarred(claim)) barred.add(claim.key);
    else if (claim.decimals !== decimals) continue;
    else if (claim.acknowledged) {
      acknowledged += claim.units;
      granted.add(claim.key);
    } else if (claim.closedSince === undefined) competing.push(claim);
  }
  handOut(liquidity - acknowledged, competing.sort(compareClaims), granted);
  return { granted, barred, acknowledged };
}

export function compareClaims(a: Claim, b: Claim): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1;
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}

/** Grants what fits at each claim's date. A hold that ended before that date no longer counts. */
function handOut(free: bigint, claims: readonly Claim[], granted: Set<string>): void {
  const holds = openHolds();
  for (const claim of claims) {
    const held = holds.heldAt(claim.timestamp);
    if (held + claim.units > free) continue;
    granted.add(claim.key);
    holds.add(claim);
  }
}

/** Running holds: a binary heap by end, so that each is looked at twice in all. */
function openHolds() {
  const heap: Claim[] = [];
  let held = 0n;

  function swap(i: number, j: number): void {
    const claim = heap[i] as Claim;
    heap[i] = heap[j] as Claim;
    heap[j] = claim;
  }

  function up(from: number): void {
    for (let child = from; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!endsBefore(heap[child], heap[parent])) return;
      swap(child, parent);
      child = parent;
    }
  }

  function down(): void {
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1;
      const right = left + 1;
      let first = parent;
      if (left < heap.length && endsBefore(heap[left], heap[first])) first = left;
      if (right < heap.length && endsBefore(heap[right], heap[first])) first = right;
      if (first === parent) return;
      swap(first, parent);
      parent = first;
    }
  }

  function pop(): void {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    heap[0] = last;
    down();
  }

  return {
    heldAt(instant: EpochMillis): bigint {
      for (let next = heap[0]; next !== undefined && hasEnded(next, instant); next = heap[0]) {
        held -= next.units;
        pop();
      }
      return held;
    },
    add(claim: Claim): void {
      held += claim.units;
      heap.push(claim);
      up(heap.length - 1);
    },
  };
}

function hasEnded(claim: Claim, instant: EpochMillis): boolean {
  return claim.endsEarly ? claim.endsAt <= instant : claim.endsAt < instant;
}

function endsBefore(a: Claim | undefined, b: Claim | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  if (a.endsAt !== b.endsAt) return a.endsAt < b.endsAt;
  return a.endsEarly && !b.endsEarly;
}

function isBarred(claim: Claim): boolean {
  return claim.closedSince !== undefined && claim.timestamp - claim.closedSince > BigInt(STATUS_FINAL_MS);
}
