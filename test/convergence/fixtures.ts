/**
 * What people sign in the four domains, with everything that a story does not care about filled in.
 * Source: protocol 02 B.5, C.3, D.3; 03 A.4.1.
 */

import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import type { AdvertisementStatus, Direction, PricingModel } from "../../core/domains/trade/advertisements/schema.ts";
import {
  AdvertisementCreate,
  AdvertisementDisable,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
  AdvertisementTermsUpdate,
} from "../../core/domains/trade/advertisements/schema.ts";
import { commitmentOf } from "../../core/domains/trade/disputes/rules.ts";
import type { Vote } from "../../core/domains/trade/disputes/schema.ts";
import {
  ArbitratorJoin,
  DisputeOpen,
  MutualSettlementAgree,
  VoteCommit,
  VoteReveal,
} from "../../core/domains/trade/disputes/schema.ts";
import { ReservationCancel, ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import {
  PaymentDiscrepancy,
  PaymentReversed,
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
  SettlementRejected,
} from "../../core/domains/trade/settlements/schema.ts";
import { toBase58, utf8 } from "../../core/kernel/text.ts";
import type { Amount, EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { Actor } from "./actors.ts";
import { crypto, sign } from "./actors.ts";

const CURRENCY = "KES" as FiatCurrency;
const METHODS = ["builtin:m-pesa" as PaymentMethodId];
export const MINTS = ["usdc", "usdt"].map((name) => toBase58(crypto.sha256(utf8(name))) as MintAddress) as [
  MintAddress,
  MintAddress,
];

export function units(base: number | bigint, decimals = 6): Amount {
  return { base_units: BigInt(base), decimals };
}

export function fixed(price: number): PricingModel {
  return { Fixed: { price: units(price, 2) } };
}

export const FLOATING: PricingModel = { Floating: { oracle_provider: "o", premium_bps: 0, price_decimals: 2 } };

interface AdvertisementFields {
  readonly id?: string;
  readonly direction?: Direction;
  readonly liquidity?: Amount;
  readonly min?: number;
  readonly max?: number;
  readonly pricing?: PricingModel;
  readonly mint?: MintAddress;
  readonly methods?: readonly PaymentMethodId[];
}

export function advertisement(by: Actor, timestamp: EpochMillis, fields: AdvertisementFields = {}) {
  return sign(AdvertisementCreate, {
    id: fields.id ?? "ad",
    merchant: by.peer,
    merchant_public_key: by.key,
    asset_mint: fields.mint ?? MINTS[0],
    direction: fields.direction ?? "Sell",
    fiat_currency: CURRENCY,
    min_trade: units(fields.min ?? 1, fields.liquidity?.decimals),
    max_trade: units(fields.max ?? 1_000, fields.liquidity?.decimals),
    initial_liquidity: fields.liquidity ?? units(100),
    pricing: fields.pricing ?? fixed(100),
    payment_methods: fields.methods ?? METHODS,
    timestamp,
  });
}

export function statusSet(by: Actor, id: string, status: AdvertisementStatus, timestamp: EpochMillis) {
  return sign(AdvertisementStatusSet, { id, merchant: by.peer, status, timestamp });
}

export function disable(by: Actor, id: string, timestamp: EpochMillis) {
  return sign(AdvertisementDisable, { id, merchant: by.peer, timestamp });
}

export function priceUpdate(by: Actor, id: string, pricing: PricingModel, timestamp: EpochMillis) {
  return sign(AdvertisementPriceUpdate, { id, merchant: by.peer, pricing, timestamp });
}

export function termsUpdate(by: Actor, id: string, min: number, max: number, timestamp: EpochMillis) {
  const [min_trade, max_trade] = [units(min), units(max)];
  return sign(AdvertisementTermsUpdate, {
    id,
    merchant: by.peer,
    min_trade,
    max_trade,
    payment_methods: METHODS,
    timestamp,
  });
}

interface RequestFields {
  readonly id?: string;
  readonly about?: string;
  readonly amount?: number | Amount;
  readonly price?: number | Amount;
  readonly mid?: number | null;
}

export function request(by: Actor, timestamp: EpochMillis, fields: RequestFields = {}) {
  const { amount = 10, price = 100 } = fields;
  return sign(ReservationRequest, {
    id: fields.id ?? "42",
    advertisement_id: fields.about ?? "ad",
    requester: by.peer,
    requester_public_key: by.key,
    amount: typeof amount === "number" ? units(amount) : amount,
    agreed_price: typeof price === "number" ? units(price, 2) : price,
    agreed_mid: fields.mid ?? null,
    timestamp,
  });
}

export function reservationCancel(by: Actor, id: string, timestamp: EpochMillis) {
  return sign(ReservationCancel, { id, requester: by.peer, timestamp });
}

interface InitiateFields {
  readonly id?: string;
  readonly about?: string;
  readonly amount?: number | Amount;
  readonly sellerKey?: Actor["key"];
}

export function initiate(buyer: Actor, seller: Actor, timestamp: EpochMillis, fields: InitiateFields = {}) {
  const { amount = 10 } = fields;
  return sign(SettlementInitiate, {
    id: fields.id ?? "s",
    reservation_id: fields.about ?? "42",
    buyer: buyer.peer,
    buyer_public_key: buyer.key,
    seller: seller.peer,
    seller_public_key: fields.sellerKey ?? seller.key,
    amount: typeof amount === "number" ? units(amount) : amount,
    timestamp,
  });
}

export function payment(
  by: Actor,
  timestamp: EpochMillis,
  settlement_id = "s",
  payment_reference: string | null = null,
) {
  return sign(PaymentSubmitted, { settlement_id, buyer: by.peer, payment_reference, timestamp });
}

export function reversal(by: Actor, timestamp: EpochMillis, settlement_id = "s") {
  return sign(PaymentReversed, { settlement_id, buyer: by.peer, timestamp });
}

export function approve(by: Actor, timestamp: EpochMillis, settlement_id = "s") {
  return sign(SettlementApproved, { settlement_id, seller: by.peer, timestamp });
}

export function reject(by: Actor, timestamp: EpochMillis, settlement_id = "s", why = 0) {
  const { names } = PaymentDiscrepancy.shape as { readonly names?: readonly PaymentDiscrepancy[] };
  const fields = { reason: "short", discrepancy: names?.[why % names.length] ?? "Other" };
  return sign(SettlementRejected, { settlement_id, seller: by.peer, ...fields, timestamp });
}

export function settlementCancel(by: Actor, timestamp: EpochMillis, settlement_id = "s") {
  return sign(SettlementCancelled, { settlement_id, canceller: by.peer, timestamp });
}

export function open(
  by: Actor,
  timestamp: EpochMillis,
  fields: { readonly id?: string; readonly about?: string } = {},
) {
  return sign(DisputeOpen, {
    id: fields.id ?? "d",
    settlement_id: fields.about ?? "s",
    opener: by.peer,
    opener_public_key: by.key,
    reason: "unpaid",
    timestamp,
  });
}

export function join(by: Actor, timestamp: EpochMillis, dispute_id = "d") {
  return sign(ArbitratorJoin, { dispute_id, arbitrator: by.peer, arbitrator_public_key: by.key, timestamp });
}

/** The secret of an arbitrator's nth commitment. */
function secretOf(by: Actor, nth: number): Uint8Array {
  return crypto.sha256(utf8(`secret ${nth} of ${by.name}`));
}

export function commit(by: Actor, timestamp: EpochMillis, vote: Vote, nth = 0, dispute_id = "d") {
  const commitment = commitmentOf((bytes) => crypto.sha256(bytes), vote, secretOf(by, nth));
  return sign(VoteCommit, { dispute_id, arbitrator: by.peer, commitment, timestamp });
}

export function reveal(by: Actor, timestamp: EpochMillis, vote: Vote, nth = 0, dispute_id = "d") {
  return sign(VoteReveal, { dispute_id, arbitrator: by.peer, vote, secret: secretOf(by, nth), timestamp });
}

export function agree(by: Actor, timestamp: EpochMillis, dispute_id = "d") {
  return sign(MutualSettlementAgree, { dispute_id, party: by.peer, timestamp });
}
