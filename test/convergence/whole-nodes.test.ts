// Goal: whole nodes converge: the same core behind its doors, its gossip and its comparison of sets (DESIGN L2).
// Method: random stories over every domain, signed for real and pushed into a simulated network under cuts, crashes,
// bad weather and wrong clocks; equal sets have equal states at every step, and once all works again every node holds
// the same and answers the same.
import fc from "fast-check";
import { assert, expect, test } from "vitest";
import { cases, countCases } from "./cases.ts";
import { storyText } from "./story-text.ts";
import { toldToNodes } from "./whole-nodes.ts";
import { arbDomains, arbIntents, storyOf } from "./workload.ts";

const RUNS = cases(8, 400);
const tried = countCases();

test("nodes that were cut, crashed and disagreed about the time hold and answer the same", async () => {
  const bitten = new Set<string>();
  await fc.assert(
    fc.asyncProperty(arbDomains(), arbIntents(1, 40), fc.nat(), async (about, intents, seed) => {
      tried("whole nodes");
      const { heard } = storyOf(intents, about);
      const { violations, faults } = await toldToNodes(heard, seed);
      for (const { kind, effective } of faults) if (effective > 0) bitten.add(kind);
      if (violations.length > 0)
        assert.fail(`${JSON.stringify(violations, null, 1)}\n\nthe story:\n${storyText(heard)}`);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect([...bitten]).toEqual(expect.arrayContaining(["partition", "crash", "clock-skew", "loss"]));
}, 3_600_000);
