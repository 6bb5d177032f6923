/**
 * Goal: the four lists of a trade are answered in pages where `page` asks for it: of any size, one after another, they
 * are the whole list; nothing else that is said to them changes it (protocol 02 O.29, B.8; 03 W-6).
 * Method: random requests of a buyer on one node, under ids of any order, some settled and some of those disputed; the
 * whole list against its pages, from any id on; a table of what asks for no page and of what no page is; the reference.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import { PaymentSubmitted, SettlementInitiate } from "../../core/domains/trade/settlements/schema.ts";
import { PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from "../../core/engine/pages.ts";
import { compareText } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;
const [merchant, buyer] = [person(0x11), person(0x22)];
const lists = {
  getReservations: "reservations",
  getSettlements: "settlements",
  getTrades: "trades",
  getDisputes: "disputes",
} as const;
type Method = keyof typeof lists;
type Row = { readonly id?: string; readonly reservation?: { readonly id: string } };
const methods = Object.keys(lists) as readonly Method[];
const idOf = ({ id, reservation }: Row) => id ?? reservation?.id ?? "";

/** How far a trade went: a request, its settlement, a dispute of it. */
type Trade = readonly [id: number, reach: number];

function nodeOf(trades: readonly Trade[], node: LoneNode = loneNode(NOW)): LoneNode {
  node.gossip(AdvertisementCreate, offer as never, merchant);
  for (const [number, reach] of trades) {
    const id = `${number}`;
    const signs = (type: unknown, payload: object, at: bigint) =>
      node.gossip(type as never, { ...payload, timestamp: NOW - 1_000n + at } as never, buyer);
    const request = { id, advertisement_id: "ad-1", requester: buyer.peer, requester_public_key: buyer.key };
    signs(ReservationRequest, { ...request, amount: usdc(5), agreed_price: usdc(1, 2), agreed_mid: null }, 0n);
    const parties = { buyer: buyer.peer, seller: merchant.peer, seller_public_key: merchant.key };
    const begun = { id: `s${id}`, reservation_id: id, buyer_public_key: buyer.key, ...parties, amount: usdc(5) };
    if (reach < 1) continue;
    signs(SettlementInitiate, begun, 1n);
    if (reach < 2) continue;
    signs(PaymentSubmitted, { settlement_id: `s${id}`, buyer: buyer.peer, payment_reference: null }, 2n);
    const open = { id: `d${id}`, settlement_id: `s${id}`, opener: buyer.peer, opener_public_key: buyer.key };
    signs(DisputeOpen, { ...open, reason: "late" }, 3n);
  }
  return node;
}

/** One page as a node answers it. */
function pageOf(
  node: LoneNode,
  method: Method,
  page: object,
): { readonly rows: readonly Row[]; readonly next: unknown } {
  const answer = node.call(method, { page }) as Readonly<Record<string, unknown>>;
  expect(new Set(Object.keys(answer))).toEqual(new Set([lists[method], "next_cursor"]));
  return { rows: answer[lists[method]] as readonly Row[], next: answer["next_cursor"] };
}

test("lists are the sum of their pages, from any id on", () => {
  const holds = (trades: readonly Trade[], limit: number, after: string) => {
    const node = nodeOf(trades);
    const sizes = methods.map((method) => {
      const all = node.call(method) as readonly Row[];
      const found: Row[] = [];
      for (let from: unknown = null, full = true; full; ) {
        const { rows, next } = pageOf(node, method, { after: from, limit });
        found.push(...rows);
        expect(next).toBe(rows.length === Math.max(limit, 1) ? idOf(rows.at(-1) as Row) : null);
        from = next;
        full = next !== null;
      }
      expect(found).toEqual(all);
      const behind = all.filter((row) => compareText(idOf(row), after) > 0);
      expect(pageOf(node, method, { after, limit: PAGE_ROWS_MAX }).rows).toEqual(behind);
      return all.length;
    });
    const [reservations = 0, settlements = 0, joined, disputes = 0] = sizes;
    expect(joined).toBe(reservations);
    return [
      ...(disputes > 1 && settlements > disputes && reservations > settlements ? ["three lengths"] : []),
      ...(reservations > Math.max(limit, 1) ? ["several pages"] : []),
      ...(reservations > 0 && reservations % Math.max(limit, 1) === 0 ? ["a full last page"] : []),
      ...(trades.some(([id]) => `${id}` === after) ? ["behind a row"] : ["behind none"]),
    ];
  };
  const arbId = fc.integer({ min: 1, max: 30 });
  forAll(
    [
      fc.uniqueArray(fc.tuple(arbId, fc.nat(2)), { selector: ([id]) => id, minLength: 3, maxLength: 9 }),
      fc.integer({ min: 0, max: 4 }),
      arbId.map(String),
    ],
    holds,
    {
      runs: 40,
      sample: 100,
      shares: {
        "three lengths": 0.15,
        "several pages": 0.4,
        "a full last page": 0.2,
        "behind a row": 0.1,
        "behind none": 0.4,
      },
    },
  );
});

test("a page holds so many unless told, and never more than the most", () => {
  const many = Array.from({ length: PAGE_ROWS_MAX + 1 }, (_, n): Trade => [n + 1, 2]);
  const node = nodeOf(many);
  for (const method of methods) {
    const sizes = [{}, { limit: null }, { limit: 1 }, { limit: PAGE_ROWS_MAX }, { limit: PAGE_ROWS_MAX + 1 }].map(
      (page) => pageOf(node, method, page).rows.length,
    );
    expect(sizes, method).toEqual([PAGE_ROWS_DEFAULT, PAGE_ROWS_DEFAULT, 1, PAGE_ROWS_MAX, PAGE_ROWS_MAX]);
    expect((node.call(method) as readonly Row[]).length).toBe(many.length);
  }
});

describe.each(methods)("%s", (method) => {
  const node = nodeOf([[1, 2]]);
  const whole = node.call(method);

  test.each([undefined, null, {}, [], 7, "page", { page: null }, { limit: 1 }, [{ limit: 1 }]])(
    "%j asks for no page",
    (params) => {
      expect(node.call(method, params as never)).toEqual(whole);
      expect(whole).toHaveLength(1);
    },
  );

  test.each([7, "", [], { limit: -1 }, { limit: 0.5 }, { limit: "1" }, { after: 1 }])("no page: %j", (page) => {
    expect(node.call(method, { page })).toBe(-32602);
  });

  test("the reference ignores it", () => {
    const reference = nodeOf([[1, 2]], parityNode(NOW));
    const listed = reference.call(method);
    expect(listed).toHaveLength(1);
    for (const page of [{ limit: 1 }, 7]) expect(reference.call(method, { page })).toEqual(listed);
  });
});

const offer = {
  ...{ id: "ad-1", merchant: merchant.peer, merchant_public_key: merchant.key },
  ...{ asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", direction: "Sell", fiat_currency: "KES" },
  ...{ min_trade: usdc(1), max_trade: usdc(10), initial_liquidity: usdc(1_000) },
  ...{ pricing: { Fixed: { price: usdc(1, 2) } }, payment_methods: ["builtin:a"], timestamp: NOW - 5_000n },
};
