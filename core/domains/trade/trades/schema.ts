/**
 * Trades: a reservation and the settlement it follows, joined when read. Source: OFS-2000; protocol 02 E.
 */

import type { Infer } from "../../../kernel/schema.ts";
import { option, struct } from "../../../kernel/schema-composites.ts";
import { enumeration } from "../../../kernel/schema-scalars.ts";
import { PublicReservation, Reservation } from "../reservations/schema.ts";
import { PublicSettlement, Settlement } from "../settlements/schema.ts";

/** Source: protocol 02 E.2. */
export const TradeStatus = enumeration(
  "EscrowLocked",
  "AwaitingPayment",
  "PaymentSubmitted",
  "Completed",
  "Rejected",
  "Cancelled",
  "Disputed",
);
export type TradeStatus = Infer<typeof TradeStatus>;

/** What a stranger may read. Source: protocol 02 E.1, K. */
export const PublicTrade = struct("PublicTrade", {
  reservation: PublicReservation,
  settlement: option(PublicSettlement),
  status: TradeStatus,
});
export type PublicTrade = Infer<typeof PublicTrade>;

/** What a proven party reads. Source: protocol 02 E.1. */
export const Trade = struct("Trade", { reservation: Reservation, settlement: option(Settlement) });
export type Trade = Infer<typeof Trade>;
