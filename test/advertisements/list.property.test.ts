/**
 * Goal: a list of advertisements is in order of id and holds exactly what a filter asks for; pages of any size, one
 * after another, are the whole of it; under a contested id that nobody bought from the oldest shows (protocol 02 B.8,
 * N.3; CONVERGENCE "Records and ids").
 * Method: random offers of two merchants on one node, heard by gossip, some of them closed, under the same ids; the
 * answer of the whole list, filtered here by the words of the protocol, against the pages.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { AdvertisementCreate, AdvertisementStatusSet } from "../../core/domains/trade/advertisements/schema.ts";
import { PAGE_ROWS_DEFAULT, PAGE_ROWS_MAX } from "../../core/engine/pages.ts";
import { compareText } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { usdc } from "../rpc/signed-sends.ts";

const NOW = 1_786_000_000_000n;
const merchants = [person(0x11), person(0x12)] as const;
const MINTS = ["2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU", "GwieDVo2mWeWpqAErbH9TQ94Pd2GusrfWQscJeJ4p532"] as const;
const METHODS = ["builtin:a", "builtin:b"] as const;
const statuses = ["Active", "Disabled", "Vacation", "Deleted"] as const;

const arbOffer = fc.record({
  id: fc.constantFrom("a", "b", "B", "ab", "é", "z", "0"),
  by: fc.constantFrom(0, 1),
  second: fc.nat(3),
  asset_mint: fc.constantFrom(...MINTS),
  direction: fc.constantFrom("Sell", "Buy"),
  fiat_currency: fc.constantFrom("KES", "NGN"),
  payment_methods: fc.subarray([...METHODS], { minLength: 1 }),
  min: fc.integer({ min: 1, max: 3 }),
  max: fc.integer({ min: 3, max: 6 }),
  liquidity: fc.integer({ min: 0, max: 5 }),
  status: fc.constantFrom(...statuses, "Active", "Active"),
});
type Offer = typeof arbOffer extends fc.Arbitrary<infer T> ? T : never;

/** A member that is asked for now and then. */
const seldom = <T>(...values: readonly T[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, fc.constantFrom(...values));
const arbFilter = fc.record(
  {
    asset_mint: seldom(...MINTS),
    fiat_currency: seldom("KES", "NGN"),
    direction: seldom("Sell", "Buy"),
    payment_method: seldom(...METHODS, "builtin:c"),
    amount: fc.option(fc.record({ base_units: fc.nat(6), decimals: fc.constantFrom(6, 6, 6, 5) }), { freq: 2 }),
    merchant: seldom(merchants[0].peer, merchants[1].peer),
    statuses: fc.oneof(fc.constant([...statuses]), fc.option(fc.subarray([...statuses]))),
  },
  { requiredKeys: ["amount"] },
);
type Filter = typeof arbFilter extends fc.Arbitrary<infer T> ? T : never;

interface View {
  readonly id: string;
  readonly asset_mint: string;
  readonly fiat_currency: string;
  readonly direction: string;
  readonly merchant: string;
  readonly payment_methods: readonly string[];
  readonly status: string;
  readonly min_trade: { readonly base_units: number; readonly decimals: number };
  readonly max_trade: { readonly base_units: number };
  readonly available_liquidity: { readonly base_units: number };
}
interface Page {
  readonly advertisements: readonly View[];
  readonly next_cursor: string | null;
}

function nodeOf(offers: readonly Offer[], isParity: boolean): LoneNode {
  const node = isParity ? parityNode(NOW) : loneNode(NOW);
  for (const { id, by, second, min, max, liquidity, status, ...fields } of offers) {
    const merchant = merchants[by] ?? merchants[0];
    const timestamp = NOW - 10_000n + BigInt(second * 1_000);
    const payload = {
      ...{ id, merchant: merchant.peer, merchant_public_key: merchant.key, ...fields },
      ...{ min_trade: usdc(min), max_trade: usdc(max), initial_liquidity: usdc(liquidity) },
      ...{ pricing: { Fixed: { price: usdc(1, 2) } }, timestamp },
    };
    node.gossip(AdvertisementCreate, payload as never, merchant);
    const edit = { id, merchant: merchant.peer, status, timestamp: timestamp + 1n };
    if (status !== "Active") node.gossip(AdvertisementStatusSet, edit as never, merchant);
  }
  return node;
}

/** What the words of a filter ask for; a status that is not said is Active. */
function isAsked(view: View, filter: Filter): boolean {
  const { asset_mint, fiat_currency, direction, merchant, payment_method, amount } = filter;
  const equal = { asset_mint, fiat_currency, direction, merchant };
  const members = Object.entries(equal).filter(([, value]) => value !== undefined && value !== null);
  if (members.some(([name, value]) => view[name as keyof typeof equal] !== value)) return false;
  if (!(filter.statuses ?? ["Active"]).some((status) => status === view.status)) return false;
  if (payment_method && !view.payment_methods.includes(payment_method)) return false;
  if (!amount) return true;
  const most = Math.min(view.max_trade.base_units, view.available_liquidity.base_units);
  return amount.decimals === 6 && amount.base_units >= view.min_trade.base_units && amount.base_units <= most;
}

function pagesOf(node: LoneNode, filter: Filter, limit: number): readonly View[] {
  const found: View[] = [];
  for (let after: string | null = null, full = true; full; ) {
    const asked = { filter, page: { after, limit } };
    const { advertisements, next_cursor } = node.call("getAdvertisements", asked) as Page;
    found.push(...advertisements);
    expect(advertisements.length).toBeLessThanOrEqual(Math.max(limit, 1));
    expect(next_cursor).toBe(advertisements.length === Math.max(limit, 1) ? (advertisements.at(-1)?.id ?? null) : null);
    after = next_cursor;
    full = after !== null;
  }
  return found;
}

const byId = (a: View, b: View) => compareText(a.id, b.id);

test("lists are in order, hold what is asked for, and are the sum of their pages", () => {
  const holds = (offers: readonly Offer[], filter: Filter, limit: number, isParity: boolean) => {
    const node = nodeOf(offers, isParity);
    const ids = [...new Set(offers.map(({ id }) => id))];
    const all = ids.map((id) => node.call("getAdvertisement", { id }) as View).sort(byId);
    const wanted = all.filter((view) => isAsked(view, filter));
    expect(node.call("getAdvertisements", { filter })).toEqual({ advertisements: wanted, next_cursor: null });
    expect(pagesOf(node, filter, limit)).toEqual(wanted);
    const active = all.filter(({ status }) => status === "Active");
    const bare = isParity ? { advertisements: active, next_cursor: null } : active;
    expect(node.call("getAdvertisements", {})).toEqual(bare);
    for (const view of all) expect(view).toMatchObject(shownOf(offers, view.id));
    const { amount } = filter;
    return [
      ...(ids.length < new Set(offers.map(({ id, by }) => `${id}${by}`)).size ? ["a contested id"] : []),
      ...(wanted.length > 0 && wanted.length < all.length ? ["some are asked for"] : []),
      ...(wanted.length > Math.max(limit, 1) ? ["several pages"] : []),
      ...(wanted.length === limit ? ["exactly one page"] : []),
      ...(amount && all.some((view) => view.min_trade.base_units === amount.base_units) ? ["the least amount"] : []),
      ...(amount && all.some((view) => view.available_liquidity.base_units === amount.base_units)
        ? ["all that is left"]
        : []),
      ...(all.some(({ status }) => status === "Disabled") ? ["disabled"] : []),
    ];
  };
  forAll(
    [fc.array(arbOffer, { minLength: 4, maxLength: 12 }), arbFilter, fc.integer({ min: 0, max: 3 }), fc.boolean()],
    holds,
    {
      runs: 40,
      sample: 100,
      shares: {
        "a contested id": 0.5,
        "some are asked for": 0.25,
        "several pages": 0.15,
        "exactly one page": 0.05,
        "the least amount": 0.1,
        "all that is left": 0.1,
        disabled: 0.4,
      },
    },
  );
});

/** Who made the offer that a contested id shows, and when: the oldest, and of equal dates any. */
function shownOf(offers: readonly Offer[], id: string): { readonly created_at: number } {
  const dates = offers.filter((offer) => offer.id === id).map(({ second }) => second);
  return { created_at: Number(NOW) - 10_000 + Math.min(...dates) * 1_000 };
}

test("a page holds so many unless told, and never more than the most", () => {
  const node = loneNode(NOW);
  const ids = Array.from({ length: PAGE_ROWS_MAX + 1 }, (_, n) => String(n).padStart(3, "0"));
  for (const [n, id] of ids.entries()) {
    node.now = NOW + BigInt(n) * 1_000n;
    const merchant = merchants[n % 2] ?? merchants[0];
    const payload = { ...offer, id, merchant: merchant.peer, merchant_public_key: merchant.key };
    node.gossip(AdvertisementCreate, payload as never, merchant);
  }
  const sizes = [undefined, 1, PAGE_ROWS_MAX - 1, PAGE_ROWS_MAX, PAGE_ROWS_MAX + 1].map((limit) => {
    const page = limit === undefined ? { after: null } : { after: null, limit };
    return (node.call("getAdvertisements", { page }) as Page).advertisements.length;
  });
  expect(sizes).toEqual([PAGE_ROWS_DEFAULT, 1, PAGE_ROWS_MAX - 1, PAGE_ROWS_MAX, PAGE_ROWS_MAX]);
  expect((node.call("getAdvertisements") as readonly View[]).length).toBe(ids.length);
});

const offer = {
  asset_mint: MINTS[0],
  direction: "Sell",
  fiat_currency: "KES",
  payment_methods: [METHODS[0]],
  ...{ min_trade: usdc(1), max_trade: usdc(2), initial_liquidity: usdc(3) },
  ...{ pricing: { Fixed: { price: usdc(1, 2) } }, timestamp: NOW },
};
