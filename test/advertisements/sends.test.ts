/**
 * Goal: a create and each edit are taken exactly as protocol 02 B.6 says, at every status of the advertisement, and
 * what is taken shows (B.2, B.7, B.8).
 * Method: a node's JSON-RPC ingress; a table of every step by every status under both rules; terms at their bounds; the
 * whole answer of a read.
 */
import { describe, expect, test } from "vitest";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { buyer, merchant, resultOf, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import type { Profile, Sends, Step } from "../rpc/step-table.ts";
import { answersFor, expectSteps, profiles } from "../rpc/step-table.ts";

const NOW = 1_786_000_000_000n;
const [PARAMETER, SIGNATURE, WHO, NOT_FOUND, INVALID, DUPLICATE, LACKS] = [3, 1003, 2001, 3000, 3003, 3004, 4004];

/** What was said after the create, each a second after the one before. */
const scripts = {
  active: [],
  disabled: [(sends: Sends) => sends.disable()],
  "on vacation": [(sends: Sends) => sends.status({ status: "Vacation" })],
  "active again": [(sends: Sends) => sends.disable(), (sends: Sends) => sends.status({ status: "Active" })],
  deleted: [(sends: Sends) => sends.status({ status: "Deleted" })],
  "sold out": ["1", "2", "3"].map((id, n) => {
    return (sends: Sends) => sends.reserve({ id, amount: usdc(n === 2 ? 50_000_000 : 100_000_000) });
  }),
} as const satisfies Record<string, readonly ((sends: Sends) => string)[]>;
type Stage = keyof typeof scripts;
const stages = Object.keys(scripts) as readonly Stage[];

function staged(stage: Stage, profile: Profile): LoneNode {
  const node = profile === "parity" ? parityNode(NOW) : loneNode(NOW);
  for (const send of [(sends: Sends) => sends.create(), ...scripts[stage]]) {
    node.now += 1_000n;
    send(signedSends(node));
  }
  node.now += 1_000n;
  return node;
}

const row = answersFor(stages);
const same = (answers: Step<Stage>["answers"]["default"]) => ({ default: answers, parity: answers });
const gone = { deleted: NOT_FOUND } as const;
const NOBODY = { id: "ad-2" };
const OF_THIRD = { merchant: third.peer };

type Send = Step<Stage>["send"];
/** Each kind of edit, with the words that a change is made to. */
const edits: readonly (readonly [string, (fields: object, by?: typeof third) => Send])[] = [
  ["a price", (fields, by) => (sends) => sends.price({ ...fields }, by ?? merchant)],
  ["terms", (fields, by) => (sends) => sends.terms({ ...fields }, by ?? merchant)],
  ["a status", (fields, by) => (sends) => sends.status({ status: "Vacation", ...fields }, by ?? merchant)],
  ["a disable", (fields, by) => (sends) => sends.disable({ ...fields }, by ?? merchant)],
];

const steps: readonly Step<Stage>[] = [
  {
    name: "the same id again",
    send: (sends) => sends.create(),
    answers: same(row(DUPLICATE)),
  },
  {
    name: "the same id by another merchant",
    send: (sends) => sends.create({ ...OF_THIRD, merchant_public_key: third.key }, third),
    answers: same(row(DUPLICATE)),
  },
  ...edits.flatMap(([what, edit]): Step<Stage>[] => [
    { name: `${what} of the merchant`, send: edit({}), answers: same(row("taken", gone)) },
    { name: `${what} of nothing`, send: edit(NOBODY), answers: same(row(NOT_FOUND)) },
    { name: `${what} of another merchant`, send: edit(OF_THIRD, third), answers: same(row(SIGNATURE)) },
    {
      name: `${what} in another's name, by the merchant`,
      send: edit(OF_THIRD),
      answers: { default: row(SIGNATURE), parity: row(WHO) },
    },
    { name: `${what} that a stranger signs`, send: edit({}, third), answers: same(row(SIGNATURE)) },
  ]),
  {
    name: "opening",
    send: (sends) => sends.status({ status: "Active" }),
    answers: same(row("taken", { ...gone, "sold out": LACKS })),
  },
  {
    name: "closing while nothing is left",
    send: (sends) => sends.status({ status: "Disabled" }),
    answers: same(row("taken", gone)),
  },
  {
    name: "disabling by the other form",
    send: (sends) => sends.disableBySet(),
    answers: same(row("taken", gone)),
  },
  {
    name: "disabling by a form that says Active",
    send: (sends) => sends.disableBySet({ status: "Active" }),
    answers: same(row(PARAMETER, gone)),
  },
];
const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("every step about one that is %s, %s", (stage, profile) => {
  expectSteps(() => staged(stage, profile), steps, profile, stage);
});

describe("terms", () => {
  const own = (name: string) => `${merchant.peer}:${name}`;
  const rows = [
    ["equal bounds", { min_trade: usdc(7), max_trade: usdc(7) }, true],
    ["bounds the wrong way round", { min_trade: usdc(8), max_trade: usdc(7) }, false],
    ["bounds of other decimals", { min_trade: usdc(7, 5), max_trade: usdc(7, 6) }, false],
    ["no way to pay", { payment_methods: [] }, false],
    ["the merchant's own way to pay", { payment_methods: [own("0123456789abcdef")] }, true],
    ["another's way to pay", { payment_methods: [`${buyer.peer}:0123456789abcdef`] }, false],
    [
      "another's way to pay beside known ones",
      { payment_methods: ["builtin:mpesa-kenya", `${buyer.peer}:0123456789abcdef`] },
      false,
    ],
  ] as const;

  test.each(rows)("%s", (_, fields, usable) => {
    for (const profile of profiles) {
      const node = profile === "parity" ? parityNode(NOW) : loneNode(NOW);
      expect(resultOf(signedSends(node).create(fields))).toBe(usable ? "ad-1" : INVALID);
      expect(resultOf(signedSends(staged("active", profile)).terms(fields))).toBe(usable ? null : INVALID);
    }
  });

  test("liquidity of other decimals than the bounds is refused by ours", () => {
    const fields = { initial_liquidity: usdc(250_000_000, 5) };
    expect(resultOf(signedSends(loneNode(NOW)).create(fields))).toBe(INVALID);
    expect(resultOf(signedSends(parityNode(NOW)).create(fields))).toBe("ad-1");
  });
});

describe("a read", () => {
  const second = (n: number) => Number(NOW) + n * 1_000;
  const amount = (base_units: number, decimals = 6) => ({ base_units, decimals });
  const shown = {
    id: "ad-1",
    merchant: merchant.peer,
    merchant_public_key: merchant.key,
    asset_mint: "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU",
    direction: "Sell",
    fiat_currency: "KES",
    min_trade: amount(5_000_000),
    max_trade: amount(100_000_000),
    available_liquidity: amount(250_000_000),
    pricing: { Fixed: { price: amount(13_000, 2) } },
    payment_methods: ["builtin:mpesa-kenya"],
    status: "Active",
    created_at: second(1),
    updated_at: second(1),
    asset_symbol: "USDC",
    quote: { kind: "Fixed", price: amount(13_000, 2) },
  };
  const read: Readonly<Record<Stage, object>> = {
    active: shown,
    disabled: { ...shown, status: "Disabled", updated_at: second(2) },
    "on vacation": { ...shown, status: "Vacation", updated_at: second(2) },
    "active again": { ...shown, updated_at: second(3) },
    deleted: { ...shown, status: "Deleted", updated_at: second(2) },
    "sold out": { ...shown, status: "Disabled", available_liquidity: amount(0), updated_at: second(4) },
  };

  test.each(cells)("of one that is %s, %s", (stage, profile) => {
    const node = staged(stage, profile);
    expect(node.call("getAdvertisement", { id: "ad-1" })).toEqual(read[stage]);
    expect(node.call("getAdvertisement", { id: "ad-2" })).toBeNull();
    const listed = (read[stage] as { readonly status: string }).status === "Active" ? [read[stage]] : [];
    const page = { advertisements: listed, next_cursor: null };
    expect(node.call("getAdvertisements", {})).toEqual(profile === "parity" ? page : listed);
  });

  test.each(profiles)("shows the newest price, terms and way to pay, %s", (profile) => {
    const node = staged("active", profile);
    signedSends(node).price({ pricing: { Fixed: { price: usdc(12_000, 2) } } });
    signedSends(node).terms({
      min_trade: usdc(1),
      max_trade: usdc(2),
      payment_methods: [`${merchant.peer}:0123456789abcdef`],
    });
    expect(node.call("getAdvertisement", { id: "ad-1" })).toEqual({
      ...shown,
      min_trade: amount(1),
      max_trade: amount(2),
      payment_methods: [`${merchant.peer}:0123456789abcdef`],
      pricing: { Fixed: { price: amount(12_000, 2) } },
      quote: { kind: "Fixed", price: amount(12_000, 2) },
      updated_at: second(2),
    });
  });

  test("of one that ran dry stays Disabled to the reference until its merchant says Active again", () => {
    for (const [profile, status] of [
      ["default", "Active"],
      ["parity", "Disabled"],
    ] as const) {
      const node = staged("sold out", profile);
      signedSends(node).release({ id: "2" });
      expect(node.call("getAdvertisement", { id: "ad-1" })).toMatchObject({
        available_liquidity: amount(100_000_000),
        status,
      });
      node.now += 1_000n;
      signedSends(node).status({ status: "Active" });
      expect(node.call("getAdvertisement", { id: "ad-1" })).toMatchObject({ status: "Active" });
    }
  });
});
