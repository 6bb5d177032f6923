/**
 * Goal: a settlement that is folded by itself, by the first and last of what was said about it and by an ordered index,
 * is what it is when all that two people began under its number is folded together (CONVERGENCE B5).
 * Method: random stories of trades without and with chain facts, told one by one; after each part every group is folded
 * again as a whole, and every reservation is looked up by going through all settlements of its pair.
 */

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { groupLaw } from "./group-law.ts";
import { arbIntents, arbSchedule, storyOf } from "./workload.ts";

type Law = typeof import("./group-law.ts");
type Workload = typeof import("./workload.ts");

test("one by one gives what all together gives", () => {
  forAll(
    [arbIntents(20, 60), arbSchedule],
    (intents, schedule) => {
      const { different, labels } = groupLaw(storyOf(intents).observations, schedule);
      assert.equal(different, undefined);
      return labels;
    },
    {
      runs: 40,
      nightly: 10_000,
      sample: 80,
      shares: { "several of two people": 0.2, "several of a pair": 0.1, "by itself": 0.5, "with facts": 0.2 },
    },
  );
});

const FOLD = "core/domains/trade/settlements/fold.ts";
const QUERIES = "core/domains/trade/settlements/queries.ts";
const TABLES = "core/domains/trade/settlements/tables.ts";
const BUGS: Readonly<Record<string, PlantedBug>> = {
  "a settlement by itself though a fact names its number": {
    file: FOLD,
    find: 'if (draft.count(ChainFacts, "reservation", name) > 0)',
    replace: "if (name === undefined)",
  },
  "a group folded under an identity": { file: QUERIES, find: "if (request.payload.id !== id) continue;", replace: "" },
  "the last open alone": { file: FOLD, find: "[firstOwn, lastOwn]", replace: "[lastOwn]" },
  "an open is a touch no more": { file: TABLES, find: " || row.disputed_at !== null", replace: "" },
  "the followed one by its date alone": {
    file: TABLES,
    find: "rank: (row) => `${isSoldByFact(row) ? 0 : 1}${followRank(row)}`",
    replace: "rank: (row) => dateText(row.created_at)",
  },
};

describe("a planted bug is found", () => {
  test.each(Object.entries(BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load: Load) => {
      const { groupLaw: law } = await load<Law>("test/convergence/group-law.ts");
      const workload = await load<Workload>("test/convergence/workload.ts");
      const stories = samples(fc.tuple(workload.arbIntents(20, 60), workload.arbSchedule), 300);
      return stories.some(
        ([intents, schedule]) => law(workload.storyOf(intents).observations, schedule).different !== undefined,
      );
    });
    assert.isTrue(found);
  });
});
