/**
 * Goal: whoever receives a request at a price that doubles round otherwise than exact arithmetic does says so in its
 * log, and of no other; the price of the doubles stands (protocol 02 O.11, B.4).
 * Method: the published prices with what is exact beside them; random mids of few places against whole numbers; a node
 * that hears requests from a client and from a peer.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { floatingPrice, floatingPriceExactly } from "../../core/domains/trade/advertisements/pricing.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { FLOATING_PRICES } from "../advertisements/floating-prices.ts";
import { forAll } from "../property/for-all.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import { advertisement, buyer, merchant, request, T } from "../rpc/node-with-settlement.ts";

test.each(FLOATING_PRICES)("%d at %d basis points and %d decimals, exactly", (mid, premium, decimals, units) => {
  if (units !== undefined) expect(floatingPriceExactly(mid, premium, decimals)).toBe(mid === 129 ? 13_094n : units);
});

test.each([
  [0.5, 0, 0, 0n],
  [1.5, 0, 0, 2n],
  [2.5, 0, 0, 2n],
  [2.5001, 0, 0, 3n],
  [1e21, 0, 2, 10n ** 23n],
  [1e-7, 10_000, 7, 2n],
  [0, 150, 2, 0n],
])("%d at %d basis points and %d decimals is %s", (mid, premium, decimals, exact) => {
  expect(floatingPriceExactly(mid, premium, decimals)).toBe(exact);
});

test("exact is what whole numbers give, and the doubles are a unit off at most", () => {
  const exactly = (cents: number, premium: number, decimals: number): bigint => {
    const [numerator, divisor] = [BigInt(cents) * BigInt(10_000 + premium) * 10n ** BigInt(decimals), 1_000_000n];
    const [floor, rest] = [numerator / divisor, numerator % divisor];
    return rest * 2n > divisor || (rest * 2n === divisor && floor % 2n === 1n) ? floor + 1n : floor;
  };
  const gapOf = (cents: number, premium: number, decimals: number) =>
    (floatingPrice(cents / 100, premium, decimals)?.base_units ?? 0n) - exactly(cents, premium, decimals);
  forAll(
    [fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: -100, max: 100 }).map((n) => n * 50), fc.nat(3)],
    (cents, premium, decimals) => {
      expect(floatingPriceExactly(cents / 100, premium, decimals)).toBe(exactly(cents, premium, decimals));
      expect([-1n, 0n, 1n]).toContain(gapOf(cents, premium, decimals));
    },
    {
      runs: 500,
      classes: (cents, premium, decimals) => [gapOf(cents, premium, decimals) === 0n ? "equal" : "a unit off"],
      shares: { equal: 0.7, "a unit off": 0.002 },
    },
  );
});

test.each(["a client", "a peer"])("%s's request at a price that is not exact is told of, once, and stands", (by) => {
  const told = (mid: number | null, units: bigint) => {
    const node = loneNode(T);
    const pricing =
      mid === null
        ? { Fixed: { price: { base_units: units, decimals: 2 } } }
        : { Floating: { oracle_provider: "any", premium_bps: 150, price_decimals: 2 } };
    node.call("sendAdvertisementCreate", {
      data: signedData(AdvertisementCreate, { ...advertisement, pricing }, merchant),
    });
    node.now = request.timestamp;
    const asked = { ...request, agreed_mid: mid, agreed_price: { base_units: units, decimals: 2 } };
    for (let times = 0; times < 2; times++)
      if (by === "a peer") node.gossip(ReservationRequest, asked, buyer);
      else node.call("sendReservationRequest", { data: signedData(ReservationRequest, asked, buyer) });
    expect(node.call("getReservation", { id: request.id })).toMatchObject({ state: "EscrowLocked" });
    return node.effects.flatMap((effect) =>
      effect.type === "log" && /exact/.test(effect.event) ? [effect.fields] : [],
    );
  };
  expect(told(129, 13_093n)).toEqual([{ agreed: "13093", exact: "13094" }]);
  expect(told(129.52, 13_146n)).toEqual([]);
  expect(told(null, 13_093n)).toEqual([]);
});
