// Goal: the checks of this folder can fail. Method: plants a bug into the fold, runs the law on stories that are known
// to show it, and wants to be told.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { PlantedBug } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";

type Laws = typeof import("./convergence-law.ts");
type Vetoes = typeof import("./veto-law.ts");
type Workload = typeof import("./workload.ts");

const ORDER_BUGS: Readonly<Record<string, PlantedBug>> = {
  "arrival order in the sweep": {
    file: "core/advertisements/sweep.ts",
    find: "competing.sort(compareClaims)",
    replace: "competing",
  },
  "a group folded under an identity": {
    file: "core/settlements/fold.ts",
    find: "if (request.payload.id !== id) continue;",
    replace: "",
  },
  "a row that is not folded again when its request becomes valid": {
    file: "core/advertisements/fold.ts",
    find: 'mark("settlement", request.payload.id);',
    replace: "",
  },
};
const VETO_BUGS: Readonly<Record<string, PlantedBug>> = {
  "the seller's cancel beats a payment": {
    file: "core/settlements/rules.ts",
    find: 'if (isPaidNow(acts)) return "PaymentSubmitted";',
    replace: 'if (acts.sellerCancels.length === 0 && isPaidNow(acts)) return "PaymentSubmitted";',
  },
  "settlements are followed by date only": {
    file: "core/settlements/queries.ts",
    find: "for (const rank of ranks) {",
    replace: "for (const rank of ranks.slice(9)) {",
  },
};

describe("a planted bug is found", () => {
  test.each(Object.entries(ORDER_BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load) => {
      const { divergence } = await load<Laws>("test/convergence/convergence-law.ts");
      const { arbIntents, storyOf } = await load<Workload>("test/convergence/workload.ts");
      const stories = fc.sample(fc.tuple(arbIntents(20, 60), fc.nat()), { numRuns: 600, seed: 5 });
      return stories.some(([intents, schedule]) => divergence(storyOf(intents).heard, schedule) !== undefined);
    });
    assert.isTrue(found);
  });

  test.each(Object.entries(VETO_BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load) => {
      const { vetoes } = await load<Vetoes>("test/convergence/veto-law.ts");
      const { arbIntents, continueStory, storyOf } = await load<Workload>("test/convergence/workload.ts");
      const samples = fc.sample(fc.tuple(arbIntents(20, 60), arbIntents(9, 30)), { numRuns: 1_500, seed: 5 });
      return samples.some(([intents, more]) => {
        const story = storyOf(intents);
        const heard = [...story.heard];
        continueStory(story, more);
        const added = story.heard.slice(heard.length).filter((each) => each.type === "said");
        return added.some((each) => vetoes(heard, [each]).length > 0);
      });
    });
    assert.isTrue(found);
  });
});
