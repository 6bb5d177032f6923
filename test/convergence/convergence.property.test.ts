// Goal: equal sets of statements and chain facts give equal roots (DESIGN L2; CONVERGENCE "The fold").
// Method: random stories of trades, folded one by one and in batches, shuffled, repeated, restarted; compared after
// each part, and with a naive derivation of the whole set; and every read, by our rules and by the reference's, answers
// the same of both. The stories come to every state that a trade's records have.
import { assert, describe, test } from "vitest";
import type { Reader } from "../../core/kernel/table.ts";
import { forAll } from "../property/for-all.ts";
import { at } from "./actors.ts";
import { ADVERSE, adverseIn } from "./adverse.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { divergence } from "./convergence-law.ts";
import { cameTo, demanded } from "./coverage.ts";
import type { Observation } from "./replica.ts";
import { replicaOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";
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

describe.each(["default", "parity"] as const)("under the %s profile", (profile) => {
  test("equal sets have equal roots after every part, and equal those of a naive derivation", () => {
    forAll(
      [arbIntents(20, 60), arbSchedule],
      (intents, schedule) => {
        const story = storyOf(intents);
        assert.equal(divergence(story.observations, schedule), undefined);
        const store = replicaOf(story.observations).store();
        assert.equal(differentReading(store, story.observations, schedule, profile), undefined);
        return [...cameTo(store, story.observations), ...adverseIn(story)];
      },
      { runs: 60, nightly: 10_000, sample: 100, shares: { ...demanded("trade"), ...ADVERSE, ...OFTEN } },
    );
  });
});

/** What another who was told the same in another order answers differently, by the rules of a profile. */
function differentReading(
  store: Reader,
  observations: readonly Observation[],
  schedule: number,
  profile: "default" | "parity",
): string | undefined {
  const random = shuffleOf(schedule);
  const other = replicaOf(random.shuffled(observations)).store();
  const asks = asksAbout(observations, random, at(35)).map((ask) => ({ ...ask, parity: profile === "parity" }));
  return differentAnswer(store, other, asks);
}
