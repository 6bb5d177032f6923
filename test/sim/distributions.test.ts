// Goal: what takes time takes as long as its distribution says, in whole milliseconds, the same on every engine.
// Method: sums over many draws of one fixed seed, and golden values.
import { assert, describe, test } from "vitest";
import type { Distribution } from "../../sim/distributions.ts";
import { exponential, halvings, sample } from "../../sim/distributions.ts";
import { openStream } from "../../sim/random.ts";

const stream = openStream(1n, "distributions");
const draws = (distribution: Distribution, count = 20_000): number[] =>
  Array.from({ length: count }, (_, n) => sample(distribution, stream, n));
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("distributions", () => {
  test("every draw is a whole number of milliseconds, never negative", () => {
    const all: readonly Distribution[] = [
      { type: "constant", ms: 7 },
      { type: "uniform", least: 3, most: 9 },
      { type: "exponential", least: 5, mean: 20 },
      { type: "bell", mean: 10, spread: 8 },
      { type: "heavy", least: 20, most: 5_000 },
      { type: "steady", least: 4, most: 40, jitter: 3 },
      { type: "quantiles", points: [1, 2, 5, 50, 400] },
    ];
    for (const distribution of all) {
      for (const value of draws(distribution, 3_000))
        assert.ok(Number.isSafeInteger(value) && value >= 0, distribution.type);
    }
  });

  test("means are where they should be", () => {
    assert.equal(mean(draws({ type: "constant", ms: 7 })), 7);
    assert.closeTo(mean(draws({ type: "uniform", least: 10, most: 30 })), 20, 0.3);
    assert.closeTo(mean(draws({ type: "exponential", least: 5, mean: 100 })), 105, 3);
    assert.closeTo(mean(draws({ type: "bell", mean: 100, spread: 10 })), 100, 0.5);
    assert.closeTo(mean(draws({ type: "quantiles", points: [0, 10, 30] })), 12, 0.5);
  });

  test("a memoryless wait has the quantiles of one", () => {
    const values = Array.from({ length: 20_000 }, (_, n) => exponential(stream, n, 10_000)).sort((a, b) => a - b);
    const quantile = (part: number): number => values[Math.floor(part * values.length)] as number;
    // -ln(1 - p) × 10,000 for p = 0.1, 0.5, 0.9, 0.99
    for (const [part, expected] of [
      [0.1, 1_054],
      [0.5, 6_931],
      [0.9, 23_026],
      [0.99, 46_052],
    ] as const) {
      assert.ok(Math.abs(quantile(part) - expected) < expected * 0.06, `${part}: ${quantile(part)}`);
    }
  });

  test("a heavy tail is mostly short, halves in number as it doubles in length, and ends", () => {
    const values = draws({ type: "heavy", least: 10, most: 1_000 });
    const over = (bound: number): number => values.filter((value) => value > bound).length;
    assert.ok(over(20) > 8_000 && over(20) < 12_000, `${over(20)}`);
    assert.ok(over(80) > 1_500 && over(80) < 4_000, `${over(80)}`);
    assert.equal(Math.max(...values), 1_000);
    assert.ok(Math.min(...values) >= 10);
  });

  test("a steady wait is a stream's own, and moves by its jitter alone", () => {
    const steady = { type: "steady", least: 10, most: 90, jitter: 5 } as const;
    const spans = Array.from({ length: 200 }, (_, link) => {
      const own = openStream(1n, `link/${link}`);
      const values = Array.from({ length: 300 }, (_none, n) => sample(steady, own, 8 * n));
      return { least: Math.min(...values), most: Math.max(...values) };
    });
    for (const { least, most } of spans) assert.equal(most - least, 5);
    const leasts = spans.map(({ least }) => least);
    assert.closeTo(mean(leasts), 50, 4);
    assert.ok(Math.min(...leasts) < 15 && Math.max(...leasts) > 85 && Math.min(...leasts) >= 10);
  });

  test("halvings are geometric", () => {
    const counts = [0, 0, 0];
    for (let n = 0; n < 8_000; n++) {
      const count = halvings(stream, n);
      if (count < 3) counts[count] = (counts[count] ?? 0) + 1;
    }
    assert.ok(Math.abs((counts[0] ?? 0) - 4_000) < 250);
    assert.ok(Math.abs((counts[1] ?? 0) - 2_000) < 200);
    assert.ok(Math.abs((counts[2] ?? 0) - 1_000) < 150);
  });

  test("golden values", () => {
    const first = (distribution: Distribution): number[] => draws(distribution, 6);
    assert.deepEqual(first({ type: "exponential", least: 0, mean: 1_000 }), GOLDEN.exponential);
    assert.deepEqual(first({ type: "bell", mean: 100, spread: 20 }), GOLDEN.bell);
    assert.deepEqual(first({ type: "heavy", least: 10, most: 1_000 }), GOLDEN.heavy);
    assert.deepEqual(first({ type: "quantiles", points: [1, 5, 90] }), GOLDEN.quantiles);
  });
});

const GOLDEN: Readonly<Record<"exponential" | "bell" | "heavy" | "quantiles", readonly number[]>> = {
  exponential: [275, 802, 318, 407, 385, 1200],
  bell: [122, 75, 94, 133, 120, 81],
  heavy: [30, 24, 46, 11, 11, 79],
  quantiles: [48, 70, 6, 89, 65, 80],
};
