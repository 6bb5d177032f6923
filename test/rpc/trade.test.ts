/**
 * Goal: the marketplace's life through the real ingress answers as protocol 02 P.5 says, in our default profile.
 * Method: JSON-RPC in, JSON-RPC out, on one node; every row of the table that these domains reach.
 */
import { describe, expect, test } from "vitest";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import {
  AdvertisementCreate,
  AdvertisementPriceUpdate,
  AdvertisementStatusSet,
} from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationCancel, ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import {
  PaymentReversed,
  PaymentSubmitted,
  SettlementApproved,
  SettlementCancelled,
  SettlementInitiate,
} from "../../core/domains/trade/settlements/schema.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "./lone-node.ts";
import { loneNode, person, signedData } from "./lone-node.ts";

const T = 1_786_000_000_000n as EpochMillis;
const [merchant, buyer, third] = [person(0x11), person(0x22), person(0x33)];
const at = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const usdc = (base_units: number, decimals = 6) => ({ base_units: BigInt(base_units), decimals });

const ad = {
  id: "ad-1",
  merchant: merchant.peer,
  merchant_public_key: merchant.key,
  asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
  direction: "Sell" as const,
  fiat_currency: "KES" as FiatCurrency,
  min_trade: usdc(5_000_000),
  max_trade: usdc(100_000_000),
  initial_liquidity: usdc(250_000_000),
  pricing: { Fixed: { price: usdc(13_000, 2) } },
  payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
  timestamp: T,
};
const request = {
  id: "4711001",
  advertisement_id: "ad-1",
  requester: buyer.peer,
  requester_public_key: buyer.key,
  amount: usdc(20_000_000),
  agreed_price: usdc(13_000, 2),
  agreed_mid: null,
  timestamp: at(240_000),
};
const initiate = {
  id: "set-1",
  reservation_id: "4711001",
  buyer: buyer.peer,
  buyer_public_key: buyer.key,
  seller: merchant.peer,
  seller_public_key: merchant.key,
  amount: usdc(20_000_000),
  timestamp: at(300_000),
};

function opened(): LoneNode {
  const node = loneNode(T + 240_000n);
  expect(create(node, {})).toBe("ad-1");
  return node;
}
const create = (node: LoneNode, change: Partial<typeof ad>, by: Person = merchant) =>
  node.call("sendAdvertisementCreate", { data: signedData(AdvertisementCreate, { ...ad, ...change }, by) });
const reserve = (
  node: LoneNode,
  change: Partial<Omit<typeof request, "agreed_mid">> & { agreed_mid?: number | null } = {},
) => node.call("sendReservationRequest", { data: signedData(ReservationRequest, { ...request, ...change }, buyer) });
const begin = (node: LoneNode, change: Partial<typeof initiate> = {}) =>
  node.call("sendSettlementInitiate", { data: signedData(SettlementInitiate, { ...initiate, ...change }, buyer) });
const pay = (node: LoneNode, ms: number, by: Person = buyer, named: Person = buyer) =>
  node.call("sendPaymentSubmitted", {
    data: signedData(
      PaymentSubmitted,
      { settlement_id: "set-1", buyer: named.peer, payment_reference: "MPESA-QX12", timestamp: at(ms) },
      by,
    ),
  });
const approve = (node: LoneNode, ms: number) =>
  node.call("sendSettlementApproved", {
    data: signedData(
      SettlementApproved,
      { settlement_id: "set-1", seller: merchant.peer, timestamp: at(ms) },
      merchant,
    ),
  });
const setStatus = (node: LoneNode, status: "Active" | "Deleted", ms: number) =>
  node.call("sendAdvertisementStatusSet", {
    data: signedData(
      AdvertisementStatusSet,
      { id: "ad-1", merchant: merchant.peer, status, timestamp: at(ms) },
      merchant,
    ),
  });
const available = (node: LoneNode) =>
  (node.call("getAdvertisement", { id: "ad-1" }) as { available_liquidity: { base_units: number } }).available_liquidity
    .base_units;
const stateOf = (node: LoneNode, method: string, id: string) => (node.call(method, { id }) as { state: string }).state;

describe("advertisements", () => {
  test.each([
    ["again", {}, merchant, 3004],
    ["a foreign key", { id: "ad-x", merchant_public_key: buyer.key }, merchant, 2001],
    ["a foreign signature", { id: "ad-x" }, buyer, 1003],
    ["minimum above maximum", { id: "ad-x", min_trade: usdc(100_000_001) }, merchant, 3003],
    ["no payment method", { id: "ad-x", payment_methods: [] }, merchant, 3003],
    [
      "another's method",
      { id: "ad-x", payment_methods: [`${buyer.peer}:0011223344556677` as PaymentMethodId] },
      merchant,
      3003,
    ],
    ["a malformed method", { id: "ad-x", payment_methods: ["M\nPesa" as PaymentMethodId] }, merchant, -32602],
    ["liquidity of other decimals", { id: "ad-x", initial_liquidity: usdc(1, 9) }, merchant, 3003],
    ["dated ten minutes ahead", { id: "ad-x", timestamp: at(840_001) }, merchant, 3],
    ["dated more than a day ago", { id: "ad-x", timestamp: (T - 90_000_000n) as EpochMillis }, merchant, 3],
    ["an id with a control character", { id: "ad\u0007" }, merchant, 3],
    ["an id with one beyond ASCII", { id: "ad\u0085" }, merchant, 3],
    ["an id shaped like a hash that is not its own", { id: merchant.key as string }, merchant, 3],
  ])("refuses %s", (_, change, by, code) => {
    expect(create(opened(), change as Partial<typeof ad>, by)).toBe(code);
  });
});

describe("reservations", () => {
  test("take liquidity once", () => {
    const node = opened();
    expect(reserve(node)).toBe("4711001");
    expect(available(node)).toBe(230_000_000);
    expect(reserve(node)).toBe(4001);
  });

  test.each([
    ["nothing", { amount: usdc(0) }, 2],
    ["a date ahead of the skew", { timestamp: at(540_001) }, 3],
    ["too little", { amount: usdc(4_999_999) }, 2],
    ["too much", { amount: usdc(100_000_001) }, 2],
    ["another price", { agreed_price: usdc(12_999, 2) }, 4007],
    ["a price of other decimals", { agreed_price: usdc(130_000, 3) }, 4007],
    ["a mid where the price is fixed", { agreed_mid: 130 }, 4007],
    ["an unknown advertisement", { advertisement_id: "ad-9" }, 3000],
    ["an amount of other decimals", { amount: usdc(20_000_000, 9) }, 2],
  ])("refuse %s", (_, change, code) => {
    expect(reserve(opened(), change)).toBe(code);
  });

  test("exhaust an advertisement, and a cancel gives back", () => {
    const node = opened();
    expect(reserve(node, { amount: usdc(100_000_000) })).toBe("4711001");
    expect(reserve(node, { id: "2", amount: usdc(100_000_000) })).toBe("2");
    expect(reserve(node, { id: "3", amount: usdc(51_000_000) })).toBe(4004);
    expect(reserve(node, { id: "3", amount: usdc(50_000_000) })).toBe("3");
    expect(node.call("getAdvertisement", { id: "ad-1" })).toMatchObject({ status: "Disabled" });
    expect(reserve(node, { id: "4", amount: usdc(5_000_000) })).toBe(4004);
    expect(setStatus(node, "Active", 241_000)).toBe(4004);
    const cancel = (id: string, by: Person, requester = by) =>
      node.call("sendReservationCancel", {
        data: signedData(ReservationCancel, { id, requester: requester.peer, timestamp: at(241_000) }, by),
      });
    expect(cancel("9", buyer)).toBe(4000);
    expect(cancel("3", merchant)).toBe(2001);
    expect(cancel("3", buyer)).toBe(null);
    expect(cancel("3", buyer)).toBe(4006);
    expect(available(node)).toBe(50_000_000);
  });

  test("expire when read, and nothing is written for it", () => {
    const node = opened();
    reserve(node);
    const before = node.roots();
    node.now = T + 240_000n + 1_800_000n;
    expect(stateOf(node, "getReservation", "4711001")).toBe("EscrowLocked");
    node.now += 1n;
    expect(node.call("getReservation", { id: "4711001" })).toMatchObject({
      state: "Expired",
      updated_at: 1_786_002_040_000,
    });
    expect(available(node)).toBe(250_000_000);
    expect(node.roots()).toEqual(before);
  });
});

describe("settlements", () => {
  test("walk from reservation to approval", () => {
    const node = opened();
    reserve(node);
    node.now = T + 500_000n;
    expect(begin(node, { reservation_id: "9" })).toBe(4000);
    expect(begin(node, { amount: usdc(20_000_001) })).toBe(2);
    expect(begin(node, { seller: third.peer, seller_public_key: third.key })).toBe(2001);
    expect(begin(node)).toBe("set-1");
    expect(begin(node)).toBe(5010);
    expect(begin(node, { id: "set-2" })).toBe(4006);
    expect(stateOf(node, "getReservation", "4711001")).toBe("Settling");
    expect(approve(node, 310_000)).toBe(5009);
    expect(pay(node, 360_000, merchant)).toBe(1003);
    expect(pay(node, 360_000, merchant, merchant)).toBe(2001);
    expect(pay(node, 360_000)).toBe(null);
    const cancelled = { settlement_id: "set-1", canceller: merchant.peer, timestamp: at(400_000) };
    expect(node.call("sendSettlementCancelled", { data: signedData(SettlementCancelled, cancelled, merchant) })).toBe(
      5009,
    );
    const reversed = { settlement_id: "set-1", buyer: buyer.peer, timestamp: at(420_000) };
    expect(node.call("sendPaymentReversed", { data: signedData(PaymentReversed, reversed, buyer) })).toBe(null);
    expect(pay(node, 430_000)).toBe(null);
    expect(approve(node, 440_000)).toBe(null);
    expect(stateOf(node, "getSettlement", "set-1")).toBe("Approved");
    expect(stateOf(node, "getReservation", "4711001")).toBe("Settled");
    expect(node.call("getTrade", { id: "4711001" })).toMatchObject({ status: "Completed" });
    expect(setStatus(node, "Deleted", 450_000)).toBe(null);
    const price = { id: "ad-1", merchant: merchant.peer, pricing: ad.pricing, timestamp: at(460_000) };
    expect(
      node.call("sendAdvertisementPriceUpdate", { data: signedData(AdvertisementPriceUpdate, price, merchant) }),
    ).toBe(3000);
    expect(node.restart().roots()).toEqual(node.roots());
  });

  test("an action on an unknown settlement is refused", () => {
    expect(pay(opened(), 240_000)).toBe(5008);
  });
});
