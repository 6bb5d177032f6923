/**
 * Goal: plain ids that the same people use again and again for two months, in lives that overlap or follow one another,
 * come to the same on nodes that hear of it late and seal by their own clocks (CONVERGENCE B1, B6, B7).
 * Method: random trades and words of parties and strangers under few names; each node hears everything within two
 * weeks, seals by the hour and starts again now and then. A register by the name of a trade is found.
 */
import fc from "fast-check";
import { assert, describe, expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAll } from "../property/for-all.ts";
import { received } from "./replica.ts";
import { storyText } from "./story-text.ts";
import { usedAgainError } from "./used-again-law.ts";
import { arbAct, arbTrade, grantedAgain, storyOf } from "./used-again-story.ts";

type Law = typeof import("./used-again-law.ts");
type Stories = typeof import("./used-again-story.ts");

describe("plain ids that are used again", () => {
  test("come to the same on every node, whenever it hears of it and seals", () => {
    forAll(
      [
        fc.array(arbTrade, { minLength: 2, maxLength: 6 }),
        fc.array(arbAct, { minLength: 5, maxLength: 50 }),
        fc.integer(),
      ],
      (trades, acts, seed) => {
        const story = storyOf(trades, acts);
        const found = usedAgainError(story, seed);
        if (typeof found === "string") assert.fail(`${found}\n\nthe story:\n${storyText(received(...story))}`);
        return found;
      },
      { runs: 15, nightly: 5_000, sample: 15, shares: { "something comes after a seal": 0.5 } },
    );
  });

  test("a planted bug is found: grants are a register by the name of a settlement", async () => {
    const bug = {
      file: "core/domains/trade-channel/schema.ts",
      find: "  ownDepth: 1,\n  apart: (payload) => payload.recipient,\n",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a source
      replace: "  register: (payload) => `${payload.recipient}/${payload.settlement_id}`,\n",
    };
    const found = await withPlantedBug(bug, async (load) => {
      const law = await load<Law>("test/convergence/used-again-law.ts");
      const { grantedAgain: story } = await load<Stories>("test/convergence/used-again-story.ts");
      return law.usedAgainError(story(), 1);
    });
    expect(found).toMatch(/^seals of nothing: [0-9a-f]{64}$/);
    expect(usedAgainError(grantedAgain(), 1)).toEqual(["something comes after a seal"]);
  });
});
