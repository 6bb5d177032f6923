/**
 * The reference's reservations. Source: protocol 02 C.
 */

import { noteChanges } from "../domains/trade/reservations/domain.ts";
import {
  amountCompared,
  isNearCurrentRate,
  isSoldOut,
  isTimelyEnough,
  OwnReservationsAnswer,
  ReservationAnswer,
  ReservationsAnswer,
} from "../domains/trade/reservations/methods.ts";
import type { Reservation, ReservationRow } from "../domains/trade/reservations/schema.ts";
import { FiledReservation, PublicReservation } from "../domains/trade/reservations/schema.ts";
import { reservationAsFolded } from "../domains/trade/reservations/views.ts";
import type { SettlementState } from "../domains/trade/settlements/schema.ts";
import { Settlements } from "../domains/trade/settlements/tables.ts";
import { OwnTradesAnswer, TradeAnswer, TradesAnswer } from "../domains/trade/trades/methods.ts";
import { PublicTrade, Trade } from "../domains/trade/trades/schema.ts";
import { CLOCK_SKEW_MS_MAX } from "../engine/admission/ingress.ts";
import { override, overrideResult } from "../engine/overrides.ts";
import { listOrPage } from "../engine/pages.ts";
import { list, option, struct } from "../kernel/schema-composites.ts";
import type { Reader } from "../kernel/table.ts";
import { latest } from "../kernel/values.ts";
import { noteParityTimestamps, settlementTouchedAt } from "./parity-timestamps.ts";
import { isUndecided } from "./settlements.ts";
import { unreservedSettlements } from "./unreserved-settlements.ts";

/** What a stranger may read without the member that is ours. Source: protocol 02 C.2. */
const { received_at: _, ...shownFields } = PublicReservation.fields;
const ReferencePublicReservation = struct("ReferencePublicReservation", shownFields);
/** The same of trades. Source: protocol 02 E.1. */
const ReferencePublicTrade = struct("ReferencePublicTrade", {
  ...PublicTrade.fields,
  reservation: ReferencePublicReservation,
});
const ReferenceTrade = struct("ReferenceTrade", { ...Trade.fields, reservation: FiledReservation });

export const reservationOverrides = [
  /** The one bound on a date: not ahead of this node's clock. Source: protocol 02 C.4 row 6. */
  override(isTimelyEnough, ({ now }, { timestamp }) => timestamp <= now + BigInt(CLOCK_SKEW_MS_MAX)),
  /** What is sold out is not Active, and answers as that does. Source: protocol 02 C.4 row 7. */
  override(isSoldOut, () => false),
  /** Terms compare units alone. Source: protocol 02 C.4. */
  override(amountCompared, ({ base_units }, { min_trade }) => ({ base_units, decimals: min_trade.decimals })),
  /** No rate of this node is asked. Source: protocol 02 C.4, O.12. */
  override(isNearCurrentRate, () => true),
  /** A reservation follows its settlement by this node's clock. Source: protocol 02 C.2, O.10; 03 W-3. */
  override(reservationAsFolded, reservationAsShown),
  override(noteChanges, noteParityTimestamps),
  /** Without the member that is ours. Source: protocol 02 C.2, E.1. */
  overrideResult(ReservationAnswer, option(ReferencePublicReservation)),
  overrideResult(ReservationsAnswer, listOrPage("ReservationPage", "reservations", ReferencePublicReservation)),
  overrideResult(OwnReservationsAnswer, list(FiledReservation)),
  overrideResult(TradeAnswer, option(ReferencePublicTrade)),
  overrideResult(TradesAnswer, listOrPage("TradePage", "trades", ReferencePublicTrade)),
  overrideResult(OwnTradesAnswer, list(ReferenceTrade)),
];

function reservationAsShown(read: Reservation, reader: Reader, row: ReservationRow): Reservation {
  const followed = row.settlement === null ? undefined : reader.get(Settlements, row.settlement);
  const state = followed !== undefined && isUndecided(followed) ? "Settling" : read.state;
  const touched = settlementTouchedAt(reader, `${row.advertisement}:${row.request}`);
  const updated = state === "Cancelled" || state === "Expired" || touched === 0n ? read.updated_at : touched;
  const beside = row.settlement === null ? besideOf(reader, read) : undefined;
  if (beside === undefined || state === "Cancelled") return { ...read, state, updated_at: updated };
  return { ...read, ...beside, updated_at: latest([updated, beside.updated_at]) };
}

/** A settlement that the reservation follows though it does not fit it, begun while the reservation waited. */
function besideOf(reader: Reader, { id, requested_at, expires_at }: Reservation) {
  const rows = unreservedSettlements(reader).flatMap(({ row }) => (row.reservation_id === id ? [row] : []));
  const followed = rows.filter(
    ({ created_at, state }) => created_at >= requested_at && created_at <= expires_at && !isGivenBack(state),
  );
  const settled = followed.find(({ approved, state }) => approved || state === "Completed");
  if (settled !== undefined) return { state: "Settled" as const, updated_at: settled.updated_at };
  return followed[0] && { state: "Settling" as const, updated_at: followed[0].updated_at };
}

/** Whether the reservation behind a settlement waits again. Source: protocol 02 C.5, D.5. */
function isGivenBack(state: SettlementState): boolean {
  return state === "Rejected" || state === "Cancelled";
}
