// Goal: sealing at different moments on different nodes leaves equal roots, that of the archive included (CONVERGENCE
// "Sealing"). Method: random stories of trades, beside each other domain too; what is old is heard first, the rest
// before and after each node seals, with repeats and restarts. A record sealed too early is found.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forAll, samples } from "../property/for-all.ts";
import { at, merchant, taker } from "./actors.ts";
import * as fixtures from "./fixtures.ts";
import { received, seen } from "./replica.ts";
import { sealingError } from "./sealing-law.ts";
import { storyText } from "./story-text.ts";
import { arbIntents, arbSchedule, everyDomain, storyOf } from "./workload.ts";

type Law = typeof import("./sealing-law.ts");
type Workload = typeof import("./workload.ts");

/** So long are the leaps of time, in steps of five minutes: twelve days, so that trades end before others begin. */
const PACE = 12 * 288;
/** What is sealed early in at least this share of the stories, so that what comes later may meet it. */
const SHARES = {
  "a settlement AwaitingPayment": 0.02,
  "a settlement Completed": 0.1,
  "a settlement Cancelled": 0.02,
  "a chain fact": 0.1,
  ReservationRequest: 0.5,
  // One that is of no request waits, and is swept; those that are held and make no record are few.
  SettlementInitiate: 0.05,
  PaymentSubmitted: 0.2,
  DisputeOpen: 0.1,
  VoteReveal: 0.01,
};

const SEALING = "core/domains/trade/sealing/sealing.ts";
const HOURS = "core/domains/trade/sealing/hours.ts";

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
      { runs: 15, nightly: 10_000, sample: 60, shares: SHARES },
    );
  });

  test("a late payment on a settlement beside a decided one moves nothing that is sealed", () => {
    const [request, paidAt] = [fixtures.request(taker, at(1)), at(60 * 24 * 29)];
    const trade = [fixtures.advertisement(merchant, at(0)), request, fixtures.initiate(taker, merchant, at(2))];
    const beside = [
      fixtures.initiate(taker, merchant, at(25), { id: "s2" }),
      fixtures.approve(merchant, at(26), "s2"),
      fixtures.open(merchant, at(26)),
      fixtures.payment(taker, paidAt, "s2"),
    ];
    const decided = seen({
      ...{ kind: "decided", reservation: 42n, buyer: taker.key, seller: merchant.key, mint: fixtures.MINTS[0] },
      ...{ amount: 10n, resolution: "BuyerWins", terminal_split: null, transaction: "decision", timestamp: at(40) },
    });
    const observations = [...received(...trade, ...beside), decided];
    for (let schedule = 0; schedule < 64; schedule++)
      assert.isUndefined(sealingError(observations, schedule).wrong, `schedule ${schedule}`);
  });

  test.each([
    ["a record of which an ingress still takes something, sealed", HOURS, "(end + SEAL_AGE_MS) /", "end /"],
    ["facts that do not wait", SEALING, "of DUE_IN_ORDER) {", "of DUE_IN_ORDER.toReversed()) {"],
    ["records without an end", "core/engine/statements/table.ts", "&& since <= BigInt(lifeMs)", ""],
  ])("%s: found", async (_, file, find, replace) => {
    const found = await withPlantedBug({ file, find, replace }, async (load) => {
      const { sealingError: errorOf } = await load<Law>("test/convergence/sealing-law.ts");
      const { arbIntents: arb, storyOf: story } = await load<Workload>("test/convergence/workload.ts");
      const stories = samples(fc.tuple(arb(30, 60), arbSchedule), 300);
      return stories.some(
        ([intents, schedule]) => errorOf(story(intents, undefined, PACE).observations, schedule).wrong !== undefined,
      );
    });
    assert.isTrue(found);
  });
});
