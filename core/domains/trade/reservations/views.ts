/**
 * What a reservation reads at an instant: its state needs the sweep's grant and the reader's clock.
 * Source: CONVERGENCE "Reservation", "Records and ids"; protocol 02 C.2.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { contenders, Statements } from "../../../engine/statements/table.ts";
import { known } from "../../../kernel/assert.ts";
import { firstOfEach } from "../../../kernel/ordered.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { compareStatements } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { entriesOf, recordsOf } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { EpochMillis, Identity } from "../../../kernel/values.ts";
import { BARRED, GRANTED } from "../advertisements/allocation.ts";
import { verdictOf } from "../advertisements/ledger.ts";
import { Ledgers } from "../advertisements/tables.ts";
import type { Followed } from "../settlements/queries.ts";
import { compareFollow } from "../settlements/queries.ts";
import { Settlements } from "../settlements/tables.ts";
import { receivedLateAt } from "./late.ts";
import { expiryOf } from "./queries.ts";
import type { Reservation, ReservationRequest, ReservationRow, ReservationState } from "./schema.ts";
import { Reservations } from "./tables.ts";

/** A pair's row and the request behind it. */
export interface ShownReservation {
  readonly row: ReservationRow;
  readonly request: Statement<ReservationRequest>;
}

/**
 * Settled, refused, under way, given up, or simply waiting: first line that applies. What the sweep says counts only
 * inside the request's window: past it, what others do later may change no answer. Source: CONVERGENCE B7.
 */
export function stateAt(
  row: ReservationRow,
  request: Statement<ReservationRequest>,
  granted: boolean,
  barred: boolean,
  now: EpochMillis,
): ReservationState {
  if (row.sold) return "Settled";
  const givenUp = row.cancelled_at !== null && !row.acknowledged;
  const expired = now > expiryOf(request);
  if (!expired && (barred || (!granted && !row.touched))) return "Cancelled";
  if (givenUp && !row.touched) return "Cancelled";
  if (row.settling) return "Settling";
  if (givenUp) return "Cancelled";
  return expired ? "Expired" : "EscrowLocked";
}

/** The full record at an instant. */
export function reservationAt(reader: Reader, { row, request }: ShownReservation, now: EpochMillis): Reservation {
  const verdict = verdictOf(reader.get(Ledgers, row.advertisement), request);
  const state = stateAt(row, request, verdict === GRANTED, verdict === BARRED, now);
  const { payload } = request;
  const expires = expiryOf(request);
  return {
    id: payload.id,
    advertisement_id: payload.advertisement_id,
    requester: payload.requester,
    requester_public_key: payload.requester_public_key,
    amount: payload.amount,
    agreed_price: payload.agreed_price,
    agreed_mid: payload.agreed_mid,
    state,
    requested_at: request.timestamp,
    updated_at: state === "Expired" ? expires : row.updated_at,
    expires_at: expires,
    received_at: receivedLateAt(reader, request.identity),
  };
}

/** The full record as a caller reads it. */
export function reservationRead(reader: Reader, shown: ShownReservation, viewer: Viewer): Reservation {
  const read = reservationAt(reader, shown, viewer.now);
  return ruleOf(viewer.configuration, reservationAsFolded)(read, reader, shown.row);
}

/** A reservation reads as it was folded. */
export function reservationAsFolded(read: Reservation, _reader: Reader, _row: ReservationRow): Reservation {
  return read;
}

/** The pair that a bare id shows: earned, then what is followed, then the smallest request, then the parent's. */
export function reservationById(reader: Reader, id: string): ShownReservation | undefined {
  const shown = contenders<ReservationRequest>(reader, "reservation", id)
    .filter((request) => request.payload.id === id)
    .flatMap((request) => reservationsOf(reader, request));
  return shown.sort((a, b) => compareShown(reader, a, b))[0];
}

/** Every reservation of one request, one for each advertisement in which it is valid. */
export function reservationsOf(reader: Reader, request: Statement<ReservationRequest>): readonly ShownReservation[] {
  return recordsOf(reader, Reservations, "request", request.identity).map((row) => ({ row, request }));
}

/** Every reservation, one for each id, in order of id. */
export function allReservations(reader: Reader): readonly ShownReservation[] {
  return firstOfEach(
    everyReservation(reader),
    ({ request }) => request.payload.id,
    (a, b) => compareShown(reader, a, b),
  );
}

/** The reservations that are somebody's, contested ids included, in order of id, then of their identities. */
export function reservationsWhere(
  reader: Reader,
  isOwn: (shown: ShownReservation) => boolean,
): readonly ShownReservation[] {
  const place = ({ row }: ShownReservation) => `${row.request}:${row.advertisement}`;
  return [...everyReservation(reader)]
    .filter(isOwn)
    .sort((a, b) => compareText(a.request.payload.id, b.request.payload.id) || compareText(place(a), place(b)));
}

function* everyReservation(reader: Reader): Generator<ShownReservation> {
  for (const [, row] of entriesOf(reader, Reservations)) {
    const request = reader.get(Statements, row.request) as Statement<ReservationRequest> | undefined;
    if (request !== undefined) yield { row, request };
  }
}

function compareShown(reader: Reader, a: ShownReservation, b: ShownReservation): number {
  const earned = (shown: ShownReservation) => shown.request.idForm === "earned";
  if (earned(a) !== earned(b)) return earned(a) ? -1 : 1;
  const [left, right] = [followedOf(reader, a), followedOf(reader, b)];
  if ((left === undefined) !== (right === undefined)) return left === undefined ? 1 : -1;
  const follow = left !== undefined && right !== undefined ? compareFollow(left, right) : 0;
  if (follow !== 0) return follow;
  const first = compareStatements(a.request, b.request);
  if (first !== 0) return first;
  const parent = (shown: ShownReservation) =>
    known(reader.get(Statements, shown.row.advertisement), "a row's advertisement");
  return compareStatements(parent(a), parent(b));
}

function followedOf(reader: Reader, { row }: ShownReservation): Followed | undefined {
  const settled = row.settlement === null ? undefined : reader.get(Settlements, row.settlement);
  return settled === undefined ? undefined : { identity: row.settlement as Identity, row: settled };
}
