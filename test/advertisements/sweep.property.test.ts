// Goal: the sweep's laws (CONVERGENCE "Allocation").
// - Unacknowledged holds never exceed, at any instant, what acknowledged ones leave.
// - Acknowledged requests are granted whatever else there is, unless a status older than 2H bars them.
// - The result is one of the set, not of an order.
// - A request that is added, of whatever date, takes a grant only from unacknowledged ones, and each that loses its
//   grant follows, within 30 minutes, one that newly got it. (It need not be the added one: a displaced request makes
//   room for a third, which may displace a fourth. Nothing dated before the added request ever changes.)
// Method: random allocations with frequent equal dates, early ends and closed statuses, and holds counted naively.

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { compareAllocations, STATUS_FINAL_MS } from "../../core/domains/trade/advertisements/allocation.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { at } from "../convergence/actors.ts";
import { shuffleOf } from "../convergence/shuffle.ts";
import { forAll } from "../property/for-all.ts";
import type { Dated } from "./sweep-model.ts";
import { sweep } from "./sweep-model.ts";

const WINDOW = 30 * 60_000;
const LIQUIDITY = 100n;

interface Draw {
  readonly minute: number;
  readonly units: number;
  readonly acknowledged: boolean;
  readonly endsAfter: number | null;
  readonly closed: "no" | "recently" | "finally";
}

const arbDraw: fc.Arbitrary<Draw> = fc.record({
  minute: fc.nat({ max: 120 }),
  units: fc.integer({ min: 1, max: 60 }),
  acknowledged: fc.nat({ max: 9 }).map((n) => n === 0),
  endsAfter: fc.option(fc.integer({ min: -5, max: 30 }), { freq: 4 }),
  closed: fc.nat({ max: 19 }).map((n) => (n === 0 ? "finally" : n < 3 ? "recently" : "no")),
});
const arbAllocations = fc.array(arbDraw, { maxLength: 40 }).map((draws) => draws.map(allocationOf));
/** Allocations that compete, since hardly any is acknowledged or closed on; and one more of them, not the last. */
const arbCompeting = fc
  .array(fc.tuple(arbDraw, fc.nat(5)), { minLength: 2, maxLength: 40 })
  .map((draws) =>
    draws.map(([draw, n], at) => allocationOf(n === 0 ? draw : { ...draw, acknowledged: false, closed: "no" }, at)),
  );
const arbAdded = fc
  .tuple(arbDraw, fc.nat({ max: 60 }))
  .map(([draw, minute]) => allocationOf({ ...draw, minute, acknowledged: false, closed: "no" }, 997))
  .map((allocation) => ({ ...allocation, identity: "added" }));

function allocationOf(draw: Draw, n: number): Dated {
  const timestamp = at(draw.minute);
  const early = draw.endsAfter === null ? null : at(draw.minute + draw.endsAfter);
  const since = draw.closed === "recently" ? timestamp : ((timestamp - BigInt(STATUS_FINAL_MS) - 1n) as EpochMillis);
  return {
    identity: String((n * 7_919) % 1_000).padStart(4, "0") + String(n),
    timestamp,
    units: BigInt(draw.units),
    decimals: 6,
    acknowledged: draw.acknowledged,
    endsAt: early ?? ((timestamp + BigInt(WINDOW)) as EpochMillis),
    endsEarly: early !== null,
    holds: "for its window",
    settlesUntil: timestamp,
    price: { base_units: 1n, decimals: 2 },
    mid: null,
    closedSince: draw.closed === "no" ? undefined : since,
  };
}

/** What unacknowledged grants hold at an instant, as an allocation that comes next at that instant sees it. */
function heldAt(allocations: readonly Dated[], granted: ReadonlySet<string>, instant: EpochMillis): bigint {
  let held = 0n;
  for (const allocation of allocations) {
    if (allocation.acknowledged || !granted.has(allocation.identity) || allocation.timestamp > instant) continue;
    if (allocation.endsEarly ? allocation.endsAt > instant : allocation.endsAt >= instant) held += allocation.units;
  }
  return held;
}

/** What a set of allocations is an example of. */
function classesOf(allocations: readonly Dated[]): readonly string[] {
  const { granted, barred } = sweep(LIQUIDITY, 6, allocations);
  const dates = new Set(allocations.map(({ timestamp }) => timestamp));
  const crowded = allocations.some(
    (allocation) => allocation.closedSince === undefined && !granted.has(allocation.identity),
  );
  const oversold = allocations.filter((allocation) => allocation.acknowledged && !barred.has(allocation.identity));
  const ended = allocations.filter((allocation) => allocation.endsEarly && granted.has(allocation.identity));
  return [
    ...(crowded ? ["one finds no room"] : []),
    ...(oversold.reduce((sum, allocation) => sum + allocation.units, 0n) > LIQUIDITY
      ? ["more acknowledged than there is"]
      : []),
    ...(dates.size < allocations.length ? ["equal dates"] : []),
    ...(barred.size > 0 ? ["barred"] : []),
    ...(ended.some((allocation) => allocations.some(({ timestamp }) => timestamp === allocation.endsAt))
      ? ["comes as one ends"]
      : []),
  ];
}

const shares = {
  "one finds no room": 0.6,
  "more acknowledged than there is": 0.1,
  "equal dates": 0.5,
  barred: 0.4,
  "comes as one ends": 0.3,
};

describe("the sweep", () => {
  test("never holds more than there is, and always grants what is acknowledged", () => {
    forAll([arbAllocations], neverOversells, { runs: 1_500, classes: classesOf, shares });
  });

  test("is the same for every order of the allocations", () => {
    const holds = (allocations: readonly Dated[], order: number) => {
      const [one, other] = [
        sweep(LIQUIDITY, 6, allocations),
        sweep(LIQUIDITY, 6, shuffleOf(order).shuffled(allocations)),
      ];
      assert.deepEqual([...one.granted].sort(compareText), [...other.granted].sort(compareText));
      assert.deepEqual([...one.barred].sort(compareText), [...other.barred].sort(compareText));
      assert.equal(one.acknowledged, other.acknowledged);
    };
    forAll([arbAllocations, fc.nat()], holds, { runs: 800, classes: classesOf, shares });
  });

  test("an added request displaces only unacknowledged ones, each within 30 minutes after a new grant", () => {
    forAll([arbCompeting, arbAdded], displacesOnly, {
      runs: 1_500,
      classes: (allocations, added) => {
        const { granted } = sweep(LIQUIDITY, 6, allocations);
        const after = sweep(LIQUIDITY, 6, [...allocations, added]).granted;
        const lost = allocations.some(({ identity }) => granted.has(identity) && !after.has(identity));
        const gained = allocations.some(({ identity }) => !granted.has(identity) && after.has(identity));
        return [lost ? "displaces one" : "displaces nobody", ...(gained ? ["a third gains"] : [])];
      },
      shares: { "displaces one": 0.15, "a third gains": 0.05, "displaces nobody": 0.3 },
    });
  });

  test("a displacement can reach further than 30 minutes, through a third request", () => {
    const plain = (n: number, minute: number, units: number) =>
      allocationOf({ minute, units, acknowledged: false, endsAfter: null, closed: "no" }, n);
    const [first, second, third] = [plain(1, 20, 60), plain(2, 40, 60), plain(3, 60, 60)];
    const allocations = [first, second, third];
    const added = plain(4, 0, 60);
    assert.deepEqual([...sweep(LIQUIDITY, 6, allocations).granted], [first.identity, third.identity]);
    assert.deepEqual([...sweep(LIQUIDITY, 6, [...allocations, added]).granted], [added.identity, second.identity]);
  });
});

function neverOversells(allocations: readonly Dated[]): void {
  const { granted, barred, acknowledged } = sweep(LIQUIDITY, 6, allocations);
  const held = allocations.filter((allocation) => allocation.acknowledged && !barred.has(allocation.identity));
  assert.equal(
    acknowledged,
    held.reduce((sum, allocation) => sum + allocation.units, 0n),
  );
  for (const allocation of held) assert.isTrue(granted.has(allocation.identity));
  const free = LIQUIDITY > acknowledged ? LIQUIDITY - acknowledged : 0n;
  for (const allocation of allocations) {
    for (const instant of [allocation.timestamp, allocation.endsAt]) {
      assert.isTrue(heldAt(allocations, granted, instant) <= free, `over-allocated at ${instant}`);
    }
    if (allocation.closedSince !== undefined && !allocation.acknowledged)
      assert.isFalse(granted.has(allocation.identity));
    assert.equal(
      barred.has(allocation.identity),
      allocation.closedSince !== undefined && allocation.closedSince !== allocation.timestamp,
    );
  }
}

function displacesOnly(allocations: readonly Dated[], added: Dated): void {
  const before = sweep(LIQUIDITY, 6, allocations).granted;
  const after = sweep(LIQUIDITY, 6, [...allocations, added]).granted;
  const gained = [...allocations, added].filter(
    (allocation) => after.has(allocation.identity) && !before.has(allocation.identity),
  );
  for (const allocation of allocations) {
    const changed = before.has(allocation.identity) !== after.has(allocation.identity);
    if (changed) assert.isTrue(compareAllocations(added, allocation) < 0 && !allocation.acknowledged);
    if (!before.has(allocation.identity) || after.has(allocation.identity)) continue;
    const cause = gained.some(
      (gain) => compareAllocations(gain, allocation) < 0 && allocation.timestamp - gain.timestamp <= BigInt(WINDOW),
    );
    assert.isTrue(cause, `${allocation.identity} lost its grant to nobody`);
  }
}
