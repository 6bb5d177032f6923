// Goal: nodes that heard the same, in whatever order, hold the same and answer the same (DESIGN L2).
// Method: random stories over every domain, several nodes with orders, losses, repeats, batches and restarts of their
// own; equal sets are compared after every delivery, and every public read in the end. A failure shrinks to a story in
// words. The stories of a domain come to every state of its records, and every type of it is in effect.
import { assert, describe, test } from "vitest";
import { forAll } from "../property/for-all.ts";
import { ADVERSE, adverseIn } from "./adverse.ts";
import { cameTo, demanded, demandedTypes, unassigned } from "./coverage.ts";
import { disagreement } from "./network-law.ts";
import { replicaOf } from "./replica.ts";
import type { Story } from "./story.ts";
import { arbDomains, arbIntents, arbSchedule, everyDomain, storyOf } from "./workload.ts";

function expectAgreement(story: Story, schedule: number): readonly string[] {
  const wrong = disagreement(story.observations, schedule);
  if (wrong !== undefined) assert.fail(wrong);
  return [...cameTo(replicaOf(story.observations).store(), story.observations), ...adverseIn(story)];
}

/** Cases of the fixed seed, where it takes more than usual until all that a domain knows has been seen. */
const samples: Readonly<Record<string, number>> = { trade: 80, registry: 200 };

describe("nodes converge", () => {
  test("in stories over every domain", () => {
    forAll(
      [arbDomains(), arbIntents(20, 60), arbSchedule],
      (about, intents, schedule) => expectAgreement(storyOf(intents, about), schedule),
      { runs: 20, nightly: 12_000, sample: 120, shares: { ...demandedTypes(), ...ADVERSE } },
    );
  });

  test.each(everyDomain)("in stories of %s", (domain) => {
    forAll(
      [arbIntents(20, 60), arbSchedule],
      (intents, schedule) => expectAgreement(storyOf(intents, [domain]), schedule),
      { runs: 3, nightly: 2_000, sample: samples[domain] ?? 25, shares: demanded(domain) },
    );
  });

  test("every table of the folded set belongs to a domain", () => {
    assert.deepEqual(unassigned(), []);
  });
});
