// Goal: a party reads every trade of its own, also where another signed the same id (CONVERGENCE "Records and ids"),
// in one order whatever came first; the public list shows one for each id (protocol 02 E).
// Method: two takers who request under one id, both of whom begin a settlement; heard in both orders.
import { describe, expect, test } from "vitest";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import { proofFor } from "../wallet-proofs/caller.ts";

const T = 1_786_000_000_000n;
const at = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const [merchant, one, two, stranger] = [person(0x11), person(0x22), person(0x33), person(0x44)];
const usdc = (base_units: number, decimals = 6) => ({ base_units: BigInt(base_units), decimals });

function advertise(node: LoneNode): void {
  const ad = {
    id: "ad-1",
    merchant: merchant.peer,
    merchant_public_key: merchant.key,
    asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress,
    direction: "Sell" as const,
    fiat_currency: "KES" as FiatCurrency,
    min_trade: usdc(1),
    max_trade: usdc(100),
    initial_liquidity: usdc(1_000),
    pricing: { Fixed: { price: usdc(13_000, 2) } },
    payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId],
    timestamp: at(0),
  };
  node.gossip(AdvertisementCreate, ad, merchant);
}

/** A request and a settlement of one taker, all takers under the same reservation id. */
function take(node: LoneNode, by: Person, units: number): void {
  const request = {
    id: "42",
    advertisement_id: "ad-1",
    requester: by.peer,
    requester_public_key: by.key,
    amount: usdc(units),
    agreed_price: usdc(13_000, 2),
    agreed_mid: null,
    timestamp: at(units),
  };
  node.gossip(ReservationRequest, request, by);
  const initiate = {
    id: `s-${units}`,
    reservation_id: "42",
    buyer: by.peer,
    buyer_public_key: by.key,
    seller: merchant.peer,
    seller_public_key: merchant.key,
    amount: usdc(units),
    timestamp: at(units + 1),
  };
  node.gossip(SettlementInitiate, initiate, by);
}

interface Row {
  readonly reservation: { readonly id: string; readonly requester: string; readonly state: string };
  readonly settlement: { readonly id: string; readonly buyer: string } | null;
}
const mine = (node: LoneNode, person: Person) =>
  (node.call("getMyTrades", proofFor(node, "getMyTrades", person)) as Row[]).map(
    ({ settlement }) => settlement?.id ?? null,
  );

describe.each([
  ["in one order", [one, two]],
  ["in the other", [two, one]],
] as const)("two takers of one reservation id, heard %s", (_, order) => {
  function node(): LoneNode {
    const held = loneNode(at(100));
    advertise(held);
    for (const by of order) take(held, by, by === one ? 10 : 20);
    return held;
  }

  test("each reads its own, the merchant both, a stranger none", () => {
    const held = node();
    expect([mine(held, one), mine(held, two), mine(held, stranger)]).toEqual([["s-10"], ["s-20"], []]);
    expect(new Set(mine(held, merchant))).toEqual(new Set(["s-10", "s-20"]));
    const again = loneNode(at(100));
    advertise(again);
    for (const by of [...order].reverse()) take(again, by, by === one ? 10 : 20);
    expect(mine(again, merchant)).toEqual(mine(held, merchant));
  });

  test("rows hold both full records and no status; the public list shows one trade, without people", () => {
    const held = node();
    const [row] = held.call("getMyTrades", proofFor(held, "getMyTrades", one)) as Row[];
    expect(Object.keys(row ?? {})).toEqual(["reservation", "settlement"]);
    expect(row).toMatchObject({ reservation: { requester: one.peer }, settlement: { buyer: one.peer } });
    const listed = held.call("getTrades") as Row[];
    expect(listed.map(({ reservation }) => reservation.id)).toEqual(["42"]);
    expect(JSON.stringify(listed)).not.toMatch(/12D3Koo/);
    expect((held.call("getMyReservations", proofFor(held, "getMyReservations", two)) as unknown[]).length).toBe(1);
  });
});
