// Goal: equal sets of statements and chain facts give equal roots (DESIGN L2; CONVERGENCE "The fold").
// Method: random stories of trades, folded one by one and in batches, shuffled, repeated, restarted; compared after
// each part, and with a naive derivation of the whole set. The stories come to every state that a trade's records have.
import { assert, test } from "vitest";
import { forAll } from "../property/for-all.ts";
import { ADVERSE, adverseIn } from "./adverse.ts";
import { divergence } from "./convergence-law.ts";
import { cameTo, demanded } from "./coverage.ts";
import { replicaOf } from "./replica.ts";
import { arbIntents, arbSchedule, storyOf } from "./workload.ts";

/** What more than a few of the stories come to: a trade goes on more often than it is left. */
const OFTEN = {
  "settlements.state PaymentSubmitted": 0.15,
  "settlements.state Approved": 0.05,
  "settlements.state Rejected": 0.05,
  "settlements.state Disputed": 0.4,
  "settlements.state Completed": 0.4,
  "disputes.status CaseLocked": 0.1,
  "disputes.status RevealPhase": 0.05,
  "disputes.status AwaitingChainExecution": 0.1,
  "disputes.status Resolved": 0.2,
};

test("equal sets have equal roots after every part, and equal those of a naive derivation", () => {
  forAll(
    [arbIntents(20, 60), arbSchedule],
    (intents, schedule) => {
      const story = storyOf(intents);
      assert.equal(divergence(story.observations, schedule), undefined);
      return [...cameTo(replicaOf(story.observations).store(), story.observations), ...adverseIn(story)];
    },
    { runs: 60, nightly: 12_000, sample: 100, shares: { ...demanded("trade"), ...ADVERSE, ...OFTEN } },
  );
});
