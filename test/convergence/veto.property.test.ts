// Goal: whatever statements others add, back-dated included, nobody's payment, approve, open, commit or reveal goes out
// of effect (CONVERGENCE "No retroactive veto"; test/convergence/veto-law.ts says what in effect means).
// Method: random stories plus one to nine random statements, keeping those of everyone but one victim at a time.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { vetoes } from "./veto-law.ts";
import { arbIntents, continueStory, storyOf } from "./workload.ts";

const RUNS = process.env.OFS_NIGHTLY === undefined ? 150 : 50_000;

describe("no retroactive veto", () => {
  test("one to nine statements by others take nothing out of effect", () => {
    fc.assert(
      fc.property(arbIntents(4, 50), arbIntents(1, 9), (intents, more) => {
        const story = storyOf(intents);
        const heard = [...story.heard];
        continueStory(story, more);
        const added = story.heard.slice(heard.length).filter((each) => each.type === "said");
        assert.deepEqual(vetoes(heard, added), []);
        const someone = added[0];
        if (someone?.type !== "said") return;
        const own = added.filter((each) => each.type === "said" && each.statement.signer === someone.statement.signer);
        assert.deepEqual(vetoes(heard, own), []);
      }),
      { numRuns: RUNS },
    );
  }, 3_600_000);
});
