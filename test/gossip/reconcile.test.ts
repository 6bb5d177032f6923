/**
 * Goal: two nodes that meet end with one set, whatever each of them held, and only the difference moves.
 * Method: random subsets of a pool of sends at either end; bytes and requests are counted on the link.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { devnetNetwork } from "../../core/index.ts";
import { advertisementData } from "./advertisements.ts";
import type { End } from "./two-nodes.ts";
import { linkedNodes, T } from "./two-nodes.ts";

/** Sends of which each is a statement of its own. */
const pool = Array.from({ length: 300 }, (_, index) => advertisementData(`ad-${index}`, T));

function fill(end: End, sends: Iterable<number>): void {
  for (const send of sends) expect(end.call("sendAdvertisementCreate", { data: pool[send] })).toContain(`ad-${send}`);
}

test("whatever two nodes hold, they meet and hold the same", () => {
  const some = fc.uniqueArray(fc.nat({ max: 119 }), { maxLength: 120 });
  fc.assert(
    fc.property(some, some, (first, second) => {
      const { ends, connect } = linkedNodes();
      fill(ends[0], first);
      fill(ends[1], second);
      connect();
      expect(ends[0].driver.roots()).toEqual(ends[1].driver.roots());
      for (const send of new Set([...first, ...second]))
        expect(ends[0].call("getAdvertisement", { id: `ad-${send}` })).toContain(`ad-${send}`);
    }),
    { numRuns: 25 },
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
