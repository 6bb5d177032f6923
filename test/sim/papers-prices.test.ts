// Goal: the model that records are held against tells a floating price as the paper does (protocol 02 B.4), or it would
// be silent about every node that holds such an offer. Method: the paper's own table, and agreements that are none.
import { assert, test } from "vitest";
import { hasPrice } from "../../sim/checkers/papers-model/settings.ts";

function agrees(pricing: object, mid: number | null, base_units: bigint, decimals: number): boolean {
  const request = { payload: { agreed_mid: mid, agreed_price: { base_units, decimals } } };
  return hasPrice({ payload: { pricing } } as never, request as never);
}

const floating = (premium_bps: number, price_decimals: number) => ({ Floating: { premium_bps, price_decimals } });

test.each([
  [129.52, 150, 2, 13_146n],
  [129.52, -250, 2, 12_628n],
  [129.52, 0, 2, 12_952n],
  [129.52, 150, 0, 131n],
  [129.52, 150, 6, 131_462_800n],
  [129.52, -10_000, 2, 0n],
  [129.4649, 200, 2, 13_205n],
  [129, 150, 2, 13_093n],
  [0.25, 0, 1, 2n],
  [0.35, 0, 1, 4n],
] as const)("a mid of %d at %i bps with %i decimals is %i", (mid, bps, decimals, units) => {
  assert.isTrue(agrees(floating(bps, decimals), mid, units, decimals));
  assert.isFalse(agrees(floating(bps, decimals), mid, units + 1n, decimals));
  assert.isFalse(agrees(floating(bps, decimals), mid, units, decimals + 1));
  assert.isFalse(agrees(floating(bps, decimals), null, units, decimals));
});

test.each([
  [129.52, -10_001, 2],
  [1e30, 2_147_483_647, 0],
  [Number.NaN, 0, 0],
])("a mid of %d at %i bps with %i decimals has no price", (mid, bps, decimals) => {
  assert.isFalse(agrees(floating(bps, decimals), mid, 0n, decimals));
});

test("a fixed price is agreed without a mid", () => {
  const fixed = { Fixed: { price: { base_units: 13_000n, decimals: 2 } } };
  assert.isTrue(agrees(fixed, null, 13_000n, 2));
  assert.isFalse(agrees(fixed, 130, 13_000n, 2));
  assert.isFalse(agrees(fixed, null, 13_000n, 3));
});
