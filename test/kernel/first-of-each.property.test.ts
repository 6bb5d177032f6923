/** Of all that bear an id one is shown, and lists are in order of the ids. Source: CONVERGENCE "Records and ids". */
import fc from "fast-check";
import { expect, test } from "vitest";
import { firstOfEach } from "../../core/kernel/ordered.ts";
import { compareText } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";

const arbNamed = fc.record({
  id: fc.constantFrom("a", "b", "B", "é", "10", "9"),
  rank: fc.integer({ min: 0, max: 9 }),
});
const byRank = (a: { readonly rank: number }, b: { readonly rank: number }) => a.rank - b.rank;

test("the first of each id is shown, the one that came first among equals, in order of id", () => {
  forAll(
    [fc.array(arbNamed, { maxLength: 20 })],
    (all) => {
      const ids = [...new Set(all.map(({ id }) => id))].sort(compareText);
      const first = ids.map((id) => all.filter((each) => each.id === id).sort(byRank)[0]);
      expect(firstOfEach(all, ({ id }) => id, byRank).map((each) => all.indexOf(each))).toEqual(
        first.map((each) => all.indexOf(each as (typeof all)[0])),
      );
      return [ids.length === all.length ? "every id once" : "an id twice"];
    },
    { runs: 200, sample: 50, shares: { "an id twice": 0.3 } },
  );
});
