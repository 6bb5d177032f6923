// Goal: a node whose sealed rows lie in pages holds, answers and goes on as one that keeps all in memory (B7).
// Method: random stories of trades, told in parts and sealed in between, to a node of each kind, with empty commits so
// that all of what is sealed is put away; a third goes on from a checkpoint of the first. Roots, records, every read.
import { assert, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { pagedDefect } from "./paged-law.ts";
import { arbIntents, arbSchedule, storyOf } from "./workload.ts";

/** So long are the leaps of time, in steps of five minutes: twelve days, so that trades end before others begin. */
const PACE = 12 * 288;

test("rows in pages change nothing", () => {
  forAll(
    [arbIntents(20, 60), arbSchedule],
    (intents, schedule) => {
      const { observations } = storyOf(intents, ["trade"], PACE);
      const { wrong, labels } = pagedDefect(observations, schedule);
      assert.equal(wrong, undefined);
      return labels;
    },
    {
      runs: 20,
      nightly: 2_000,
      sample: 60,
      shares: { "a settlement in pages": 0.4, "a dispute in pages": 0.1, "told of what is in pages": 0.1 },
    },
  );
});

const bugs: Readonly<Record<string, PlantedBug>> = {
  "what was removed from the pages is counted there": {
    file: "core/kernel/sealed-rows.ts",
    find: "byKey.remove(keyHash(key), number);",
    replace: "",
  },
  "a place finds one of those in pages": {
    file: "core/kernel/held-rows.ts",
    find: 'sealed.under("indexes", slotOf(name, value), most - live.length)',
    replace: 'sealed.under("indexes", slotOf(name, value), 1)',
  },
};

test.each(Object.entries(bugs))("the law is broken where %s", async (_, bug) => {
  const found = await withPlantedBug(bug, async (load) => {
    const law = await load<typeof import("./paged-law.ts")>("test/convergence/paged-law.ts");
    const { arbIntents: intentsOf, storyOf: story } =
      await load<typeof import("./workload.ts")>("test/convergence/workload.ts");
    return samples(intentsOf(20, 60), 60).some((intents) => {
      try {
        return law.pagedDefect(story(intents, ["trade"], PACE).observations, 1).wrong !== undefined;
      } catch {
        return true;
      }
    });
  });
  assert.isTrue(found);
});
