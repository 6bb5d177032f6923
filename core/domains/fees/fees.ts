/**
 * What a declared fee comes to in another token: the quote, and the verdict on a payer's signed settlement
 * of it. The conversion is in doubles, in the protocol's order, so that every node repeats it exactly.
 * Source: OFS-4100 §9.5; protocol 05 §2.4, §2.5, §14.16.
 */

import type { ErrorCode } from "../../errors.ts";
import type { NamedMint } from "../../inputs.ts";
import { parseFloatToken, printedDecimal, tenTo } from "../../kernel/float.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { struct, toldApartBy } from "../../kernel/schema-composites.ts";
import { enumeration, f64 } from "../../kernel/schema-scalars.ts";
import { Amount, EpochMillis, later, Text } from "../../kernel/values.ts";
import type { Verdict } from "../../kernel/verification.ts";
import type { FeeSettlement, ServicePricing } from "../providers/schema.ts";

/** How long a quote holds at most, in milliseconds. Source: protocol 05 §2.4. */
export const QUOTE_LIFETIME_MS = 120_000;
/** How far the payer's clock may be ahead, in milliseconds. Source: protocol 05 §2.5. */
export const QUOTE_SKEW_MS_MAX = 60_000;

const TWO_TO_64 = 1n << 64n;

/** What an oracle says of a pair. Source: protocol 05 §3.6. */
export type MidRate =
  | { readonly status: "current"; readonly rate: number; readonly expiresAt: EpochMillis }
  | { readonly status: "stale" }
  | { readonly status: "noData" };

const UnsettleableReason = enumeration(
  "UnknownSettlementToken",
  "NoOracleData",
  "StaleOracleData",
  "RateOutOfRange",
  "AmountOutOfRange",
);
const Free = struct("FreeService", { status: enumeration("free") });
const Native = struct("NativeFee", { status: enumeration("native"), fee: Amount });
const Unsettleable = struct("UnsettleableFee", { status: enumeration("unsettleable"), reason: UnsettleableReason });
const Settleable = struct("SettleableFee", {
  status: enumeration("settleable"),
  fee: Amount,
  feeMint: Text,
  settlementMint: Text,
  settlementAmount: Amount,
  rate: f64,
  quotedAt: EpochMillis,
  expiresAt: EpochMillis,
});

/** A quote, told apart by `status`: only a settleable one has a number. Source: protocol 05 §2.4. */
export type FeeQuote =
  | Infer<typeof Free>
  | Infer<typeof Native>
  | Infer<typeof Unsettleable>
  | Infer<typeof Settleable>;
export const FeeQuote: Schema<FeeQuote> = toldApartBy<"status", FeeQuote>("status", {
  free: Free,
  native: Native,
  unsettleable: Unsettleable,
  settleable: Settleable,
});

/** What a quote needs of the outside: the mints that have a price, and a mid rate between two symbols. */
export interface Market {
  readonly mints: readonly NamedMint[];
  readonly rateOf: (base: string, quote: string) => MidRate;
}

/** What a service's fee comes to in a token. Source: protocol 05 §2.4. */
export function feeQuote(
  pricing: ServicePricing | null,
  settlementMint: string,
  { mints, rateOf }: Market,
  now: EpochMillis,
): FeeQuote {
  if (pricing === null) return { status: "free" };
  const { amount: fee, token_mint: feeMint } = pricing;
  if (settlementMint === feeMint) return { status: "native", fee };
  const into = mints.find(({ mint }) => mint === settlementMint);
  if (into === undefined) return unsettleable("UnknownSettlementToken");
  const from = mints.find(({ mint }) => mint === feeMint);
  const mid: MidRate = from === undefined ? { status: "noData" } : rateOf(from.symbol, into.symbol);
  if (mid.status === "noData") return unsettleable("NoOracleData");
  if (mid.status === "stale") return unsettleable("StaleOracleData");
  if (!isRate(mid.rate)) return unsettleable("RateOutOfRange");
  const units = converted(fee, mid.rate, into.decimals);
  if (units === undefined) return unsettleable("AmountOutOfRange");
  const longest = later(now, QUOTE_LIFETIME_MS);
  const expiresAt = mid.expiresAt < longest ? mid.expiresAt : longest;
  if (expiresAt <= now) return unsettleable("StaleOracleData");
  const settlementAmount = { base_units: units, decimals: into.decimals };
  return {
    status: "settleable",
    fee,
    feeMint,
    settlementMint,
    settlementAmount,
    rate: mid.rate,
    quotedAt: now,
    expiresAt,
  };
}

/** Base units of an amount at a rate, rounded up; nothing beyond 64 bits. Source: protocol 05 §2.4. */
export function converted(fee: Amount, rate: number, decimals: number): bigint | undefined {
  const scale = parseFloatToken(`1e${decimals - fee.decimals}`) ?? 0;
  const exact = Math.ceil(Number(fee.base_units) * rate * scale);
  if (!Number.isFinite(exact) || exact < 0) return undefined;
  const units = BigInt(exact);
  return units < TWO_TO_64 ? units : undefined;
}

/**
 * The same in exact arithmetic over the printed decimal of the rate: what the doubles should have given.
 * Source: protocol 05 §14.16.
 */
export function convertedExactly(fee: Amount, rate: number, decimals: number): bigint {
  const printed = printedDecimal(rate);
  const exponent = printed.exponent + decimals - fee.decimals;
  const product = fee.base_units * printed.units;
  if (exponent >= 0) return product * tenTo(exponent);
  const divisor = tenTo(-exponent);
  return (product + divisor - 1n) / divisor;
}

/** Why a signed settlement of a fee is refused; nothing when it stands. Asks no oracle. Source: protocol 05 §2.5. */
export function feeSettlementError(
  settlement: FeeSettlement,
  verdict: Verdict,
  pricing: ServicePricing | null,
  now: EpochMillis,
): ErrorCode | undefined {
  if (!verdict.point) return "INVALID_SIGNATURE";
  if (!verdict.bound) return "INVALID_IDENTITY_CLAIM";
  if (verdict.form === undefined) return "INVALID_SIGNATURE";
  if (pricing === null) return "INVALID_REQUEST";
  const { fee, fee_mint, quoted_at, expires_at } = settlement;
  const agreed = pricing.amount.base_units === fee.base_units && pricing.amount.decimals === fee.decimals;
  if (pricing.token_mint !== fee_mint || !agreed) return "INVALID_REQUEST";
  if (expires_at < quoted_at || expires_at - quoted_at > BigInt(QUOTE_LIFETIME_MS)) return "INVALID_REQUEST";
  if (expires_at > later(now, QUOTE_LIFETIME_MS + QUOTE_SKEW_MS_MAX)) return "INVALID_REQUEST";
  if (now >= expires_at) return "REQUEST_EXPIRED";
  return repeats(settlement) ? undefined : "INVALID_REQUEST";
}

/** Whether the conversion at the stated rate gives what is stated. Source: protocol 05 §2.5 check 6. */
function repeats({ fee, rate, settlement_amount, quoted_at, expires_at }: FeeSettlement): boolean {
  if (!isRate(rate) || expires_at <= quoted_at) return false;
  return converted(fee, rate, settlement_amount.decimals) === settlement_amount.base_units;
}

function isRate(rate: number): boolean {
  return Number.isFinite(rate) && rate > 0;
}

function unsettleable(reason: Infer<typeof UnsettleableReason>): FeeQuote {
  return { status: "unsettleable", reason };
}
