// Goal: the model that records are held against tells a floating price as the paper does (protocol 02 B.4), or it would
// be silent about every node that holds such an offer. Method: the paper's own table, and agreements that are none.
import { assert, test } from "vitest";
import { hasPrice } from "../../sim/checkers/papers-model/settings.ts";
import { FLOATING_PRICES } from "../advertisements/floating-prices.ts";

function agrees(pricing: object, mid: number | null, base_units: bigint, decimals: number): boolean {
  const request = { payload: { agreed_mid: mid, agreed_price: { base_units, decimals } } };
  return hasPrice({ payload: { pricing } } as never, request as never);
}

const floating = (premium_bps: number, price_decimals: number) => ({ Floating: { premium_bps, price_decimals } });

test.each(FLOATING_PRICES)("a mid of %d at %i bps with %i decimals is %s", (mid, bps, decimals, units) => {
  const agreed = units ?? 0n;
  assert.equal(agrees(floating(bps, decimals), mid, agreed, decimals), units !== undefined);
  assert.isFalse(agrees(floating(bps, decimals), mid, agreed + 1n, decimals));
  assert.isFalse(agrees(floating(bps, decimals), mid, agreed, decimals + 1));
  assert.isFalse(agrees(floating(bps, decimals), null, agreed, decimals));
});

test("what is no number has no price", () => assert.isFalse(agrees(floating(0, 0), Number.NaN, 0n, 0)));

test("a fixed price is agreed without a mid", () => {
  const fixed = { Fixed: { price: { base_units: 13_000n, decimals: 2 } } };
  assert.isTrue(agrees(fixed, null, 13_000n, 2));
  assert.isFalse(agrees(fixed, 130, 13_000n, 2));
  assert.isFalse(agrees(fixed, null, 13_000n, 3));
});
