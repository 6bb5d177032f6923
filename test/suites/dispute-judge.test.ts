/**
 * Goal: a status that no execution stands behind is found by the checker of law L3 and, where that does not read along,
 * by the judge of the dispute suite. Method: the status planted, and stories of the suite on the model.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { samples } from "../property/for-all.ts";
import type * as JudgeModule from "./dispute-judge.ts";
import { arbDisputes } from "./dispute-stories.ts";

/** Stories in which three arbitrators must reveal to one node. */
const TRIES = 6;
const MINUTE_MS = 60_000;

const RESOLVED_AFTER_REVEALS: PlantedBug = {
  file: "core/domains/trade/disputes/rules.ts",
  find: 'if (decided) return "Resolved";',
  replace: 'if (decided || counts.revealed >= REQUIRED_ARBITRATORS) return "Resolved";',
};

/** Every world holds records against the papers, which find this first. */
const WITHOUT_PAPERS: PlantedBug = {
  file: "sim/checkers/always-watched.ts",
  find: "  recordsFollowThePapers,\n",
  replace: "",
};

test.each([
  [
    "the checker of law L3",
    false,
    /^no-resolution-without-execution: .* reads Resolved, and no execution was observed$/,
  ],
  ["the judge alone", true, /^as-the-chain-decided: node\/\d shows .* Resolved by nobody, not /],
])("the status Resolved after three reveals is found by %s", async (_, alone, finds) => {
  const found = await withPlantedBug([RESOLVED_AFTER_REVEALS, WITHOUT_PAPERS], async (load) => {
    const { playDisputes } = await load<typeof JudgeModule>("test/suites/dispute-judge.ts");
    for (const [story, seed] of samples(fc.tuple(arbDisputes, fc.bigInt({ min: 0n, max: 1n << 32n })), TRIES)) {
      const judged = await playDisputes(story, seed, "model", { alone, within: 3 * MINUTE_MS });
      if (judged.wrong !== undefined) return judged.wrong;
    }
    return undefined;
  });
  expect(found).toMatch(finds);
});
