// Goal: sealing at different moments on different nodes leaves equal roots, that of the archive included (CONVERGENCE
// "Sealing"). Method: random stories of trades, beside each other domain too; what is old is heard first, the rest
// before and after each node seals, with repeats and restarts. A record sealed too early is found.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAll, samples } from "../property/for-all.ts";
import { sealingError } from "./sealing-law.ts";
import { storyText } from "./story-text.ts";
import { arbIntents, arbSchedule, everyDomain, storyOf } from "./workload.ts";

type Law = typeof import("./sealing-law.ts");
type Workload = typeof import("./workload.ts");

/** So much faster time goes, that trades are terminal before others begin. */
const PACE = 2;
/** What is sealed early in at least this share of the stories, so that what comes later may meet it. */
const SHARES = {
  "a settlement Approved": 0.01,
  "a settlement Completed": 0.1,
  "a settlement Cancelled": 0.02,
  "a chain fact": 0.1,
  ReservationRequest: 0.5,
  SettlementInitiate: 0.8,
  PaymentSubmitted: 0.2,
  DisputeOpen: 0.1,
  VoteReveal: 0.01,
};

describe("sealing", () => {
  test.each([
    ["of trades", fc.constant(["trade"])],
    ["of trades and one more domain", fc.constantFrom(...everyDomain).map((domain) => ["trade", domain])],
  ] as const)("in stories %s", (_, about) => {
    forAll(
      [about, arbIntents(20, 60), arbSchedule],
      (domains, intents, schedule) => {
        const { observations } = storyOf(intents, domains, PACE);
        const { wrong, early } = sealingError(observations, schedule);
        if (wrong !== undefined) assert.fail(`${wrong}\n\nthe story:\n${storyText(observations)}`);
        return early;
      },
      { runs: 15, nightly: 4_000, sample: 60, shares: SHARES },
    );
  });

  test("a settlement that was spoken of lately, sealed: found", async () => {
    const bug = {
      file: "core/domains/trade/sealing/sealing.ts",
      find: "return TERMINAL.has(row.state) && newest < before;",
      replace: "return TERMINAL.has(row.state) && newest > 0n;",
    };
    const found = await withPlantedBug(bug, async (load) => {
      const { sealingError: validationError } = await load<Law>("test/convergence/sealing-law.ts");
      const { arbIntents: arb, storyOf: story } = await load<Workload>("test/convergence/workload.ts");
      const stories = samples(fc.tuple(arb(30, 60), arbSchedule), 300);
      return stories.some(
        ([intents, schedule]) =>
          validationError(story(intents, undefined, PACE).observations, schedule).wrong !== undefined,
      );
    });
    assert.isTrue(found);
  });
});
