/**
 * An advertisement's ledger: its allocations in canonical order, which of them are granted, and what that sums
 * up to. A change sweeps again from its own date, and stops where nothing that differs is held any more;
 * an allocation that comes in order costs nothing but itself.
 * Source: CONVERGENCE "Allocation", "Availability".
 */

import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import type { Allocation, Closing } from "./allocation.ts";
import { BARRED, CROWDED, closedAt, compareAllocations, GRANTED, isBarred, REFUSED, WINDOW_MS } from "./allocation.ts";
import type { Block, Place } from "./blocks.ts";
import { allocationAt, placeOf, withChanges } from "./blocks.ts";
import type { Holds } from "./holds.ts";
import { holdsBefore, noHolds, resumeHolds } from "./holds.ts";
import type { Offer } from "./offer.ts";
import { isOffered, offersDifferFrom } from "./offer.ts";

/** What is handed out, and when the merchant stopped handing out. */
export interface Supply {
  readonly units: bigint;
  readonly decimals: number;
  /** In order of time; from each on, requests are refused, or taken again. */
  readonly closings: readonly Closing[];
  /** What was asked for, and agreed to. */
  readonly offer: Offer;
}

/** Immutable; `withAllocations` makes the next one. */
export interface Ledger {
  readonly supply: Supply;
  readonly blocks: readonly Block[];
  /** What is held after the last allocation, so that the next one in order need not look back. */
  readonly tail: Holds;
  readonly sums: Sums;
  /** At least as much as unacknowledged allocations ever held at once: while there is room for it, nobody competes. */
  readonly peak: bigint;
}

/** Sums over granted allocations. */
export interface Sums {
  /** Units that acknowledged allocations hold. */
  readonly acknowledged: bigint;
  /** Units that hold whatever the hour. */
  readonly lasting: bigint;
  /** How many allocations were refused for want of room. */
  readonly crowded: number;
  readonly granted: bigint;
  /** Order-free: the sum of the requests' identities, which are hashes already. */
  readonly digest: bigint;
  /** The newest date among grants and their early ends. */
  readonly latest: EpochMillis;
}

const DIGEST_MASK = (1n << 256n) - 1n;
const NO_SUMS: Sums = { acknowledged: 0n, lasting: 0n, crowded: 0, granted: 0n, digest: 0n, latest: 0n as EpochMillis };

/** What became of one place. */
interface Turned {
  readonly before: Allocation | undefined;
  readonly allocation: Allocation;
  readonly was: number;
  readonly is: number;
}

export function emptyLedger(supply: Supply): Ledger {
  return { supply, blocks: [], tail: noHolds, sums: NO_SUMS, peak: 0n };
}

/** The ledger with allocations added or changed. An allocation keeps its place for ever, since its request does. */
export function withAllocations(held: Ledger, supply: Supply, changed: readonly Allocation[]): Ledger {
  const old = new Map<string, Allocation | undefined>();
  for (const allocation of changed) old.set(allocation.identity, allocationAt(held.blocks, allocation)?.allocation);
  const blocks = withChanges(held.blocks, changed);
  const turnsAt = earlier(
    firstDifference(held.supply.closings, supply.closings),
    offersDifferFrom(held.supply.offer, supply.offer),
  );
  if (turnsAt === undefined && changed.every((each) => isFeltByNone(old.get(each.identity), each))) {
    const turned = changed.map((each) => unturned(held.blocks, old.get(each.identity), each));
    return { ...held, supply, blocks, sums: sumsAfter(held.sums, turned, blocks) };
  }
  const acknowledged = acknowledgedAfter(held, supply, changed, old, turnsAt);
  const free = supply.units - acknowledged;
  const roomy = acknowledged === held.sums.acknowledged || (held.sums.crowded === 0 && held.peak <= free);
  const same = turnsAt === undefined && roomy;
  const first = [...changed, ...(turnsAt === undefined ? [] : [{ timestamp: turnsAt, identity: "" }])].sort(
    compareAllocations,
  )[0];
  if (first === undefined) return { ...held, supply };
  const everything = !roomy;
  const from = everything ? { block: 0, offset: 0 } : placeOf(blocks, first);
  const inOrder = !everything && follows(held.blocks, first);
  const swept = resweep(blocks, supply, free, from, old, same, inOrder ? held.tail : undefined);
  const sums = sumsAfter(held.sums, swept.turned, swept.blocks);
  const peak = everything || swept.peak > held.peak ? swept.peak : held.peak;
  return { supply, blocks: swept.blocks, tail: swept.tail, sums, peak };
}

/** Whether an allocation changed in nothing that the sweep looks at: only how long it holds once its window is over. */
function isFeltByNone(before: Allocation | undefined, after: Allocation): boolean {
  if (before === undefined || before.endsEarly || after.endsEarly) return false;
  return before.acknowledged === after.acknowledged;
}

function unturned(blocks: readonly Block[], before: Allocation | undefined, allocation: Allocation): Turned {
  const verdict = allocationAt(blocks, allocation)?.verdict ?? REFUSED;
  return { before, allocation, was: verdict, is: verdict };
}

/**
 * Base units that are held at an instant: by what was granted, and, once its window is over, by what settles, for the
 * sweep counts only inside a window. Source: CONVERGENCE "Availability", B7.
 */
export function heldUnits({ blocks, sums, supply }: Ledger, now: EpochMillis): bigint {
  const since = placeOf(blocks, { timestamp: (now - BigInt(WINDOW_MS)) as EpochMillis, identity: "" });
  let held = sums.lasting + settlingUnits(blocks, since, supply.decimals, now);
  for (let index = since.block; index < blocks.length; index++) {
    const { allocations, verdicts } = blocks[index] as Block;
    for (let offset = index === since.block ? since.offset : 0; offset < allocations.length; offset++) {
      const allocation = allocations[offset] as Allocation;
      if (verdicts[offset] !== GRANTED) continue;
      if (allocation.holds === "for its window" || allocation.holds === "while it settles") held += allocation.units;
    }
  }
  return held;
}

/** What settles before a place, in the decimals that are handed out; blocks of which nothing does are passed by. */
function settlingUnits(blocks: readonly Block[], until: Place, decimals: number, now: EpochMillis): bigint {
  let held = 0n;
  for (let index = 0; index <= until.block; index++) {
    const block = blocks[index];
    if (block === undefined || block.settlesUntil < now) continue;
    for (const allocation of block.allocations.slice(0, index < until.block ? undefined : until.offset)) {
      if (allocation.holds !== "while it settles" || allocation.decimals !== decimals) continue;
      if (allocation.settlesUntil >= now) held += allocation.units;
    }
  }
  return held;
}

/** What the sweep said of a request: REFUSED, GRANTED or BARRED. */
export function verdictOf(ledger: Ledger | undefined, request: Pick<Allocation, "timestamp" | "identity">): number {
  return ledger === undefined ? REFUSED : (allocationAt(ledger.blocks, request)?.verdict ?? REFUSED);
}

/** From when on two timelines differ. Terms of one advertisement's supply beside its closings never change. */
function firstDifference(before: readonly Closing[], after: readonly Closing[]): EpochMillis | undefined {
  if (before === after) return undefined;
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [before[index], after[index]];
    if (a?.from === b?.from && a?.closedSince === b?.closedSince) continue;
    if (a === undefined || b === undefined) return (a ?? b)?.from;
    return a.from < b.from ? a.from : b.from;
  }
  return undefined;
}

function earlier(a: EpochMillis | undefined, b: EpochMillis | undefined): EpochMillis | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

function follows(blocks: readonly Block[], allocation: Pick<Allocation, "timestamp" | "identity">): boolean {
  const last = blocks.at(-1)?.allocations.at(-1);
  return last === undefined || compareAllocations(last, allocation) < 0;
}

/** Units of acknowledged allocations that no final closing bars. */
function acknowledgedAfter(
  held: Ledger,
  supply: Supply,
  changed: readonly Allocation[],
  old: ReadonlyMap<string, Allocation | undefined>,
  turnsAt: EpochMillis | undefined,
): bigint {
  const units = (allocation: Allocation | undefined, { closings, decimals }: Supply): bigint => {
    if (allocation === undefined || !allocation.acknowledged || allocation.decimals !== decimals) return 0n;
    return isBarred(allocation, closedAt(closings, allocation.timestamp)) ? 0n : allocation.units;
  };
  let sum = held.sums.acknowledged;
  if (turnsAt !== undefined) {
    const from = placeOf(held.blocks, { timestamp: turnsAt, identity: "" });
    for (const { allocations } of held.blocks.slice(from.block)) {
      for (const allocation of allocations) sum += units(allocation, supply) - units(allocation, held.supply);
    }
  }
  for (const allocation of changed) sum += units(allocation, supply) - units(old.get(allocation.identity), supply);
  return sum;
}

/** Hands out again from a place on; stops once nothing that differs can be felt, unless the supply differs. */
function resweep(
  blocks: readonly Block[],
  supply: Supply,
  free: bigint,
  from: Place,
  old: ReadonlyMap<string, Allocation | undefined>,
  mayStop: boolean,
  tail: Holds | undefined,
) {
  const next = [...blocks];
  const turned: Turned[] = [];
  const running = resumeHolds(next, tail ?? holdsBefore(blocks, from));
  let unseen = old.size;
  let feltUntil = 0n;
  let peak = 0n;
  for (let index = from.block; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    const { allocations, verdicts } = block;
    const updated = [...verdicts];
    next[index] = { ...block, verdicts: updated };
    for (let offset = index === from.block ? from.offset : 0; offset < allocations.length; offset++) {
      const allocation = allocations[offset] as Allocation;
      if (mayStop && unseen === 0 && allocation.timestamp > feltUntil) {
        return { blocks: next, turned, peak, tail: holdsBefore(next, { block: next.length, offset: 0 }) };
      }
      const changed = old.has(allocation.identity);
      const before = changed ? old.get(allocation.identity) : allocation;
      if (changed) unseen -= 1;
      const was = before === undefined ? REFUSED : (verdicts[offset] ?? REFUSED);
      const heldNow = running.heldAt(allocation.timestamp);
      const is = verdictAt(allocation, supply, free, heldNow);
      updated[offset] = is;
      if (is === GRANTED) running.add(allocation);
      if (is === GRANTED && heldNow + allocation.units > peak) peak = heldNow + allocation.units;
      if (is === was && before === allocation) continue;
      turned.push({ before, allocation, was, is });
      for (const end of [allocation.endsAt, before?.endsAt ?? 0n]) if (end > feltUntil) feltUntil = end;
    }
  }
  return { blocks: next, turned, peak, tail: running.state() };
}

function verdictAt(allocation: Allocation, supply: Supply, free: bigint, held: bigint): number {
  const closed = supply.closings.length === 0 ? undefined : closedAt(supply.closings, allocation.timestamp);
  if (isBarred(allocation, closed)) return BARRED;
  if (allocation.decimals !== supply.decimals) return REFUSED;
  if (allocation.acknowledged) return GRANTED;
  if (closed !== undefined || !isOffered(supply.offer, allocation)) return REFUSED;
  return held + allocation.units <= free ? GRANTED : CROWDED;
}

/** The sums, changed by what turned. */
function sumsAfter(sums: Sums, turned: readonly Turned[], blocks: readonly Block[]): Sums {
  let { acknowledged, lasting, crowded, granted, digest, latest: newest } = sums;
  const [last, lost, came] = [newest, [] as EpochMillis[], [] as EpochMillis[]];
  const count = (allocation: Allocation, sign: 1n | -1n): void => {
    granted += sign;
    digest += sign * BigInt(`0x${allocation.identity}`);
    if (allocation.acknowledged) acknowledged += sign * allocation.units;
    if (allocation.holds === "for ever") lasting += sign * allocation.units;
    (sign === 1n ? came : lost).push(dateOf(allocation));
  };
  for (const { before, allocation, was, is } of turned) {
    if (was === CROWDED) crowded -= 1;
    if (is === CROWDED) crowded += 1;
    if (was === GRANTED && before !== undefined) count(before, -1n);
    if (is === GRANTED) count(allocation, 1n);
  }
  newest = latest([last, ...came]);
  // All are looked through only where the newest went and none as new came in its place.
  if (lost.some((date) => date >= last) && !came.some((date) => date >= last)) newest = newestDate(blocks);
  return { acknowledged, lasting, crowded, granted, digest: digest & DIGEST_MASK, latest: newest };
}

function newestDate(blocks: readonly Block[]): EpochMillis {
  return latest(
    blocks.flatMap(({ allocations, verdicts }) =>
      allocations.filter((_, offset) => verdicts[offset] === GRANTED).map(dateOf),
    ),
  );
}

function dateOf(allocation: Allocation): EpochMillis {
  return allocation.endsEarly && allocation.endsAt > allocation.timestamp ? allocation.endsAt : allocation.timestamp;
}
