// Goal: a checkpoint and the rows that changed since come to what all rows come to (DESIGN L2, L9).
// Method: random stories of trades, and of all domains, that an ingress bounds and that are sealed on the way; a
// checkpoint at a random place, then the changed rows in random order and pages, removals first; planted bugs in what
// is done with them.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { catchUpDefect } from "./catch-up-law.ts";
import { cameTo } from "./coverage.ts";
import { replicaOf } from "./replica.ts";
import { arbDomains, arbIntents, arbSchedule, storyOf } from "./workload.ts";

test.each([
  ["of trades", fc.constant(["trade"]), { "settlements.state Completed": 0.4 }],
  ["of any domains", arbDomains(), { "OraclePublish in effect": 0.1, "services.health Online": 0.2 }],
] as const)("a checkpoint and what changed since come to the same as the rows, in stories %s", (_, about, shares) => {
  forAll(
    [about, arbIntents(20, 60), arbSchedule],
    (names, intents, schedule) => {
      const { observations } = storyOf(intents, names);
      assert.equal(catchUpDefect(observations, schedule), undefined);
      return cameTo(replicaOf(observations).store(), observations);
    },
    { runs: 40, nightly: 3_000, sample: 60, shares },
  );
});

const bugs: Readonly<Record<string, PlantedBug>> = {
  "what is removed stays": {
    file: "core/engine/loaded-rows.ts",
    find: "  draft.put(table, key, undefined);\n",
    replace: "",
  },
  "facts are not folded again": {
    file: "core/engine/loaded-rows.ts",
    find: "    load(context.draft, name, key, record, fold.mark);\n",
    replace: "",
  },
};

describe("the law is broken where", () => {
  test.each(Object.entries(bugs))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load) => {
      const { catchUpDefect: planted } = await load<typeof import("./catch-up-law.ts")>(
        "test/convergence/catch-up-law.ts",
      );
      const { arbIntents: intentsOf, storyOf: story } =
        await load<typeof import("./workload.ts")>("test/convergence/workload.ts");
      return samples(intentsOf(20, 60), 40).some(
        (intents, at) => planted(story(intents).observations, at + 1) !== undefined,
      );
    });
    assert.isTrue(found);
  });
});
