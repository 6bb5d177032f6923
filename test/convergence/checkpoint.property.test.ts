// Goal: a node that begins with a checkpoint holds, answers and goes on as one that folded its rows (DESIGN L2).
// Method: random stories of trades, and of all domains, packed and opened at random places, compared with a node that
// was never packed: its roots, its records and every read, by our rules and by the reference's; and planted bugs in
// what is computed again.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { at } from "./actors.ts";
import { asksAbout, differentAnswer } from "./answers.ts";
import { checkpointDefect, unpacked } from "./checkpoint-law.ts";
import { cameTo } from "./coverage.ts";
import { replicaOf } from "./replica.ts";
import { shuffleOf } from "./shuffle.ts";
import { arbDomains, arbIntents, arbSchedule, storyOf } from "./workload.ts";

test.each([
  ["of trades", fc.constant(["trade"]), { "settlements.state Completed": 0.4 }],
  ["of any domains", arbDomains(), { "OraclePublish in effect": 0.1, "services.health Online": 0.2 }],
] as const)("packed anywhere in its story, a set comes to the same: in stories %s", (_, about, shares) => {
  forAll(
    [about, arbIntents(20, 60), arbSchedule],
    (names, intents, schedule) => {
      const { observations } = storyOf(intents, names);
      assert.equal(checkpointDefect(observations, schedule), undefined);
      return cameTo(replicaOf(observations).store(), observations);
    },
    { runs: 60, nightly: 3_000, sample: 100, shares },
  );
});

describe.each(["default", "parity"] as const)("under the %s profile", (profile) => {
  test("every read answers the same", () => {
    forAll(
      [arbIntents(20, 60), arbSchedule],
      (intents, schedule) => {
        const { observations } = storyOf(intents);
        const [replica, random] = [replicaOf(observations), shuffleOf(schedule)];
        const other = unpacked(replica);
        assert.isDefined(other);
        const asks = asksAbout(observations, random, at(35)).map((ask) => ({ ...ask, parity: profile === "parity" }));
        assert.equal(differentAnswer(replica.store(), other.store(), asks), undefined);
        return cameTo(replica.store(), observations);
      },
      { runs: 30, nightly: 1_000, sample: 60, shares: { "settlements.state Disputed": 0.4 } },
    );
  });
});

const bugs: Readonly<Record<string, PlantedBug>> = {
  "a ledger that is computed again lacks an allocation": {
    file: "core/domains/trade/advertisements/fold.ts",
    find: 'const keys = reader.find(Reservations, "advertisement", identity);',
    replace: 'const keys = reader.find(Reservations, "advertisement", identity).slice(1);',
  },
  "registers are not computed again": {
    file: "core/domains/trade/advertisements/domain.ts",
    find: "[RegistersInForce.name]: registersFrom, ",
    replace: "",
  },
};

test.each(Object.entries(bugs))("the law is broken where %s", async (_, bug) => {
  const found = await withPlantedBug(bug, async (load) => {
    const { checkpointDefect: planted } = await load<typeof import("./checkpoint-law.ts")>(
      "test/convergence/checkpoint-law.ts",
    );
    const { arbIntents: intentsOf, storyOf: story } =
      await load<typeof import("./workload.ts")>("test/convergence/workload.ts");
    return samples(intentsOf(20, 60), 40).some((intents) => planted(story(intents).observations, 1) !== undefined);
  });
  assert.isTrue(found);
});
