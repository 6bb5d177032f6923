/**
 * Everything that the papers make of what a node holds of trades. Source: CONVERGENCE "Precedence tables".
 */
import type { Reader } from "../../../core/index.ts";
import type { Held, Signed } from "./held.ts";
import { heldBy, rowsOf } from "./held.ts";
import type { ModelReservation } from "./offers.ts";
import { reservationsOf } from "./offers.ts";
import { isOffer } from "./settings.ts";
import type { ModelDispute, ModelSettlement } from "./trades.ts";
import { disputesIn, pairsIn, settlementsIn } from "./trades.ts";

export interface TradeModel {
  readonly held: Held;
  readonly settlements: readonly ModelSettlement[];
  readonly disputes: readonly ModelDispute[];
  /** The valid requests of each offer. */
  readonly offers: ReadonlyMap<Signed, readonly ModelReservation[]>;
}

/** The model of a memory. None where it cannot tell: records that are sealed rest on statements that are gone. */
export function tradeModel(view: Reader): TradeModel | undefined {
  if (rowsOf(view, "seals").length > 0) return undefined;
  const held = heldBy(view);
  const offers = held.signed.filter(isOffer);
  const pairs = pairsIn(held);
  const settlements = settlementsIn(held, pairs);
  return {
    ...{ held, settlements, disputes: disputesIn(held, settlements) },
    offers: new Map(offers.map((offer) => [offer, reservationsOf(held, offer, pairs, settlements)])),
  };
}
