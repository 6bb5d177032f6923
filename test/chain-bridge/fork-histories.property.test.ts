// Goal: after any history of forks, reorganizations, stalls, restarts and bad endpoints no effect of a lost branch is
// left on any node; no node that waits for finality ever showed another resolution than the final one, and all nodes
// end with equal roots (protocol 03 A.10.3 R3-R10; DESIGN L2, L3). Method: random histories of one trade on four nodes.
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAllAsync, samples } from "../property/for-all.ts";
import type { Core } from "./case-node.ts";
import type { Ended, History } from "./fork-histories.ts";
import { arbHistory, play } from "./fork-histories.ts";

/** Histories in which a bug must show. */
const TRIES = 60;

test("no effect of a lost branch survives, on any node", async () => {
  const holds = async (history: History) => {
    const ended = await play(history);
    expect(ended.wrong).toBeUndefined();
    return labelsOf(ended);
  };
  await forAllAsync([arbHistory], holds, { runs: 5, nightly: 400, sample: 20, shares, endOnFailure: true });
});

// Histories that end in one way, or in which nothing was ever taken back, would prove little.
const shares = {
  "something undone": 0.1,
  "chain-fork": 0.5,
  "chain-stall": 0.3,
  "chain-lag": 0.1,
  "chain-lie": 0.1,
  "chain-contradiction": 0.1,
  "Open null, Disputed": 0.1,
  "Open null, Completed": 0.1,
  "Resolved Invalid, Cancelled": 0.05,
  "Resolved BuyerWins, Completed": 0.05,
};

/** How a history ended, and what went wrong in it. */
function labelsOf({ truth, undone, network }: Ended): readonly string[] {
  const effective = network.faults.counts().filter((one) => one.effective > 0);
  return [truth, ...effective.map(({ kind }) => kind), ...(undone > 0 ? ["something undone"] : [])];
}

test("the same history ends in the same way, to the last observation", async () => {
  for (const history of samples(arbHistory, 3)) {
    const [one, other] = [await play(history), await play(history)];
    expect(other.digests).toEqual(one.digests);
    expect(other.network.faults.counts()).toEqual(one.network.faults.counts());
  }
});

const bugs: readonly (readonly [string, PlantedBug])[] = [
  [
    "undoes nothing",
    { file: "core/domains/chain-bridge/chain-facts.ts", find: "if (!held.taken) return;", replace: "return;" },
  ],
  [
    "does not mind that a fork dropped a transaction",
    {
      file: "core/domains/chain-bridge/follow.ts",
      find: "if (held !== undefined && (held.final",
      replace: "if (held !== undefined && context.now < 0n && (held.final",
    },
  ],
  [
    "takes what is confirmed for final",
    {
      file: "core/domains/chain-bridge/follow.ts",
      find: 'return commitment === "finalized" ||',
      replace: "return true ||",
    },
  ],
  [
    "forgets its watches",
    {
      file: "core/domains/chain-bridge/domain.ts",
      find: "onStart: [watchFromStart, askAgain]",
      replace: "onStart: [askAgain]",
    },
  ],
];

test.each(bugs)("a node that %s is found out", async (_, bug) => {
  const wrong = await withPlantedBug(bug, async (load) => {
    const core = await load<Core>("core/index.ts");
    for (const history of samples(arbHistory, TRIES)) {
      const ended = await play(history, core);
      if (ended.wrong !== undefined) return ended.wrong;
    }
    return undefined;
  });
  expect(wrong).toBeDefined();
});
