/**
 * An advertisement's ledger: its claims in canonical order, which of them are granted, and what that sums
 * up to. A change sweeps again from its own date, and stops where nothing that differs is held any more;
 * a claim that comes in order costs nothing but itself.
 * Source: CONVERGENCE "Allocation", "Availability".
 */

import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import type { Claim, Closing } from "./allocation.ts";
import { BARRED, CROWDED, closedAt, compareClaims, GRANTED, isBarred, REFUSED, WINDOW_MS } from "./allocation.ts";
import type { Block, Place } from "./blocks.ts";
import { claimAt, placeOf, withChanges } from "./blocks.ts";
import type { Holds } from "./holds.ts";
import { holdsBefore, noHolds, resumeHolds } from "./holds.ts";

/** What is handed out, and when the merchant stopped handing out. */
export interface Supply {
  readonly units: bigint;
  readonly decimals: number;
  /** In order of time; from each on, requests are refused, or taken again. */
  readonly closings: readonly Closing[];
}

/** Immutable; `withClaims` makes the next one. */
export interface Ledger {
  readonly supply: Supply;
  readonly blocks: readonly Block[];
  /** What is held after the last claim, so that the next one in order need not look back. */
  readonly tail: Holds;
  readonly sums: Sums;
  /** At least as much as unacknowledged claims ever held at once: while there is room for it, nobody competes. */
  readonly peak: bigint;
}

/** Sums over granted claims. */
export interface Sums {
  /** Units that acknowledged claims hold. */
  readonly acknowledged: bigint;
  /** Units that hold whatever the hour. */
  readonly lasting: bigint;
  /** How many claims were refused for want of room. */
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
  readonly before: Claim | undefined;
  readonly claim: Claim;
  readonly was: number;
  readonly is: number;
}

export function emptyLedger(supply: Supply): Ledger {
  return { supply, blocks: [], tail: noHolds, sums: NO_SUMS, peak: 0n };
}

/** The ledger with claims added or changed. A claim keeps its place for ever, since its request does. */
export function withClaims(held: Ledger, supply: Supply, changed: readonly Claim[]): Ledger {
  const old = new Map<string, Claim | undefined>();
  for (const claim of changed) old.set(claim.identity, claimAt(held.blocks, claim)?.claim);
  const blocks = withChanges(held.blocks, changed);
  const turnsAt = firstDifference(held.supply.closings, supply.closings);
  const acknowledged = acknowledgedAfter(held, supply, changed, old, turnsAt);
  const free = supply.units - acknowledged;
  const roomy = acknowledged === held.sums.acknowledged || (held.sums.crowded === 0 && held.peak <= free);
  const same = turnsAt === undefined && roomy;
  const first = [...changed, ...(turnsAt === undefined ? [] : [{ timestamp: turnsAt, identity: "" }])].sort(
    compareClaims,
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

/** Base units that granted claims hold at an instant. */
export function heldUnits({ blocks, sums }: Ledger, now: EpochMillis): bigint {
  let held = sums.lasting;
  const since = placeOf(blocks, { timestamp: (now - BigInt(WINDOW_MS)) as EpochMillis, identity: "" });
  for (let index = since.block; index < blocks.length; index++) {
    const { claims, verdicts } = blocks[index] as Block;
    for (let offset = index === since.block ? since.offset : 0; offset < claims.length; offset++) {
      const claim = claims[offset] as Claim;
      if (verdicts[offset] === GRANTED && claim.holds === "for its window") held += claim.units;
    }
  }
  return held;
}

/** What the sweep said of a request: REFUSED, GRANTED or BARRED. */
export function verdictOf(ledger: Ledger | undefined, request: Pick<Claim, "timestamp" | "identity">): number {
  return ledger === undefined ? REFUSED : (claimAt(ledger.blocks, request)?.verdict ?? REFUSED);
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

function follows(blocks: readonly Block[], claim: Pick<Claim, "timestamp" | "identity">): boolean {
  const last = blocks.at(-1)?.claims.at(-1);
  return last === undefined || compareClaims(last, claim) < 0;
}

/** Units of acknowledged claims that no final closing bars. */
function acknowledgedAfter(
  held: Ledger,
  supply: Supply,
  changed: readonly Claim[],
  old: ReadonlyMap<string, Claim | undefined>,
  turnsAt: EpochMillis | undefined,
): bigint {
  const units = (claim: Claim | undefined, { closings, decimals }: Supply): bigint => {
    if (claim === undefined || !claim.acknowledged || claim.decimals !== decimals) return 0n;
    return isBarred(claim, closedAt(closings, claim.timestamp)) ? 0n : claim.units;
  };
  let sum = held.sums.acknowledged;
  if (turnsAt !== undefined) {
    const from = placeOf(held.blocks, { timestamp: turnsAt, identity: "" });
    for (const { claims } of held.blocks.slice(from.block)) {
      for (const claim of claims) sum += units(claim, supply) - units(claim, held.supply);
    }
  }
  for (const claim of changed) sum += units(claim, supply) - units(old.get(claim.identity), supply);
  return sum;
}

/** Hands out again from a place on; stops once nothing that differs can be felt, unless the supply differs. */
function resweep(
  blocks: readonly Block[],
  supply: Supply,
  free: bigint,
  from: Place,
  old: ReadonlyMap<string, Claim | undefined>,
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
    const { claims, verdicts } = blocks[index] as Block;
    const said = [...verdicts];
    next[index] = { claims, verdicts: said };
    for (let offset = index === from.block ? from.offset : 0; offset < claims.length; offset++) {
      const claim = claims[offset] as Claim;
      if (mayStop && unseen === 0 && claim.timestamp > feltUntil) {
        return { blocks: next, turned, peak, tail: holdsBefore(next, { block: next.length, offset: 0 }) };
      }
      const changed = old.has(claim.identity);
      const before = changed ? old.get(claim.identity) : claim;
      if (changed) unseen -= 1;
      const was = before === undefined ? REFUSED : (verdicts[offset] ?? REFUSED);
      const heldNow = running.heldAt(claim.timestamp);
      const is = verdictAt(claim, supply, free, heldNow);
      said[offset] = is;
      if (is === GRANTED) running.add(claim);
      if (is === GRANTED && heldNow + claim.units > peak) peak = heldNow + claim.units;
      if (is === was && before === claim) continue;
      turned.push({ before, claim, was, is });
      for (const end of [claim.endsAt, before?.endsAt ?? 0n]) if (end > feltUntil) feltUntil = end;
    }
  }
  return { blocks: next, turned, peak, tail: running.state() };
}

function verdictAt(claim: Claim, supply: Supply, free: bigint, held: bigint): number {
  const closed = supply.closings.length === 0 ? undefined : closedAt(supply.closings, claim.timestamp);
  if (isBarred(claim, closed)) return BARRED;
  if (claim.decimals !== supply.decimals) return REFUSED;
  if (claim.acknowledged) return GRANTED;
  if (closed !== undefined) return REFUSED;
  return held + claim.units <= free ? GRANTED : CROWDED;
}

/** The sums, changed by what turned. */
function sumsAfter(sums: Sums, turned: readonly Turned[], blocks: readonly Block[]): Sums {
  let { acknowledged, lasting, crowded, granted, digest, latest: newest } = sums;
  let lostNewest = false;
  const count = (claim: Claim, sign: 1n | -1n): void => {
    granted += sign;
    digest += sign * BigInt(`0x${claim.identity}`);
    if (claim.acknowledged) acknowledged += sign * claim.units;
    if (claim.holds === "for ever") lasting += sign * claim.units;
    const date = dateOf(claim);
    if (sign === 1n && date > newest) newest = date;
    if (sign === -1n && date >= newest) lostNewest = true;
  };
  for (const { before, claim, was, is } of turned) {
    if (was === CROWDED) crowded -= 1;
    if (is === CROWDED) crowded += 1;
    if (was === GRANTED && before !== undefined) count(before, -1n);
    if (is === GRANTED) count(claim, 1n);
  }
  if (lostNewest) newest = newestDate(blocks);
  return { acknowledged, lasting, crowded, granted, digest: digest & DIGEST_MASK, latest: newest };
}

function newestDate(blocks: readonly Block[]): EpochMillis {
  return latest(
    blocks.flatMap(({ claims, verdicts }) => claims.filter((_, offset) => verdicts[offset] === GRANTED).map(dateOf)),
  );
}

function dateOf(claim: Claim): EpochMillis {
  return claim.endsEarly && claim.endsAt > claim.timestamp ? claim.endsAt : claim.timestamp;
}
