/**
 * Goal: floating prices are the published ones, to the unit, and the quote follows the rate's tag at the millisecond.
 * Method: the table of protocol 02 B.4; one node whose rate comes, runs out and is out of range.
 */
import { describe, expect, test } from "vitest";
import { OraclePublish } from "../../core/domains/oracles/schema.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { floatingPrice, isNearRate } from "../../core/domains/trade/advertisements/pricing.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import * as fixtures from "../convergence/fixtures.ts";
import { MINTS } from "../convergence/fixtures.ts";
import { plus, publication, registration, T, usdcKes } from "../oracles/market.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { FLOATING_PRICES } from "./floating-prices.ts";

const USDC = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU";

test.each(FLOATING_PRICES)("%d at %d basis points and %d decimals", (mid, premium, decimals, units) => {
  expect(floatingPrice(mid, premium, decimals)?.base_units).toBe(units);
});

test("a taker's mid is near the rate within 2 %, both ends included", () => {
  expect([98, 97.99, 102, 102.01, null].map((mid) => isNearRate(mid, 100))).toEqual([true, false, true, false, true]);
});

describe("a quote", () => {
  const merchant = person(0x11);
  const oracle = person(1);

  function quotedAt(mint: string, rate: number | undefined, ms: number): unknown {
    const node = loneNode(T);
    const pricing = { Floating: { oracle_provider: "any", premium_bps: 150, price_decimals: 2 } };
    const create = fixtures.advertisement({ name: "m", ...merchant }, T, { mint: mint as (typeof MINTS)[0], pricing });
    node.gossip(AdvertisementCreate, create.payload, merchant);
    node.gossip(Registration, registration(oracle), oracle);
    if (rate !== undefined) node.gossip(OraclePublish, publication(oracle, { data: usdcKes(rate) }), oracle);
    node.now = plus(ms);
    const [shown] = node.call("getAdvertisements") as readonly [{ readonly quote: unknown }];
    expect(node.call("getAdvertisement", { id: "ad" })).toEqual(shown);
    return shown.quote;
  }
  const none = (reason: string) => ({ kind: "Unpriceable", premium_bps: 150, reason });

  test("follows the rate while it is current, and has no number of it afterwards", () => {
    expect(quotedAt(USDC, undefined, 0)).toEqual(none("NoOracleData"));
    expect(quotedAt(USDC, 129.52, 59_999)).toEqual({
      kind: "Floating",
      mid_expires_at: Number(plus(60_000)),
      mid_rate: 129.52,
      premium_bps: 150,
      price: { base_units: 13146, decimals: 2 },
    });
    expect(quotedAt(USDC, 129.52, 60_000)).toEqual(none("StaleOracleData"));
    expect(quotedAt(USDC, 1e300, 0)).toEqual(none("PriceOutOfRange"));
  });

  test("of a mint without a name has no rate", () => {
    expect(quotedAt(MINTS[0], 129.52, 0)).toEqual(none("NoOracleData"));
  });
});
