/**
 * Goal: however much is expired at once, no step of the sweep takes away more than a slice, and the slices leave what
 * one sweep would (CONVERGENCE B5, B7).
 * Method: rows of all tables that are swept, in crowds of some dates around the instant at which they are over, on a
 * node that sweeps in slices and on one that does it at once; both are held against a list of what is expired.
 */
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { AdvertisementStatusSet } from "../../core/domains/trade/advertisements/schema.ts";
import { Pending } from "../../core/engine/statements/table.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { Events } from "../../core/network/gossip/envelope.ts";
import { LOG_MS, ORPHAN_MS, SWEEP_EVERY_MS } from "../../core/network/gossip/sweep.ts";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import type { Batch } from "./sweep-law.ts";
import { kinds, sweepLaw } from "./sweep-law.ts";

const arbBatch: fc.Arbitrary<Batch> = fc.record({
  kind: fc.constantFrom(...kinds),
  // Days ago, some minutes ago, and around the instant itself.
  after: fc.oneof(
    fc.constantFrom(-30_000, -19_999, -1, 0, 1, 60_000),
    fc.integer({ min: -10_000_000, max: 10_000_000 }),
    fc.integer({ min: -40 * 86_400_000, max: 0 }),
  ),
  many: fc.constantFrom(1, 3, 20, 63, 64, 65, 130),
});

test("a sweep in slices leaves what one in one leaves, and no slice is larger", () => {
  forAll(
    [fc.array(arbBatch, { maxLength: 8 })],
    (batches) => {
      const { wrong, steps } = sweepLaw(batches);
      assert.equal(wrong, undefined);
      return steps > 2 ? ["several slices"] : [];
    },
    { runs: 60, nightly: 5_000, sample: 60, shares: { "several slices": 0.3 } },
  );
});

test("a node that starts after a long time takes what is expired away in slices, the log first", () => {
  const T = 1_786_000_000_000n;
  const node = loneNode(T);
  for (let n = 0; n < 100; n++) {
    const by = person(1 + n);
    const pause = { id: `other-${n}`, merchant: by.peer, status: "Vacation", timestamp: T as EpochMillis } as const;
    node.gossip(AdvertisementStatusSet, pause, by);
  }
  const held = (each: typeof node) => [each.view.size(Pending), each.view.size(Events)];
  expect(held(node)).toEqual([100, 100]);
  node.now += ORPHAN_MS + LOG_MS;
  const later = node.restart();
  expect(held(later)).toEqual([100, 36]);
  const sweptAt = () =>
    later.effects.flatMap((each) => (each.type === "timer.set" && each.timer === "sweep" ? [each.at - later.now] : []));
  while (sweptAt().at(-1) === 0n) later.accept({ type: "timer.fired", timer: "sweep" });
  expect(held(later)).toEqual([0, 0]);
  expect(sweptAt()).toEqual([0n, 0n, BigInt(SWEEP_EVERY_MS)]);
});

const BUGS: Readonly<Record<string, PlantedBug>> = {
  "a sweep in one": {
    file: "core/network/gossip/sweep.ts",
    find: "expiredAt(context), SWEPT_AT_ONCE)",
    replace: "expiredAt(context), Infinity)",
  },
  "an hour that is forgotten before it is empty": {
    file: "core/engine/dated-rows.ts",
    find: "if (end <= last && stay === 0)",
    replace: "if (stay === 0)",
  },
  "the first of a minute that is not over are looked at, and no others": {
    file: "core/engine/dated-rows.ts",
    find: "if (rows > SWEPT_AT_ONCE) return",
    replace: "if (rows < 0) return",
  },
  "a sweep that goes on a minute later": {
    file: "core/network/gossip/sweep.ts",
    find: 'emit({ type: "timer.set", timer: "sweep", at: now });',
    replace: 'emit({ type: "timer.set", timer: "sweep", at: later(now, SWEEP_EVERY_MS) });',
  },
};

describe("a planted bug is found", () => {
  test.each(Object.entries(BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load: Load) => {
      const { sweepLaw: law } = await load<typeof import("./sweep-law.ts")>("test/gossip/sweep-law.ts");
      return samples(fc.array(arbBatch, { maxLength: 8 }), 30).some((batches) => law(batches).wrong !== undefined);
    });
    assert.isTrue(found);
  });
});
