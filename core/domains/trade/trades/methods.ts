/**
 * Trade methods: read-only joins, and with whom a wallet has traded. Source: OFS-2000; protocol 02 E; 03 B.2.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import { idParams, query } from "../../../engine/method.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { listedAs, listOrPage, pageParams } from "../../../engine/pages.ts";
import { ok } from "../../../kernel/result.ts";
import { list, option } from "../../../kernel/schema-composites.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { PeerId } from "../../../kernel/values.ts";
import { proven } from "../../wallet-proofs/proven.ts";
import type { Reservation } from "../reservations/schema.ts";
import { PublicReservation } from "../reservations/schema.ts";
import type { ShownReservation } from "../reservations/views.ts";
import { allReservations, reservationById, reservationRead, reservationsWhere } from "../reservations/views.ts";
import type { SettlementRow } from "../settlements/schema.ts";
import { PublicSettlement } from "../settlements/schema.ts";
import { Settlements } from "../settlements/tables.ts";
import { settlementRead, settlementsOfParty, withUnfolded } from "../settlements/views.ts";
import { Counterparty, counterpartiesOf } from "./counterparties.ts";
import type { TradeStatus } from "./schema.ts";
import { PublicTrade, Trade } from "./schema.ts";

interface Joined {
  readonly reservation: Reservation;
  readonly settlement: SettlementRow | null;
}

/** What the three reads answer. Source: protocol 02 E.1. */
export const TradeAnswer = option(PublicTrade);
export const TradesAnswer = listOrPage("TradePage", "trades", PublicTrade);
export const OwnTradesAnswer = list(Trade);

export const tradeMethods = {
  getTrade: query({
    params: idParams,
    about: "reservation",
    result: TradeAnswer,
    source: "OFS-8200 §6; protocol 02 E.1",
    doc: "One trade by its reservation id, without people; null when the id is unknown.",
    read(reader, { id }, context) {
      const shown = reservationById(reader, id);
      return shown === undefined ? null : publicTrade(joined(reader, shown, context));
    },
  }),
  getTrades: query({
    params: pageParams,
    need: "paged",
    result: TradesAnswer,
    source: "OFS-8200 §6; protocol 02 E.1",
    doc: "Lists trades without people, in order of reservation id, or with `page` one page of them.",
    read: (reader, { page }, context) =>
      listedAs("trades", allReservations(reader), page, {
        idOf: ({ request }) => request.payload.id,
        viewOf: (shown) => publicTrade(joined(reader, shown, context)),
      }),
  }),
  getMyTrades: proven({
    domain: "openfiat-my-trades",
    result: OwnTradesAnswer,
    source: "OFS-8200 §7; protocol 02 E.1",
    doc: "The trades of which the proven wallet is requester, buyer or seller, in full.",
    run: (context, wallet) => ok(tradesOf(context.draft, wallet, context)),
  }),
  getCounterparties: proven({
    domain: "openfiat-counterparties",
    challenge: "getCounterpartiesChallenge",
    result: list(Counterparty),
    source: "OFS-8200 §7; protocol 03 B.2",
    doc: "With whom the proven wallet has traded, and how it went, the one most traded with first.",
    run(context, wallet) {
      const folded = settlementsOfParty(context.draft, wallet);
      const isOwn = ({ buyer, seller }: SettlementRow) => buyer === wallet || seller === wallet;
      return ok(counterpartiesOf(context.draft, wallet, withUnfolded(context.draft, folded, context, isOwn)));
    },
  }),
};

/** A settlement decides the status first. Source: protocol 02 E.2. */
export function tradeStatus({ reservation, settlement }: Joined): TradeStatus {
  if (settlement !== null) return settlement.state === "Approved" ? "Completed" : settlement.state;
  if (reservation.state === "Settled") return "Completed";
  return reservation.state === "Cancelled" || reservation.state === "Expired" ? "Cancelled" : "EscrowLocked";
}

function joined(reader: Reader, shown: ShownReservation, viewer: Viewer): Joined {
  const reservation = reservationRead(reader, shown, viewer);
  const row = ruleOf(viewer.configuration, settlementJoined)(reader, shown);
  return { reservation, settlement: row === null ? null : settlementRead(row, viewer) };
}

/** The settlement that a trade joins: the one that its reservation follows. Source: protocol 02 E.1. */
export function settlementJoined(reader: Reader, shown: ShownReservation): SettlementRow | null {
  const { settlement } = shown.row;
  return settlement === null ? null : (reader.get(Settlements, settlement) ?? null);
}

function publicTrade(trade: Joined): PublicTrade {
  return {
    reservation: PublicReservation.of(trade.reservation),
    settlement: trade.settlement === null ? null : PublicSettlement.of(trade.settlement),
    status: tradeStatus(trade),
  };
}

/** Every trade of a wallet, contested ids included. */
function tradesOf(reader: Reader, wallet: PeerId, viewer: Viewer): readonly Trade[] {
  const own = reservationsWhere(reader, (shown) => {
    const settlement = ruleOf(viewer.configuration, settlementJoined)(reader, shown);
    return shown.request.signer === wallet || settlement?.buyer === wallet || settlement?.seller === wallet;
  });
  return own.map((shown) => joined(reader, shown, viewer));
}
