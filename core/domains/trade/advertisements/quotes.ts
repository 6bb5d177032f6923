/**
 * Today's quotes: a fixed price as signed, or a floating one at the pair's current rate; never a number from
 * a rate that ran out. Source: protocol 02 B.3, B.4.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import { readAt } from "../../../engine/overrides.ts";
import type { Reader } from "../../../kernel/table.ts";
import { exchangeRate } from "../../oracles/queries.ts";
import type { ExchangeRate } from "../../oracles/schema.ts";
import { floatingPrice } from "./pricing.ts";
import type { AdvertisementRow, PriceQuote } from "./schema.ts";

export interface Quoter {
  readonly symbolOf: (mint: string) => string | null;
  readonly quoteOf: (row: AdvertisementRow) => PriceQuote;
  /** The current rate of an advertisement's pair. */
  readonly rateOf: (row: AdvertisementRow) => ExchangeRate;
}

/** Quotes at one instant; each pair is looked up once. Source: protocol 02 B.4. */
export function quoterAt(reader: Reader, viewer: Viewer): Quoter {
  const { mints } = viewer.configuration.profile;
  const at = readAt(viewer);
  const rates = new Map<string, ExchangeRate>();
  const symbolOf = (mint: string) => mints.find((named) => named.mint === mint)?.symbol ?? null;

  function rateOf({ asset_mint, fiat_currency }: AdvertisementRow): ExchangeRate {
    const symbol = symbolOf(asset_mint);
    if (symbol === null) return { status: "noData" };
    const pair = `${symbol}/${fiat_currency}`;
    const rate = rates.get(pair) ?? exchangeRate(reader, symbol, fiat_currency, at);
    rates.set(pair, rate);
    return rate;
  }

  function quoteOf(row: AdvertisementRow): PriceQuote {
    if ("Fixed" in row.pricing) return { kind: "Fixed", price: row.pricing.Fixed.price };
    const { premium_bps, price_decimals } = row.pricing.Floating;
    const mid = rateOf(row);
    if (mid.status !== "current") {
      const reason = mid.status === "stale" ? "StaleOracleData" : "NoOracleData";
      return { kind: "Unpriceable", reason, premium_bps };
    }
    const price = floatingPrice(mid.rate, premium_bps, price_decimals);
    if (price === undefined) return { kind: "Unpriceable", reason: "PriceOutOfRange", premium_bps };
    return { kind: "Floating", price, mid_rate: mid.rate, premium_bps, mid_expires_at: mid.expiresAt };
  }

  return { symbolOf, quoteOf, rateOf };
}
