/**
 * Goal: the named suite *dispute resolution*. Whatever people vote, keep silent about, agree on, tag or send, and
 * whatever breaks, a dispute is decided on chain and nowhere else: nodes without an endpoint never resolve; after quiet
 * all nodes with one show what the finalized chain says and nothing of a lost branch (DESIGN L2, L3; protocol 03
 * A.10.3). Method: random disputes on eight nodes under every fault; judged by the chain itself, and by every answer on
 * the way.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAllAsync, samples } from "../property/for-all.ts";
import type * as JudgeModule from "./dispute-judge.ts";
import type { Judged } from "./dispute-judge.ts";
import { playDisputes, UNDECIDED } from "./dispute-judge.ts";
import type { DisputeStory } from "./dispute-stories.ts";
import { arbDisputes, kindsOf, TROUBLES, VOTED } from "./dispute-stories.ts";

const arbSeed = fc.bigInt({ min: 0n, max: 1n << 32n });

/** What the stories are about, each in at least this share. */
const ABOUT = {
  ...Object.fromEntries([...VOTED, "silent", "absent"].map((vote) => [`votes ${vote}`, 0.3])),
  ...{ "says nothing": 0.3, "commits to two votes": 0.3, "several cases": 0.4 },
  ...{ "buyer agreed": 0.2, "both agreed": 0.2, "a squatted escrow": 0.15, "an execution of another's case": 0.4 },
  ...{ "hidden by memos": 0.2, "hidden by call": 0.2, "hidden by table": 0.2 },
  ...Object.fromEntries(TROUBLES.map((trouble) => [trouble, 0.1])),
};

/** What stories come to: every outcome of the chain, what nodes took back, and what really broke. */
const CAME_TO = {
  ...Object.fromEntries([...VOTED, "split", UNDECIDED].map((outcome) => [outcome, 0.05])),
  ...{ undone: 0.05, reopened: 0.1 },
  ...Object.fromEntries(
    ["partition", "crash", "loss", "chain-fork", "chain-stall", "chain-drop", "chain-lie"].map((kind) => [kind, 0.05]),
  ),
};

describe("dispute resolution", () => {
  test.each([
    ["bankrun", 3, 40],
    ["litesvm", 4, 80],
  ] as const)("random disputes on %s", async (chain, runs, nightly) => {
    await forAllAsync([arbDisputes, arbSeed], async (story, seed) => void (await expectRight(story, seed, chain)), {
      ...{ runs, nightly, endOnFailure: true, classes: kindsOf, shares: ABOUT },
    });
  });

  test("random disputes on model", async () => {
    await forAllAsync(
      [arbDisputes, arbSeed],
      async (story, seed) => {
        const { truths, undone, reopened, report } = await expectRight(story, seed, "model");
        return [
          ...[...truths.values()].map((truth) => truth.split(" ")[0] ?? ""),
          ...(undone > 0 ? ["undone"] : []),
          ...(reopened > 0 ? ["reopened"] : []),
          ...report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind),
        ];
      },
      { runs: 3, nightly: 200, sample: 12, shares: CAME_TO, endOnFailure: true },
    );
  });
});

async function expectRight(story: DisputeStory, seed: bigint, chain: "bankrun" | "litesvm" | "model"): Promise<Judged> {
  const judged = await playDisputes(story, seed, chain);
  expect(judged.wrong).toBeUndefined();
  return judged;
}

const bug = (file: string, find: string, replace: string): PlantedBug => ({ file: `core/${file}`, find, replace });

/** What a node does wrong, in stories of what it shows, and the change that makes it so. */
const bugs: readonly (readonly [string, string, PlantedBug | readonly PlantedBug[]])[] = [
  [
    "counts reveals",
    "says MerchantWins",
    bug(
      "domains/trade/disputes/rules.ts",
      "resolution: settlement.resolution,",
      "resolution: settlement.resolution ?? revealed[2]?.payload.vote ?? null,",
    ),
  ],
  [
    "takes the parties' agreement for the chain's",
    "both agreed",
    bug(
      "domains/trade/disputes/rules.ts",
      "resolution: settlement.resolution,",
      'resolution: settlement.resolution ?? (buyerAgreed && sellerAgreed ? "MutualSettlement" : null),',
    ),
  ],
  [
    "undoes nothing",
    "a fork that loses",
    bug("domains/chain-bridge/chain-facts.ts", "if (!held.taken) return;", "return;"),
  ],
  [
    "takes a squatted escrow for the trade's",
    "nothing but squatted escrows",
    [
      bug(
        "domains/trade/settlements/fold.ts",
        "    sameKey(fact.buyer, row.buyer_public_key) &&\n    sameKey(fact.seller, row.seller_public_key) &&\n",
        "",
      ),
      bug("domains/chain-bridge/watches.ts", "return parties && row.amount", "return row?.amount"),
    ],
  ],
  [
    "believes events alone",
    "hidden by memos",
    [
      bug(
        "domains/chain-bridge/looks.ts",
        "if (!isClosed(context, seen.account) ||",
        "if (!isClosed(context, null) ||",
      ),
      bug("domains/chain-bridge/follow.ts", "of read.unexplained) {", "of [] as typeof read.unexplained) {"),
    ],
  ],
  [
    "knows no looked-up address",
    "hidden by table",
    [
      bug(
        "domains/chain-bridge/looks.ts",
        "if (!isClosed(context, seen.account) ||",
        "if (!isClosed(context, null) ||",
      ),
      bug("domains/chain-bridge/follow.ts", "of read.unexplained) {", "of [] as typeof read.unexplained) {"),
      bug("domains/chain-bridge/reading.ts", "...(seen.loaded ?? [])]", "]"),
    ],
  ],
  [
    "forgets its watches",
    "a crash",
    bug("domains/chain-bridge/domain.ts", "onStart: [watchFromStart, askAgain]", "onStart: [askAgain]"),
  ],
];

/** Stories in which a bug must show. */
const TRIES = 12;

test.each(bugs)("a node that %s is found out in stories of: %s", async (_, about, planted) => {
  const arbAbout = arbDisputes.filter((story) => kindsOf(story).includes(about));
  const wrong = await withPlantedBug(planted, async (load) => {
    const { playDisputes: play } = await load<typeof JudgeModule>("test/suites/dispute-judge.ts");
    for (const [story, seed] of samples(fc.tuple(arbAbout, arbSeed), TRIES)) {
      const judged = await play(story, seed, "model");
      if (judged.wrong !== undefined) return judged.wrong;
    }
    return undefined;
  });
  expect(wrong).toMatch(/\w/);
});
