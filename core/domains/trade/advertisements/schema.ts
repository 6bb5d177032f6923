/**
 * Advertisements: a merchant's standing offer, its signed edits, and the record that nodes derive.
 * Source: OFS-2100; protocol 02 B.
 */

import type { Infer } from "../../../kernel/schema.ts";
import { sized } from "../../../kernel/schema.ts";
import type { RecordOf } from "../../../kernel/schema-composites.ts";
import { extend, kinds, list, option, struct, variants } from "../../../kernel/schema-composites.ts";
import { enumeration, f64, i32, u8, u64, u128 } from "../../../kernel/schema-scalars.ts";
import type { Payload } from "../../../kernel/signed.ts";
import { signed } from "../../../kernel/signed.ts";
import { Amount, EpochMillis, FiatCurrency, MintAddress, PeerId, PublicKey, Text } from "../../../kernel/values.ts";
import { PaymentMethodId } from "../../payment-methods/schema.ts";

/** OFS number and wire priority of advertisement events. Source: protocol 01 §7.5, §8.1. */
const GOSSIP = { ofs: 2100, priority: 2 } as const;
const ABOUT = { kind: "advertisement", member: "id" } as const;

/** The side of the merchant. Source: protocol 02 B.3. */
export const Direction = enumeration("Sell", "Buy");
export type Direction = Infer<typeof Direction>;
/** Source: protocol 02 B.3. */
export const AdvertisementStatus = enumeration("Active", "Disabled", "Vacation", "Deleted");
export type AdvertisementStatus = Infer<typeof AdvertisementStatus>;

/** Source: protocol 02 B.3, B.4. */
export const PricingModel = variants({
  Fixed: struct("FixedPricing", { price: Amount }),
  Floating: struct("FloatingPricing", { oracle_provider: Text, premium_bps: i32, price_decimals: u8 }),
});
export type PricingModel = Infer<typeof PricingModel>;

/** Ways to be paid that an advertisement may have over RPC. Source: DESIGN "Bounds". */
export const METHODS_MAX = 64;
/** The same at every other ingress, as ids are longer there. Source: DESIGN "Bounds", L10. */
export const GOSSIP_METHODS_MAX = 1_024;
const PaymentMethodIds = sized(list(PaymentMethodId), { items: METHODS_MAX });

/** Signed by the merchant. Source: protocol 02 B.5. */
export const AdvertisementCreate = signed("openfiat/advertisements/AdvertisementCreate/v1", {
  outer: "create",
  signer: "merchant",
  key: "merchant_public_key",
  time: "timestamp",
  creates: "advertisement",
  naming: "identity",
  event: "AdvertisementCreated",
  ...GOSSIP,
  fields: {
    id: Text,
    merchant: PeerId,
    merchant_public_key: PublicKey,
    asset_mint: MintAddress,
    direction: Direction,
    fiat_currency: FiatCurrency,
    min_trade: Amount,
    max_trade: Amount,
    initial_liquidity: Amount,
    pricing: PricingModel,
    payment_methods: PaymentMethodIds,
    timestamp: EpochMillis,
  },
});
export type AdvertisementCreate = Payload<typeof AdvertisementCreate>;

/** Signed by the merchant. Source: protocol 02 B.5. */
export const AdvertisementStatusSet = signed("openfiat/advertisements/AdvertisementStatusSet/v1", {
  outer: "set",
  signer: "merchant",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  event: "AdvertisementStatusSet",
  ...GOSSIP,
  fields: { id: Text, merchant: PeerId, status: AdvertisementStatus, timestamp: EpochMillis },
});
export type AdvertisementStatusSet = Payload<typeof AdvertisementStatusSet>;

/** Signed by the merchant: the interface document's own form of a status set to Disabled. Source: protocol 02 B.5. */
export const AdvertisementDisable = signed("openfiat/advertisements/AdvertisementDisable/v1", {
  outer: "disable",
  signer: "merchant",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  event: "AdvertisementDisabled",
  ...GOSSIP,
  fields: { id: Text, merchant: PeerId, timestamp: EpochMillis },
});
export type AdvertisementDisable = Payload<typeof AdvertisementDisable>;

/** Signed by the merchant. Source: protocol 02 B.5. */
export const AdvertisementTermsUpdate = signed("openfiat/advertisements/AdvertisementTermsUpdate/v1", {
  outer: "update",
  signer: "merchant",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  event: "AdvertisementTermsUpdated",
  ...GOSSIP,
  fields: {
    id: Text,
    merchant: PeerId,
    min_trade: Amount,
    max_trade: Amount,
    payment_methods: PaymentMethodIds,
    timestamp: EpochMillis,
  },
});
export type AdvertisementTermsUpdate = Payload<typeof AdvertisementTermsUpdate>;

/** Signed by the merchant. Source: protocol 02 B.5. */
export const AdvertisementPriceUpdate = signed("openfiat/advertisements/AdvertisementPriceUpdate/v1", {
  outer: "update",
  signer: "merchant",
  time: "timestamp",
  about: ABOUT,
  among: "signer",
  event: "AdvertisementPricingUpdated",
  ...GOSSIP,
  fields: { id: Text, merchant: PeerId, pricing: PricingModel, timestamp: EpochMillis },
});
export type AdvertisementPriceUpdate = Payload<typeof AdvertisementPriceUpdate>;

/** The record of protocol 02 B.2. */
export const Advertisement = struct("Advertisement", {
  id: Text,
  merchant: PeerId,
  merchant_public_key: PublicKey,
  asset_mint: MintAddress,
  direction: Direction,
  fiat_currency: FiatCurrency,
  min_trade: Amount,
  max_trade: Amount,
  available_liquidity: Amount,
  pricing: PricingModel,
  payment_methods: list(PaymentMethodId),
  status: AdvertisementStatus,
  created_at: EpochMillis,
  updated_at: EpochMillis,
});
export type Advertisement = Infer<typeof Advertisement>;

/**
 * What nodes keep of an advertisement, under its creating statement's identity: the registers of its
 * merchant, and of the sweep a count, a digest and the newest date; grants themselves are computed.
 * Source: CONVERGENCE "Advertisement", "Bounds".
 */
export const AdvertisementRow = struct("AdvertisementRow", {
  id: Text,
  merchant: PeerId,
  merchant_public_key: PublicKey,
  asset_mint: MintAddress,
  direction: Direction,
  fiat_currency: FiatCurrency,
  min_trade: Amount,
  max_trade: Amount,
  initial_liquidity: Amount,
  pricing: PricingModel,
  payment_methods: list(PaymentMethodId),
  status: AdvertisementStatus,
  created_at: EpochMillis,
  /** Newest effective statement of the merchant and newest granted request or cancel. */
  updated_at: EpochMillis,
  /** Base units that acknowledged requests hold for ever: more than the advertisement ever had, where they are many. */
  acknowledged: u128,
  granted: u64,
  /** Sum of the granted pairs' hashes, as hexadecimal. */
  granted_digest: Text,
});
export type AdvertisementRow = Infer<typeof AdvertisementRow>;

/** Why a floating price cannot be shown. Source: protocol 02 B.3. */
export const UnpriceableReason = enumeration("NoOracleData", "StaleOracleData", "PriceOutOfRange");

/** A quote, told apart by `kind`. Members that a kind lacks are left out. Source: protocol 02 B.3. */
export type PriceQuote =
  | { readonly kind: "Fixed"; readonly price: Amount }
  | {
      readonly kind: "Floating";
      readonly price: Amount;
      readonly mid_rate: number;
      readonly premium_bps: number;
      readonly mid_expires_at: EpochMillis;
    }
  | { readonly kind: "Unpriceable"; readonly reason: Infer<typeof UnpriceableReason>; readonly premium_bps: number };

const FixedQuote = struct("FixedQuote", { kind: enumeration("Fixed"), price: Amount });
const FloatingQuote = struct("FloatingQuote", {
  kind: enumeration("Floating"),
  price: Amount,
  mid_rate: f64,
  premium_bps: i32,
  mid_expires_at: EpochMillis,
});
const UnpriceableQuote = struct("UnpriceableQuote", {
  kind: enumeration("Unpriceable"),
  reason: UnpriceableReason,
  premium_bps: i32,
});

/** Answers only: a quote is computed at read time, never stored or gossiped. Source: protocol 02 B.2. */
export const PriceQuote = kinds<PriceQuote>({
  Fixed: FixedQuote,
  Floating: FloatingQuote,
  Unpriceable: UnpriceableQuote,
});

/** What a read shows: the record, the mint's symbol, and today's quote. Source: protocol 02 B.2. */
export const AdvertisementView = extend("AdvertisementView", Advertisement, {
  asset_symbol: option(Text),
  quote: PriceQuote,
});
export type AdvertisementView = RecordOf<(typeof AdvertisementView)["fields"]>;
