// Goal: a quick run fails where a ratio fell by more than 30 %, or is no longer measured, and nowhere else.
// Method: kept and measured ratios by hand; the committed file against what a quick run says it measures.
import { expect, test } from "vitest";
import { fallen, readBaseline } from "./baseline.ts";

const measured = (value: number) => [{ name: "arrivals", value, unit: "a thousand", isRatio: true }];

test("a ratio of which less than 70 % is left has fallen", () => {
  expect(fallen({ arrivals: 1 }, measured(0.71))).toEqual([]);
  expect(fallen({ arrivals: 1 }, measured(3))).toEqual([]);
  expect(fallen({ arrivals: 1 }, measured(0.69))).toEqual(["arrivals: 0.69, which is less than 0.7 of 1"]);
});

test("what is kept has to be measured; what is not kept is not compared", () => {
  expect(fallen({ copies: 1 }, measured(1))).toEqual(["copies: 1 is kept, and nothing was measured"]);
  expect(fallen({}, measured(0))).toEqual([]);
});

test("the kept file holds ratios", () => {
  const kept = Object.entries(readBaseline());
  expect(kept.length).toBeGreaterThan(0);
  for (const [name, value] of kept) expect(value, name).toBeGreaterThan(0);
});
