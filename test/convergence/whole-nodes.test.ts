// Goal: whole nodes converge: the same core behind its ingresses, its gossip and its comparison of sets (DESIGN L2).
// Method: random stories over every domain, signed for real and pushed into a simulated network under cuts, crashes,
// bad network conditions and wrong clocks; equal sets have equal states at every step, and once all works again every
// node holds the same and answers the same. Every type is held in the end, and trades came to what they can without a
// chain.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import { forAllAsync } from "../property/for-all.ts";
import { storyText } from "./story-text.ts";
import { toldToNodes } from "./whole-nodes.ts";
import { arbIntents, arbSchedule, everyDomain, storyOf } from "./workload.ts";

/** What no node takes from another, and why. */
const NEVER: readonly string[] = [
  // A promise between two: no event carries it.
  "FeeSettlement",
];
/** Everything, so that a few runs hold every type, or trades alone, which then get far. */
const arbAbout = fc.constantFrom<readonly string[]>(everyDomain, everyDomain, ["trade"]);
/** In one story of fifty here; the stories of their own domains demand them (coverage.ts). */
const RARE = ["PaymentReversed", "ProposalActivate"];
const SHARES = {
  ...Object.fromEntries(
    marketplace.types
      .filter(({ name }) => ![...NEVER, ...RARE].includes(name))
      .map(({ name }) => [`${name} held`, 0.05]),
  ),
  ...Object.fromEntries(["partition", "crash", "clock-skew", "loss"].map((kind) => [kind, 0.2])),
};

describe.each([
  ["default", 2, 18],
  ["parity", 1, 12],
] as const)("under the %s profile", (profile, runs, sample) => {
  test("nodes that were cut, crashed and disagreed about the time hold and answer the same", async () => {
    await forAllAsync(
      [arbAbout, arbIntents(70, 100), arbSchedule],
      async (about, intents, seed) => {
        const { observations } = storyOf(intents, about);
        const { report, labels } = await toldToNodes(observations, seed, profile);
        const { violations } = report;
        if (violations.length > 0)
          assert.fail(`${JSON.stringify(violations, null, 1)}\n\nthe story:\n${storyText(observations)}`);
        for (const name of NEVER) assert.notInclude(labels, `${name} held`);
        return labels;
      },
      { runs, nightly: 200 * runs, sample, shares: SHARES, endOnFailure: true },
    );
  });
});
