/**
 * Prices: what a pricing model asks at a mid rate, and whether a request agreed to it.
 * IEEE doubles in the protocol's order of operations, so that every node agrees.
 * Source: protocol 02 B.4.
 */

import { printedDecimal, tenTo } from "../../../kernel/float.ts";
import type { Amount } from "../../../kernel/values.ts";
import type { PricingModel } from "./schema.ts";

/** 2^64: the first value that no amount holds. Source: protocol 02 B.4 step 6. */
const TWO_TO_64 = Number(1n << 64n);
/** Basis points in one. */
const BPS_PER_ONE = 10_000;
/** Ten to which power they are. */
const BPS_PLACES = 4;
/** How far a taker's mid may be from the current rate at the RPC ingress, in basis points. Source: protocol 02 O.12. */
export const MID_BAND_BPS = 200;

/** The floating price at a mid rate, or nothing when it is out of range. Source: protocol 02 B.4. */
export function floatingPrice(mid: number, premiumBps: number, priceDecimals: number): Amount | undefined {
  const multiplier = 1 + premiumBps / BPS_PER_ONE;
  const scaled = mid * multiplier * powerOfTen(priceDecimals);
  if (!Number.isFinite(scaled) || scaled < 0) return undefined;
  const rounded = roundHalfEven(scaled);
  return rounded >= TWO_TO_64 ? undefined : { base_units: BigInt(rounded), decimals: priceDecimals };
}

/**
 * The same in exact arithmetic over the printed decimal of the mid: what the doubles should have given.
 * Source: protocol 02 O.11.
 */
export function floatingPriceExactly(mid: number, premiumBps: number, priceDecimals: number): bigint {
  const { units, exponent } = printedDecimal(mid);
  const product = units * BigInt(BPS_PER_ONE + premiumBps);
  const places = exponent + priceDecimals - BPS_PLACES;
  if (places >= 0) return product * tenTo(places);
  const divisor = tenTo(-places);
  const [floor, rest] = [product / divisor, product % divisor];
  const isUp = rest * 2n > divisor || (rest * 2n === divisor && floor % 2n === 1n);
  return isUp ? floor + 1n : floor;
}

/** Whether a request's price follows from the model. Never reads an oracle. Source: protocol 02 B.4. */
export function agreesWithPrice(pricing: PricingModel, agreedPrice: Amount, agreedMid: number | null): boolean {
  const price = "Fixed" in pricing ? fixed(pricing.Fixed.price, agreedMid) : floating(pricing.Floating, agreedMid);
  return price !== undefined && price.base_units === agreedPrice.base_units && price.decimals === agreedPrice.decimals;
}

/** Whether a mid that a taker names is one that the current rate allows; none is named for a fixed price. */
export function isNearRate(agreedMid: number | null, rate: number): boolean {
  return agreedMid === null || Math.abs(agreedMid - rate) * BPS_PER_ONE <= rate * MID_BAND_BPS;
}

function fixed(price: Amount, agreedMid: number | null): Amount | undefined {
  return agreedMid === null ? price : undefined;
}

function floating(
  model: { readonly premium_bps: number; readonly price_decimals: number },
  agreedMid: number | null,
): Amount | undefined {
  return agreedMid === null ? undefined : floatingPrice(agreedMid, model.premium_bps, model.price_decimals);
}

/** Ten to a power by repeated squaring, as the reference multiplies: exact up to 22. */
function powerOfTen(exponent: number): number {
  let power = 1;
  let square = 10;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power *= square;
    square *= square;
  }
  return power;
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return rest < 0.5 ? floor : floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}
