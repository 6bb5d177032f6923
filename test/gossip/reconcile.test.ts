/**
 * Goal: two nodes that meet end with one set, whatever each of them held, and only the difference moves.
 * Method: random subsets of sends whose identities crowd below a prefix, so that small sets are compared as deep as
 * large ones; bytes and requests are counted on the link.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { devnetNetwork } from "../../core/index.ts";
import { LISTED_MAX } from "../../core/kernel/identity-tree.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "../rpc/lone-node.ts";
import { advertisement, advertisementData } from "./advertisements.ts";
import type { End } from "./two-nodes.ts";
import { linkedNodes, T } from "./two-nodes.ts";

/** Sends of which each is a statement of its own. */
const pool = Array.from({ length: 300 }, (_, index) => advertisementData(`ad-${index}`, T));

/** Sends whose identities crowd below "0" and "00": more than a list takes at each digit, as large sets have it. */
const crowd = [...crowdBelow("00", 40), ...crowdBelow("0", 60), ...crowdBelow("", 60)];

function crowdBelow(prefix: string, many: number): readonly { readonly id: string; readonly identity: string }[] {
  const found: { readonly id: string; readonly identity: string }[] = [];
  for (let n = 0; found.length < many; n++) {
    const id = `${prefix}crowd-${n}`;
    const identity = identityOf(crypto, AdvertisementCreate, advertisement(id, T));
    if (identity.startsWith(prefix)) found.push({ id, identity });
  }
  return found;
}

const crowdSends = crowd.map(({ id }) => advertisementData(id, T));

function fill(end: End, sends: Iterable<number>): void {
  for (const send of sends) expect(end.call("sendAdvertisementCreate", { data: pool[send] })).toContain(`ad-${send}`);
}

/** What two sets of the crowd are to each other, and how deep they have to be compared. */
function meetingOf(first: readonly number[], second: readonly number[]): readonly string[] {
  const [one, other] = [new Set(first), new Set(second)];
  const both = first.filter((send) => other.has(send)).length;
  const below = (set: ReadonlySet<number>, prefix: string) =>
    [...set].filter((send) => crowd[send]?.identity.startsWith(prefix)).length;
  const split = (prefix: string) => below(one, prefix) > LISTED_MAX && below(other, prefix) > LISTED_MAX;
  return [
    both === one.size && both === other.size ? "equal" : both > 0 ? "overlapping" : "disjoint",
    ...(one.size === 0 || other.size === 0 ? ["one is empty"] : []),
    ...["", "0", "00"].filter(split).map((prefix) => `split at digit ${prefix.length}`),
    ...(both > 0 && both === Math.min(one.size, other.size) ? ["one within the other"] : []),
  ];
}

test("whatever two nodes hold, they meet and hold the same", () => {
  const some = fc.uniqueArray(fc.nat({ max: crowd.length - 1 }), { maxLength: crowd.length });
  const more = fc.shuffledSubarray([...crowd.keys()], { minLength: 100 });
  const few = fc.uniqueArray(fc.nat({ max: crowd.length - 1 }), { maxLength: 3 });
  const nearly = fc.tuple(more, few).map(([all, gone]) => [all, all.filter((send) => !gone.includes(send))] as const);
  const turned = fc
    .tuple(nearly, fc.boolean())
    .map(([[a, b], swapped]) => (swapped ? [b, a] : [a, b]) as [number[], number[]]);
  forAll(
    [fc.oneof(fc.tuple(some, some), fc.tuple(more, more), fc.tuple(few, more), turned)],
    ([first, second]) => {
      const { ends, connect } = linkedNodes();
      for (const [index, sends] of [first, second].entries()) {
        for (const send of sends) {
          ends[index as 0 | 1].call("sendAdvertisementCreate", { data: crowdSends[send] });
        }
      }
      connect();
      expect(ends[0].driver.roots()).toEqual(ends[1].driver.roots());
      const union = [...new Set([...first, ...second])].map((send) => crowd[send]?.identity ?? "");
      for (const { driver } of ends) {
        for (const identity of union) expect(driver.view.get(Statements, identity), identity).toBeDefined();
        expect(driver.view.size(Statements)).toBe(union.length);
      }
    },
    {
      runs: 14,
      classes: ([first, second]) => meetingOf(first, second),
      shares: {
        ...{ overlapping: 0.3, "one within the other": 0.1, "one is empty": 0.05, equal: 0.01, disjoint: 0.05 },
        ...{ "split at digit 0": 0.4, "split at digit 1": 0.4, "split at digit 2": 0.3 },
      },
    },
  );
});

test("a fresh node gets everything; equal nodes exchange one digest", () => {
  const { ends, connect, compare, moved } = linkedNodes();
  fill(ends[0], pool.keys());
  connect();
  expect(ends[1].driver.roots()).toEqual(ends[0].driver.roots());
  [moved.bytes, moved.requests] = [0, 0];
  compare();
  expect(moved.requests).toBe(1);
  expect(moved.bytes).toBeLessThan(300);
});

test("what moves grows with the difference, not with the set", () => {
  const { ends, connect, moved } = linkedNodes();
  const shared = [...pool.keys()].slice(4);
  fill(ends[0], [...shared, 0, 1]);
  fill(ends[1], [...shared, 2, 3]);
  connect();
  expect(ends[1].driver.roots()).toEqual(ends[0].driver.roots());
  const whole = pool.reduce((bytes, send) => bytes + (send.length * 3) / 4, 0);
  expect(moved.bytes).toBeLessThan(whole / 4);
});

test("nodes of different network profiles tell each other nothing", () => {
  const { ends, connect } = linkedNodes([{}, { profile: { ...devnetNetwork, parity: true } }]);
  fill(ends[0], [1, 2, 3]);
  connect();
  expect(ends[1].driver.roots().statements).toMatch(/^0+$/);
});
