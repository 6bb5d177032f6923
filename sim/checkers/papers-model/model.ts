/**
 * Everything that the papers make of what a node holds of trades. Source: CONVERGENCE "Precedence tables".
 */
import type { Held, Signed } from "./held.ts";
import { heldOnly } from "./held.ts";
import type { ModelReservation } from "./offers.ts";
import { namesakesIn, reservationsOf } from "./offers.ts";
import { offersIn } from "./settings.ts";
import type { ModelDispute, ModelSettlement } from "./trades.ts";
import { disputesIn, pairsIn, settlementsIn } from "./trades.ts";

export interface TradeModel {
  readonly held: Held;
  readonly settlements: readonly ModelSettlement[];
  readonly disputes: readonly ModelDispute[];
  /** The valid requests of each offer. */
  readonly offers: ReadonlyMap<Signed, readonly ModelReservation[]>;
}

/** What trades are made of: whatever else is held changes nothing in them. */
const OF_TRADES: ReadonlySet<string> = new Set([
  ...["AdvertisementCreate", "AdvertisementPriceUpdate", "AdvertisementTermsUpdate"],
  ...["AdvertisementStatusSet", "AdvertisementDisable", "ReservationRequest", "ReservationCancel"],
  ...["SettlementInitiate", "PaymentSubmitted", "PaymentReversed", "SettlementApproved", "SettlementRejected"],
  ...["SettlementCancelled", "DisputeOpen", "ArbitratorJoin", "VoteCommit", "VoteReveal", "MutualSettlementAgree"],
]);

/** What of a set is about trades. */
export function heldOfTrades(held: Held): Held {
  return heldOnly(held, ({ type }) => OF_TRADES.has(type));
}

/** The model of what is held of trades. */
export function tradeModel(held: Held): TradeModel {
  const pairs = pairsIn(held);
  const settlements = settlementsIn(held, pairs);
  const namesakes = namesakesIn(settlements);
  return {
    ...{ held, settlements, disputes: disputesIn(held, settlements) },
    offers: new Map(offersIn(held).map((offer) => [offer, reservationsOf(held, offer, pairs, settlements, namesakes)])),
  };
}
