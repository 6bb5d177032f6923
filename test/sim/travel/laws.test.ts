// Goal: every law that a world can watch is there in words, for who reads that it does not hold.
// Method: the laws of every world by their checkers, and those a scenario asks for by their kinds.
import { assert, test } from "vitest";
import { LivenessData, SafetyData } from "../../../sim/check-kinds.ts";
import { alwaysWatched } from "../../../sim/checkers/always-watched.ts";
import { lawTextOf } from "../../../sim/travel/laws.ts";
import { watch } from "../checker-bench.ts";

const kindsOf = ({ shape }: typeof SafetyData | typeof LivenessData) =>
  shape.type === "kinds" ? Object.keys(shape.of) : [];

test("every law of a world is kept in words", () => {
  const always = alwaysWatched.map((make) => watch(make).checker.name);
  const names = [...always, ...kindsOf(SafetyData), ...kindsOf(LivenessData)];
  assert.isAbove(names.length, 40);
  for (const name of names) assert.isString(lawTextOf(name), name);
});

test("a law of somebody's own has none", () => {
  for (const name of ["my-law", "constructor", ""]) assert.isUndefined(lawTextOf(name), name);
});
