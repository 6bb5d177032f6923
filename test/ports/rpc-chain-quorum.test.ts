// Goal: with up to f liars among 2f+1 endpoints nothing false is believed, and everything true is once all spoke.
// Method: the table of small cases, and random votes. Source: protocol 03 C9, C10.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Vote } from "../../adapters/chain/quorum.ts";
import { believedSlot, liarsOf, verdictOf } from "../../adapters/chain/quorum.ts";

/** a, b: says so; ?: waits; -: mute. */
function votes(text: string): readonly Vote[] {
  return [...text].map((each) => {
    if (each === "?") return { type: "waits" };
    return each === "-" ? { type: "mute" } : { type: "says", says: each };
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
  ])("%s: %s", (said, expected) => {
    const verdict = verdictOf(votes(said));
    expect(verdict.type === "agreed" ? verdict.says : verdict.type).toBe(expected);
  });

  const arbEndpoints = fc.integer({ min: 1, max: 8 }).map((n) => 2 * n - 1);

  test("no lie of f endpoints is believed, whatever the others do", () => {
    const arbHonest = fc.constantFrom("t", "?", "-");
    fc.assert(
      fc.property(
        arbEndpoints,
        fc.infiniteStream(arbHonest),
        fc.infiniteStream(fc.constantFrom("x", "y")),
        (n, h, l) => {
          const f = liarsOf(n);
          const said = [...h.take(n - f), ...l.take(f)].join("");
          const verdict = verdictOf(votes(said));
          expect(verdict.type === "agreed" ? verdict.says : "t").toBe("t");
        },
      ),
    );
  });

  test("what is true is believed once every honest endpoint spoke", () => {
    fc.assert(
      fc.property(arbEndpoints, fc.infiniteStream(fc.constantFrom("x", "y", "?", "-", "t")), (n, stream) => {
        const f = liarsOf(n);
        const said = ["t".repeat(n - f), ...stream.take(f)].join("");
        expect(verdictOf(votes(said))).toEqual({ type: "agreed", says: "t" });
      }),
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
