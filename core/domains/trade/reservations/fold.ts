/**
 * The reservation fold: one row for each pair in which a request is valid, following one settlement.
 * What is granted belongs to the advertisement's sweep; what is expired belongs to the reader's clock.
 * Source: CONVERGENCE "Reservation".
 */

import type { FoldUnit, Mark } from "../../../engine/statements/fold.ts";
import { amid, firstOwn } from "../../../engine/statements/own-statements.ts";
import { namesOf, parentsOf, Statements } from "../../../engine/statements/table.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { latest } from "../../../kernel/values.ts";
import type { AdvertisementCreate } from "../advertisements/schema.ts";
import type { Followed } from "../settlements/queries.ts";
import { followedOf, isMeant, isTouched, reachedBuyer } from "../settlements/queries.ts";
import { groupOf } from "../settlements/reservation-numbers.ts";
import type { SettlementRow } from "../settlements/schema.ts";
import { SettlementInitiate } from "../settlements/schema.ts";
import { isSoldByFact } from "../settlements/tables.ts";
import type { Pair } from "./queries.ts";
import { pairKey, pairsOf } from "./queries.ts";
import type { ReservationRow } from "./schema.ts";
import { ReservationCancel, ReservationRequest } from "./schema.ts";
import { Reservations } from "./tables.ts";

/** Folds all pairs of a request marked by its identity, or one pair marked by its key. */
export const reservationFold: FoldUnit = {
  name: "reservation",
  touches: {
    [ReservationRequest.name]: markRequest,
    [ReservationCancel.name](draft, statement, mark) {
      for (const request of parentsOf<ReservationRequest>(draft, statement)) mark("reservation", request.identity);
    },
  },
  refold(draft, key, mark) {
    const [first = "", second] = key.split(":");
    const request = draft.get(Statements, second ?? first) as Statement<ReservationRequest> | undefined;
    if (request === undefined) return;
    if (second === undefined) return refoldRequest(draft, request, mark);
    const advertisement = draft.get(Statements, first) as Statement<AdvertisementCreate> | undefined;
    if (advertisement !== undefined) refoldPair(draft, { advertisement, request }, mark);
  },
};

/** All pairs of a request; what it is tried in no more, for its name is contested now, it leaves. */
function refoldRequest(draft: Draft, request: Statement<ReservationRequest>, mark: Mark): void {
  const pairs = pairsOf(draft, request);
  const keys = new Set(pairs.map(pairKey));
  for (const key of draft.find(Reservations, "request", request.identity)) {
    if (keys.has(key)) continue;
    draft.put(Reservations, key, undefined);
    mark("advertisement", key);
  }
  for (const pair of pairs) refoldPair(draft, pair, mark);
}

/** Marks what was said about a request before it was in the set, by people with whom it has to do. */
function markRequest(draft: Draft, statement: Statement, mark: Mark): void {
  const request = statement as Statement<ReservationRequest>;
  if (request.idForm === "void") return;
  mark("reservation", request.identity);
  for (const name of namesOf(request)) {
    for (const { payload } of amid<SettlementInitiate>(draft, name, request.signer, SettlementInitiate))
      mark("settlement", groupOf(request.payload.id, payload.buyer, payload.seller));
  }
}

function refoldPair(draft: Draft, pair: Pair, mark: Mark): void {
  const key = pairKey(pair);
  const row = rowOf(draft, pair);
  const held = draft.get(Reservations, key);
  if (held !== undefined && sameRow(held, row)) return;
  draft.put(Reservations, key, row);
  mark("advertisement", key);
}

function rowOf(reader: Reader, pair: Pair): ReservationRow {
  const key = pairKey(pair);
  const followed = followedOf(reader, key);
  const cancel = cancelOf(reader, pair.request);
  const sells = pair.advertisement.payload.direction === "Sell";
  const returned = followed !== undefined && wasReturned(followed.row);
  const touched = isTouched(reader, key);
  const acknowledged = followed !== undefined && !returned && acknowledges(reader, followed, sells);
  const cancelCounts = cancel !== undefined && !touched && !acknowledged;
  return {
    advertisement: pair.advertisement.identity,
    request: pair.request.identity,
    settlement: followed?.identity ?? null,
    sold: followed !== undefined && !returned && (isSoldByFact(followed.row) || followed.row.approved),
    acknowledged,
    touched,
    settling: followed !== undefined && isSettling(followed.row),
    abandoned: followed !== undefined && merchantAbandoned(followed.row, sells),
    settles_until: followed !== undefined && isSettling(followed.row) ? followed.row.ends_at : null,
    returned,
    cancelled_at: cancel?.timestamp ?? null,
    updated_at: latest([
      pair.request.timestamp,
      ...(cancelCounts ? [cancel.timestamp] : []),
      ...(followed === undefined ? [] : turns(followed.row)),
    ]),
  };
}

/** The requester's earliest cancel. */
export function cancelOf(reader: Reader, request: Statement): Statement | undefined {
  return firstOwn(reader, request, request.signer, ReservationCancel);
}

function turns(row: SettlementRow): readonly EpochMillis[] {
  return row.turned_at === null ? [row.created_at] : [row.created_at, row.turned_at];
}

function isSettling(row: SettlementRow): boolean {
  return row.state === "AwaitingPayment" || row.state === "PaymentSubmitted" || row.state === "Disputed";
}

function wasReturned(row: SettlementRow): boolean {
  return row.decided && !reachedBuyer(row.resolution);
}

/**
 * The merchant approved it and no namesake of it; or on Buy initiated, and neither cancelled nor was rejected, nor was
 * given up by the seller while no payment stood; or a fact sold it. Source: CONVERGENCE "Allocation".
 */
function acknowledges(reader: Reader, followed: Followed, sells: boolean): boolean {
  const { row } = followed;
  if (row.released) return true;
  if (sells) return row.approved && isMeant(reader, followed);
  const isGivenUp = row.cancelled_by_seller && row.payment_submitted_at === null;
  return row.approved || !(row.cancelled_by_buyer || row.rejected || isGivenUp);
}

function merchantAbandoned(row: SettlementRow, sells: boolean): boolean {
  return sells ? row.cancelled_by_seller || row.reject_signed : row.cancelled_by_buyer;
}

function sameRow(a: ReservationRow, b: ReservationRow): boolean {
  return Object.keys(a).every((key) => a[key as keyof ReservationRow] === b[key as keyof ReservationRow]);
}
