/**
 * Goal: a network changes its rules at a date without splitting before it (CONVERGENCE "Profile").
 * Method: three nodes of the network of notes have a rule from a date on, two have not; notes that the rule makes void
 * are written before and after it, and the network is cut and healed on both sides of the date, so that only a
 * comparison of sets brings what is missing. The same checks are watched failing on planted bugs.
 */
import { assert, describe, expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { amended } from "./amended-network.ts";

type Amended = typeof import("./amended-network.ts");

test("old and new nodes agree until the date; then the old ones say that they are left behind", async () => {
  expect((await amended()).wrong).toBeUndefined();
});

const CHANGES = "core/network/gossip/rule-changes.ts";
const BUGS: Readonly<Record<string, readonly [PlantedBug, RegExp]>> = {
  "a rule that counts in the hash before its date": [
    { file: "core/profile.ts", find: "from <= at", replace: "from >= 0n" },
    /lack what was written before the date/,
  ],
  "a rule that holds for what was dated before": [
    { file: "core/engine/amendments.ts", find: " && timestamp >= each.from", replace: "" },
    /lack what was written before the date/,
  ],
  "a rule that holds for nothing": [
    { file: "core/engine/amendments.ts", find: "timestamp >= each.from", replace: "timestamp < 0n" },
    /the rule is not in force/,
  ],
  "comparison goes on after the date": [
    {
      file: CHANGES,
      find: "if (change === undefined || change.from > context.now) return false;",
      replace: "return false;",
    },
    /0 times/,
  ],
  "nobody is told of a change": [
    {
      file: CHANGES,
      find: 'ask(context, peer, "have", OFS_GOSSIP, "GossipRuleChange"',
      replace: 'void (context, peer, "GossipRuleChange"',
    },
    /0 times/,
  ],
};

describe("a planted bug is found", () => {
  test.each(Object.entries(BUGS))("%s", async (_, [bug, finds]) => {
    const found = await withPlantedBug(bug, async (load) => {
      const { amended: run } = await load<Amended>("test/engine/amended-network.ts");
      return (await run()).wrong;
    });
    assert.match(found ?? "nothing", finds);
  });
});

test("what a peer tells of rules of another network is no news", async () => {
  const { logged } = await amended({ named: "another" });
  expect(logged.filter((line) => / (rules change|left behind)/.test(line))).toEqual([]);
});
