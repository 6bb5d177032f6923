// Goal: nodes that heard the same, in whatever order, hold the same and answer the same (DESIGN L2).
// Method: random stories over every domain, several nodes with orders, losses, repeats, batches and restarts of their
// own; equal sets are compared after every delivery, and every public read in the end. A failure shrinks to a story in
// words. OFS_NIGHTLY=1 runs many more.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { cases, countCases } from "./cases.ts";
import { disagreement } from "./network-law.ts";
import { arbDomains, arbIntents, everyDomain, storyOf } from "./workload.ts";

const RUNS = cases(120, 12_000);
const RUNS_PER_DOMAIN = cases(10, 2_000);
const tried = countCases();

describe("nodes converge", () => {
  test("in stories over every domain", () => {
    fc.assert(
      fc.property(arbDomains(), arbIntents(1, 60), fc.nat(), (about, intents, schedule) => {
        tried("every domain");
        const wrong = disagreement(storyOf(intents, about).heard, schedule);
        if (wrong !== undefined) assert.fail(wrong);
      }),
      { numRuns: RUNS },
    );
  }, 3_600_000);

  test.each(everyDomain)(
    "in stories of %s",
    (domain) => {
      fc.assert(
        fc.property(arbIntents(1, 40), fc.nat(), (intents, schedule) => {
          tried(domain);
          const wrong = disagreement(storyOf(intents, [domain]).heard, schedule);
          if (wrong !== undefined) assert.fail(wrong);
        }),
        { numRuns: RUNS_PER_DOMAIN },
      );
    },
    3_600_000,
  );
});
