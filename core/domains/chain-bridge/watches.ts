/**
 * Which escrows a node watches: those of every settlement it knows, whoever submitted what, so that the case of every
 * unresolved dispute is under watch. A final fact ends the watch, and where places are spent, that the settlement is
 * over and a new one comes; a restart takes all of them up again.
 * Source: protocol 03 A.10.3 R1, R2, R8.
 */

import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { latest } from "../../kernel/values.ts";
import type { ChainAddresses } from "../../solana/addresses.ts";
import { chainAddresses, devnetProfile, reservationNumber } from "../../solana/addresses.ts";
import { Disputes } from "../trade/disputes/tables.ts";
import { SEAL_AGE_MS } from "../trade/sealing/hours.ts";
import type { ChainFact, SettlementRow } from "../trade/settlements/schema.ts";
import { ChainFacts, Settlements } from "../trade/settlements/tables.ts";
import { hintsOf } from "./hints.ts";
import { monthOf, PendingFacts, Watches } from "./tables.ts";

/** Watched escrows at most, and how many places of these are for disputes and hints alone. Source: DESIGN L10. */
export const WATCHES_MAX = 100_000;
const RESERVED_PLACES = 10_000;
/** Pairs noted of one reservation number. Source: DESIGN L10. */
const PAIRS_MAX = 8;

/** How many months back an ended watch is looked for, where a new escrow needs its place. Source: DESIGN L10. */
const MONTHS_BACK = 128n;
/** Of so many of a month one is given up that nobody disputes. Source: DESIGN L10. */
const ENDED_LOOKED_AT = 16;

/** A reaction: watches the escrow of every settlement that this step brought. */
export function watchNewSettlements(context: StepContext): void {
  if (context.configuration.chain !== "RpcConnected") return;
  for (const { table, key, record } of context.draft.changes()) {
    if (table !== Settlements.name || record === undefined) continue;
    const row = context.draft.get(Settlements, key);
    if (row !== undefined) watchSettlement(context, row, row.signed_state === "Disputed");
  }
}

/** Watches everything that the store held: escrows in hand first, then disputes. */
export function watchFromStart(context: StepContext): void {
  if (context.configuration.chain !== "RpcConnected") return;
  for (const id of context.draft.keys(PendingFacts)) {
    const held = context.draft.get(PendingFacts, id);
    if (held !== undefined) watch(context, held.escrow, held.reservation, context.now);
  }
  const rows = [...context.draft.keys(Settlements)].flatMap((key) => context.draft.get(Settlements, key) ?? []);
  for (const disputed of [true, false]) {
    for (const row of rows) if ((row.signed_state === "Disputed") === disputed) watchSettlement(context, row, disputed);
  }
}

/** Watches what a tag names. A tag is a hint of what to watch and nothing more. */
export function watchHinted(context: StepContext, tag: string | null): void {
  if (tag === null || context.configuration.chain !== "RpcConnected") return;
  for (const hint of hintsOf(tag)) {
    const settlements =
      hint.about === "settlement"
        ? context.draft.find(Settlements, "id", hint.id)
        : context.draft
            .find(Disputes, "id", hint.id)
            .flatMap((key) => context.draft.get(Disputes, key)?.settlement ?? []);
    for (const identity of settlements) {
      const row = context.draft.get(Settlements, identity);
      const number = row === undefined ? undefined : numberOf(context, row);
      if (row === undefined || number === undefined) continue;
      if (hint.address !== null && hint.address !== addressesOf(context).disputeCase(number).address) continue;
      watchSettlement(context, row, true);
    }
    if (settlements.length > 0) return;
  }
}

/** Whether a settlement is known that a fact of this escrow names. Source: protocol 03 A.10.3 R1b. */
export function isNamed(context: StepContext, escrow: string, fact: ChainFact): boolean {
  const pairs = context.draft.get(Watches, escrow)?.pairs ?? [];
  return pairs.some((pair) =>
    context.draft.ordered(Settlements, "followed", pair).some((key) => {
      const row = context.draft.get(Settlements, key);
      const parties = row?.buyer_public_key === fact.buyer && row.seller_public_key === fact.seller;
      return parties && row.amount.base_units === fact.amount;
    }),
  );
}

/** Ends the watch on an escrow. */
export function unwatch(context: StepContext, escrow: string): void {
  if (context.draft.get(Watches, escrow) === undefined) return;
  context.draft.put(Watches, escrow, undefined);
  context.emit({ type: "chain.unwatch", address: escrow });
}

export function addressesOf(context: StepContext): ChainAddresses {
  return chainAddresses(context.crypto, {
    ...devnetProfile,
    escrowProgram: context.configuration.profile.escrowProgram,
  });
}

function watchSettlement(context: StepContext, row: SettlementRow, urgent: boolean): void {
  const number = numberOf(context, row);
  if (number === undefined) return;
  const [watched] = context.draft.find(Watches, "reservation", number.toString());
  if (watched !== undefined) return notePair(context, watched, row);
  if (isTerminal(context, number)) return;
  const places = urgent ? WATCHES_MAX : WATCHES_MAX - RESERVED_PLACES;
  const { address } = addressesOf(context).tradeEscrow(number);
  if (context.draft.size(Watches) >= places && !makeRoom(context, row)) {
    const fields = { escrow: address, limit: places };
    return context.emit({ type: "log", level: "warn", event: "escrow not watched: limit reached", fields });
  }
  watch(context, address, number, row.ends_at);
  notePair(context, address, row);
}

/** Where places are spent, one whose settlements are long over and undisputed leaves its own to one that is not. */
function makeRoom(context: StepContext, { ends_at }: SettlementRow): boolean {
  const month = monthOf(context.now - SEAL_AGE_MS);
  if (context.draft.endless === true || monthOf(ends_at) < month) return false;
  for (let back = 1n; back <= MONTHS_BACK; back++) {
    const ended = context.draft.find(Watches, "month", `${month - back}`, ENDED_LOOKED_AT);
    const over = ended.find((escrow) => !isDisputed(context, escrow));
    if (over === undefined) continue;
    unwatch(context, over);
    return true;
  }
  return false;
}

/** A case may be decided however long it takes: its escrow is watched until it is. */
function isDisputed({ draft }: StepContext, escrow: string): boolean {
  const keys = draft.get(Watches, escrow)?.pairs.flatMap((pair) => draft.ordered(Settlements, "followed", pair)) ?? [];
  return keys.some((key) => draft.get(Settlements, key)?.signed_state === "Disputed");
}

function notePair(context: StepContext, escrow: string, row: SettlementRow): void {
  const held = context.draft.get(Watches, escrow);
  if (held === undefined) return;
  const pair = `${row.advertisement}:${row.request}`;
  const isNoted = held.pairs.includes(pair) || held.pairs.length >= PAIRS_MAX;
  const ends_at = latest([held.ends_at, row.ends_at]);
  if (isNoted && ends_at === held.ends_at) return;
  context.draft.put(Watches, escrow, { ...held, pairs: isNoted ? held.pairs : [...held.pairs, pair], ends_at });
}

function watch(context: StepContext, address: string, reservation: bigint, ends_at: EpochMillis): void {
  if (context.draft.get(Watches, address) !== undefined) return;
  context.draft.put(Watches, address, { reservation, pairs: [], ends_at });
  context.emit({ type: "chain.watch", address, commitment: context.configuration.chainCommitment ?? "finalized" });
}

/** The on-chain number of a settlement's reservation, whichever of the request's names the initiate used. */
function numberOf(context: StepContext, row: SettlementRow): bigint | undefined {
  const request = context.draft.get(Statements, row.request);
  return reservationNumber(request?.type.idOf(request.payload as never) ?? row.reservation_id);
}

/** Whether the escrow was closed for good: a fact is known, and nothing can undo it. */
function isTerminal(context: StepContext, reservation: bigint): boolean {
  const number = reservation.toString();
  return (
    context.draft.find(ChainFacts, "reservation", number).length > 0 &&
    context.draft.find(PendingFacts, "reservation", number).length === 0
  );
}
