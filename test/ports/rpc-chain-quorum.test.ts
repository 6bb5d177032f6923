// Goal: with up to f liars among 2f+1 endpoints nothing false is believed, and everything true is once all spoke.
// Method: the table of small cases, and random votes. Source: protocol 03 C9, C10.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Vote } from "../../adapters/chain/quorum.ts";
import { believedSlot, liarsOf, verdictOf } from "../../adapters/chain/quorum.ts";
import { forAll } from "../property/for-all.ts";

/** a, b: says so; ?: waits; -: mute. */
function votes(text: string): readonly Vote[] {
  return [...text].map((each) => {
    if (each === "?") return { type: "waits" };
    return each === "-" ? { type: "mute" } : { type: "answers", answer: each };
  });
}

describe("a verdict", () => {
  test.each([
    ["a", "a"],
    ["?", "waiting"],
    ["-", "waiting"],
    ["aa", "a"],
    ["ab", "contradicted"],
    ["a?", "waiting"],
    ["a-", "a"],
    ["aab", "a"],
    ["aa?", "a"],
    ["a??", "waiting"],
    ["a--", "waiting"],
    ["ab?", "waiting"],
    ["ab-", "contradicted"],
    ["abc", "contradicted"],
    ["aabb", "contradicted"],
    ["aaab", "a"],
    ["aa?b", "waiting"],
    ["aa--", "a"],
    ["aabbc", "contradicted"],
    ["aaabb", "a"],
  ])("%s: %s", (given, expected) => {
    const verdict = verdictOf(votes(given));
    expect(verdict.type === "agreed" ? verdict.answer : verdict.type).toBe(expected);
  });

  /** What honest endpoints say, and f that lie: of 1 to 15 endpoints, even numbers among them. */
  const arbVotes = (arbHonest: fc.Arbitrary<string>, arbLie: fc.Arbitrary<string>) =>
    fc.integer({ min: 1, max: 15 }).chain((endpoints) => {
      const liars = liarsOf(endpoints);
      const honest = fc.array(arbHonest, { minLength: endpoints - liars, maxLength: endpoints - liars });
      return fc.tuple(honest, fc.array(arbLie, { minLength: liars, maxLength: liars }));
    });
  const numbers = (honest: readonly string[], lies: readonly string[]) => {
    const endpoints = honest.length + lies.length;
    return [endpoints % 2 === 0 ? "an even number" : "an odd number", ...(endpoints > 9 ? ["more than nine"] : [])];
  };

  test("no lie of f endpoints is believed, whatever the others do", () => {
    forAll(
      [arbVotes(fc.constantFrom("t", "t", "t", "?", "-"), fc.constantFrom("x", "x", "x", "y"))],
      ([honest, lies]) => {
        const verdict = verdictOf(votes([...lies, ...honest].join("")));
        if (verdict.type === "agreed") expect(verdict.answer).toBe("t");
        const together = lies.length > 1 && new Set(lies).size === 1;
        return [verdict.type, ...numbers(honest, lies), ...(together ? ["all liars say the same"] : [])];
      },
      {
        runs: 300,
        shares: {
          ...{ agreed: 0.1, waiting: 0.3, contradicted: 0.01, "an even number": 0.3, "an odd number": 0.3 },
          ...{ "more than nine": 0.2, "all liars say the same": 0.1 },
        },
      },
    );
  });

  test("what is true is believed once every honest endpoint spoke", () => {
    forAll(
      [arbVotes(fc.constant("t"), fc.constantFrom("x", "y", "?", "-", "t"))],
      ([honest, others]) => {
        expect(verdictOf(votes([...others, ...honest].join("")))).toEqual({ type: "agreed", answer: "t" });
      },
      {
        runs: 300,
        classes: ([honest, others]) => numbers(honest, others),
        shares: { "an even number": 0.3, "an odd number": 0.3, "more than nine": 0.2 },
      },
    );
  });
});

test.each([
  [1, 1, 0],
  [2, 2, 1],
  [2, 1, 0],
  [3, 3, 1],
  [3, 1, 0],
  [5, 5, 2],
  [5, 2, 1],
])("of %i endpoints, %i answered: the slot at place %i", (endpoints, answered, place) => {
  expect(believedSlot(endpoints, answered)).toBe(place);
});
