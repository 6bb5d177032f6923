/**
 * Goal: a request is taken exactly when its advertisement allows it, to the unit and the millisecond, and a cancel
 * while its reservation waits (protocol 02 C.4, N.19, O.15); whatever is refused changes nothing.
 * Method: a node's JSON-RPC ingress; tables of amounts, prices, dates and statuses at their bounds, and of cancels by
 * stage.
 */
import { describe, expect, test } from "vitest";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, parityNode } from "../rpc/lone-node.ts";
import { proofOf } from "../rpc/prove.ts";
import { buyer, merchant, resultOf, signedSends, third, usdc } from "../rpc/signed-sends.ts";
import type { Profile, Sends, Step } from "../rpc/step-table.ts";
import { answersFor, expectSteps, profiles } from "../rpc/step-table.ts";
import type { Stage } from "../settlements/stages.ts";
import { NOW, staged, stages } from "../settlements/stages.ts";

const [REQUEST, PARAMETER, NO_AD, EXISTS, LACKS, STATE, PRICE] = [2, 3, 3000, 4001, 4004, 4006, 4007];
const [UNKNOWN, WHO] = [4000, 2001];

/** A node with one advertisement of 250 units, of which one trade may take 5 to 100, and what was said about it. */
function selling(profile: Profile, send: (sends: Sends) => unknown = () => undefined): LoneNode {
  const node = profile === "parity" ? parityNode(NOW) : loneNode(NOW);
  signedSends(node).create();
  node.now += 1_000n;
  send(signedSends(node));
  node.now += 1_000n;
  return node;
}

/** What a request answers: its id when it is taken. */
function asked(node: LoneNode, fields: Parameters<Sends["reserve"]>[0]): unknown {
  const before = node.roots();
  const answer = resultOf(signedSends(node).reserve({ id: "9", ...fields }));
  if (answer !== "9") expect(node.roots()).toEqual(before);
  return answer;
}

const amounts = [
  [0, 6, REQUEST, REQUEST],
  [4_999_999, 6, REQUEST, REQUEST],
  [5_000_000, 6, "9", "9"],
  [100_000_000, 6, "9", "9"],
  [100_000_001, 6, REQUEST, REQUEST],
  [20_000_000, 5, REQUEST, LACKS],
] as const;

test.each(amounts)(
  "%i units at %i decimals within the terms of an advertisement",
  (units, decimals, ours, reference) => {
    const amount = usdc(units, decimals);
    expect(asked(selling("default"), { amount })).toBe(ours);
    expect(asked(selling("parity"), { amount })).toBe(reference);
  },
);

describe("an amount of what is left", () => {
  const sold = (...units: readonly number[]) => {
    return (sends: Sends) =>
      units.forEach((each, n) => void sends.reserve({ id: `${n + 1}`, amount: usdc(each * 1_000_000) }));
  };

  test.each([
    [[100, 100], 50_000_000, "9", "9"],
    [[100, 100], 50_000_001, LACKS, LACKS],
    [[100, 100, 45], 5_000_000, "9", "9"],
    [[100, 100, 46], 5_000_000, LACKS, LACKS],
    [[100, 100, 50], 5_000_000, LACKS, NO_AD],
  ] as const)("after %j: %i", (units, amount, ours, reference) => {
    expect(asked(selling("default", sold(...units)), { amount: usdc(amount) })).toBe(ours);
    expect(asked(selling("parity", sold(...units)), { amount: usdc(amount) })).toBe(reference);
  });

  test("nothing left is said before another status is, by ours", () => {
    const node = selling("default", sold(100, 100, 50));
    signedSends(node).status({ status: "Disabled" });
    expect(asked(node, {})).toBe(LACKS);
    node.now += 1n;
    signedSends(node).status({ status: "Vacation" });
    expect(asked(node, {})).toBe(NO_AD);
  });
});

test.each([
  ["Active", "9"],
  ["Disabled", NO_AD],
  ["Vacation", NO_AD],
  ["Deleted", NO_AD],
] as const)("of an advertisement that is %s", (status, answer) => {
  for (const profile of profiles) {
    expect(
      asked(
        selling(profile, (sends) => sends.status({ status })),
        {},
      ),
    ).toBe(answer);
  }
});

test.each([
  ["that price", { agreed_price: usdc(13_000, 2) }, "9"],
  ["more", { agreed_price: usdc(13_001, 2) }, PRICE],
  ["less", { agreed_price: usdc(12_999, 2) }, PRICE],
  ["other decimals", { agreed_price: usdc(13_000, 3) }, PRICE],
  ["a mid rate", { agreed_mid: 130 }, PRICE],
] as const)("at %s, where the price is fixed", (_, fields, answer) => {
  for (const profile of profiles) expect(asked(selling(profile), fields)).toBe(answer);
});

test.each([
  [300_000n, "9", "9"],
  [300_001n, PARAMETER, PARAMETER],
  [-86_400_000n, "9", "9"],
  [-86_400_001n, PARAMETER, "9"],
] as const)("dated %i ms from now", (offset, ours, reference) => {
  for (const profile of profiles) {
    const node = selling(profile);
    expect(asked(node, { timestamp: node.now + offset })).toBe(profile === "default" ? ours : reference);
  }
});

describe("the hold", () => {
  const HOLDS_MS = 1_800_000n;
  const ended = (after: bigint) => {
    const node = selling("default");
    signedSends(node).reserve({ id: "3" });
    const held = node.now;
    node.now = held + HOLDS_MS + after;
    return { node, held };
  };
  const leftOf = (node: LoneNode) => {
    const { available_liquidity } = node.call("getAdvertisement", { id: "ad-1" }) as {
      readonly available_liquidity: { readonly base_units: number };
    };
    return available_liquidity.base_units;
  };

  test("lasts to the last millisecond of its window", () => {
    const { node, held } = ended(0n);
    const dates = { updated_at: Number(held), expires_at: Number(held + HOLDS_MS) };
    expect(node.call("getReservation", { id: "3" })).toMatchObject({ state: "EscrowLocked", ...dates });
    expect(leftOf(node)).toBe(230_000_000);
    expect(resultOf(signedSends(node).initiate({ reservation_id: "3" }))).toBe("set-1");
    expect(resultOf(signedSends(ended(0n).node).release({ id: "3" }))).toBeNull();
  });

  test("is over one millisecond later, and dates the record", () => {
    const { node, held } = ended(1n);
    const dates = { updated_at: Number(held + HOLDS_MS), expires_at: Number(held + HOLDS_MS) };
    expect(node.call("getReservation", { id: "3" })).toMatchObject({ state: "Expired", ...dates });
    expect(leftOf(node)).toBe(250_000_000);
    expect(resultOf(signedSends(node).initiate({ reservation_id: "3" }))).toBe(STATE);
    expect(resultOf(signedSends(node).release({ id: "3" }))).toBe(STATE);
  });

  test("ends when its requester cancels", () => {
    const node = selling("default", (sends) => sends.reserve({ id: "3" }));
    expect(leftOf(node)).toBe(230_000_000);
    const { now } = node;
    expect(resultOf(signedSends(node).release({ id: "3" }))).toBeNull();
    expect(node.call("getReservation", { id: "3" })).toMatchObject({ state: "Cancelled", updated_at: Number(now) });
    expect(leftOf(node)).toBe(250_000_000);
    expect(resultOf(signedSends(node).release({ id: "3", timestamp: now + 1n }))).toBe(STATE);
  });
});

const row = answersFor(stages);
const waits = { rejected: "taken", cancelled: "taken", "cancelled by the seller": "taken" } as const;
const steps: readonly Step<Stage>[] = [
  {
    name: "the requester cancels",
    send: (sends) => sends.release(),
    answers: {
      default: row(STATE, { ...waits, "won by the merchant": "taken" }),
      parity: row(STATE, { ...waits, "won by the merchant": "taken" }),
    },
  },
  {
    name: "somebody else cancels",
    send: (sends) => sends.release({ requester: third.peer }, third),
    answers: { default: row(WHO), parity: row(WHO) },
  },
  {
    name: "the requester cancels what nobody asked for",
    send: (sends) => sends.release({ id: "9" }),
    answers: { default: row(UNKNOWN), parity: row(UNKNOWN) },
  },
  {
    name: "the requester asks again",
    send: (sends) => sends.reserve(),
    answers: { default: row(EXISTS), parity: row(EXISTS) },
  },
  {
    name: "the merchant asks under the same id",
    send: (sends) => sends.reserve({ requester: merchant.peer, requester_public_key: merchant.key }, merchant),
    answers: { default: row(EXISTS), parity: row(EXISTS) },
  },
];
const cells = profiles.flatMap((profile) => stages.map((stage) => [stage, profile] as const));

test.each(cells)("every step about the reservation of a trade at the stage %s, %s", (stage, profile) => {
  expectSteps(() => staged(stage, profile), steps, profile, stage);
});

describe("reads", () => {
  const second = (n: number) => Number(NOW) + n * 1_000;
  const record = {
    id: "1",
    advertisement_id: "ad-1",
    amount: { base_units: 20_000_000, decimals: 6 },
    agreed_price: { base_units: 13_000, decimals: 2 },
    agreed_mid: null,
    state: "EscrowLocked",
    requested_at: second(1),
    updated_at: second(1),
    expires_at: second(1) + 1_800_000,
  };
  const people = { requester: buyer.peer, requester_public_key: buyer.key };

  test.each(profiles)(
    "of a stranger leave the requester out, %s; whoever asked reads all, and nobody else",
    (profile) => {
      const node = selling(profile, (sends) => sends.reserve());
      const shown = profile === "parity" ? record : { ...record, received_at: null };
      const whole = { ...shown, ...people };
      expect(node.call("getReservation", { id: "1" })).toEqual(shown);
      expect(node.call("getReservations")).toEqual([shown]);
      expect(node.call("getReservation", { id: "2" })).toBeNull();
      const own = (who: Person) => node.call("getMyReservations", proofOf(node, "openfiat-my-reservations", who));
      expect(own(buyer)).toEqual([whole]);
      expect([own(merchant), own(third)]).toEqual([[], []]);
    },
  );
});
