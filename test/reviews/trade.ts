/**
 * One trade through the real ingress, up to a step. Source: protocol 02 P.2.
 */

import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import {
  PaymentSubmitted,
  SettlementApproved,
  SettlementInitiate,
} from "../../core/domains/trade/settlements/schema.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";

export const T = 1_786_000_000_000n as EpochMillis;
export const [seller, buyer] = [person(0x11), person(0x22)];

type Step = "initiated" | "paid" | "approved" | "approve alone";

const usdc = (base_units: bigint, decimals = 6) => ({ base_units, decimals });

/** A node that knows the trade `set-1` up to a step; `approve alone` adds the last word to one that has the others. */
export function trading(step: Step, node: LoneNode = loneNode(T)): LoneNode {
  if (step === "approve alone") return approve(node);
  begin(node);
  if (step === "initiated") return node;
  const paid = { settlement_id: "set-1", buyer: buyer.peer, payment_reference: null, timestamp: T };
  node.call("sendPaymentSubmitted", { data: signedData(PaymentSubmitted, paid, buyer) });
  return step === "paid" ? node : approve(node);
}

function begin(node: LoneNode): void {
  const create = {
    id: "ad-1",
    merchant: seller.peer,
    merchant_public_key: seller.key,
    asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
    direction: "Sell" as const,
    fiat_currency: "KES" as FiatCurrency,
    min_trade: usdc(5_000_000n),
    max_trade: usdc(100_000_000n),
    initial_liquidity: usdc(250_000_000n),
    pricing: { Fixed: { price: usdc(13_000n, 2) } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
    timestamp: T,
  };
  const request = {
    id: "1",
    advertisement_id: "ad-1",
    requester: buyer.peer,
    requester_public_key: buyer.key,
    amount: usdc(20_000_000n),
    agreed_price: usdc(13_000n, 2),
    agreed_mid: null,
    timestamp: T,
  };
  const initiate = {
    id: "set-1",
    reservation_id: "1",
    buyer: buyer.peer,
    buyer_public_key: buyer.key,
    seller: seller.peer,
    seller_public_key: seller.key,
    amount: usdc(20_000_000n),
    timestamp: T,
  };
  node.call("sendAdvertisementCreate", { data: signedData(AdvertisementCreate, create, seller) });
  node.call("sendReservationRequest", { data: signedData(ReservationRequest, request, buyer) });
  node.call("sendSettlementInitiate", { data: signedData(SettlementInitiate, initiate, buyer) });
}

function approve(node: LoneNode): LoneNode {
  const approved = { settlement_id: "set-1", seller: seller.peer, timestamp: T };
  node.call("sendSettlementApproved", { data: signedData(SettlementApproved, approved, seller) });
  return node;
}
