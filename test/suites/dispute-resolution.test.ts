/**
 * Goal: the named suite *dispute resolution*. Whatever people vote, keep silent about, agree on, tag or send, and
 * whatever breaks, a dispute is decided on chain and nowhere else: nodes without an endpoint never resolve; after quiet
 * all nodes with one show what the finalized chain says and nothing of a lost branch (DESIGN L2, L3; protocol 03
 * A.10.3). Method: random disputes on eight nodes under every fault; judged by the chain itself, and by every answer on
 * the way.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlantedBug } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type * as JudgeModule from "./dispute-judge.ts";
import type { Judged } from "./dispute-judge.ts";
import { playDisputes, UNDECIDED } from "./dispute-judge.ts";
import { arbDisputes } from "./dispute-stories.ts";

const SEED = Number(process.env.DISPUTE_SEED ?? 2_401);
/** More with `DISPUTE_RUNS=200`. */
const MORE = process.env.DISPUTE_RUNS;
const arbSeed = fc.bigInt({ min: 0n, max: 1n << 32n });

describe("dispute resolution", () => {
  test.each([
    ["bankrun", 3],
    ["litesvm", 4],
    ["model", 14],
  ] as const)("random disputes on %s", async (chain, few) => {
    const ends: Judged[] = [];
    await fc.assert(
      fc.asyncProperty(arbDisputes, arbSeed, async (story, seed) => {
        const judged = await playDisputes(story, seed, chain);
        ends.push(judged);
        expect(judged.wrong).toBeUndefined();
      }),
      { numRuns: Number(MORE ?? few), seed: SEED, endOnFailure: true },
    );
    if (chain === "model") expectVariety(ends);
  });
});

/** Stories that end in one way, or in which nothing went wrong, would prove little. */
function expectVariety(ends: readonly Judged[]): void {
  const outcomes = new Set(ends.flatMap(({ truths }) => [...truths.values()].map((truth) => truth.split(" ")[0])));
  for (const outcome of ["BuyerWins", "MerchantWins", "split", UNDECIDED]) expect(outcomes).toContain(outcome);
  expect(ends.reduce((sum, { undone }) => sum + undone, 0)).toBeGreaterThan(0);
  expect(ends.reduce((sum, { reopened }) => sum + reopened, 0)).toBeGreaterThan(0);
  const bitten = new Set(
    ends.flatMap(({ report }) => report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind)),
  );
  for (const kind of ["partition", "crash", "loss", "chain-fork", "chain-stall", "chain-drop", "chain-lie"]) {
    expect(bitten).toContain(kind);
  }
}

const bug = (file: string, find: string, replace: string): PlantedBug => ({ file: `core/${file}`, find, replace });

const bugs: readonly (readonly [string, PlantedBug])[] = [
  [
    "counts reveals",
    bug(
      "disputes/rules.ts",
      "resolution: settlement.resolution,",
      "resolution: settlement.resolution ?? revealed[2]?.payload.vote ?? null,",
    ),
  ],
  [
    "takes the parties' agreement for the chain's",
    bug(
      "disputes/rules.ts",
      "resolution: settlement.resolution,",
      'resolution: settlement.resolution ?? (buyerAgreed && sellerAgreed ? "MutualSettlement" : null),',
    ),
  ],
  ["undoes nothing", bug("chain-bridge/chain-facts.ts", "if (!held.taken) return;", "return;")],
  [
    "takes a squatted escrow for the trade's",
    bug(
      "settlements/fold.ts",
      "    sameKey(fact.buyer, row.buyer_public_key) &&\n    sameKey(fact.seller, row.seller_public_key) &&\n",
      "",
    ),
  ],
  ["forgets its watches", bug("timers.ts", "  watchFromStart,\n", "")],
];

/** Stories in which a bug must show. */
const TRIES = 25;

test.each(bugs)("a node that %s is found out", async (_, planted) => {
  const wrong = await withPlantedBug(planted, async (load) => {
    const { playDisputes: play } = await load<typeof JudgeModule>("test/suites/dispute-judge.ts");
    for (const [story, seed] of fc.sample(fc.tuple(arbDisputes, arbSeed), { numRuns: TRIES, seed: SEED })) {
      const judged = await play(story, seed, "model");
      if (judged.wrong !== undefined) return judged.wrong;
    }
    return undefined;
  });
  expect(wrong).toMatch(/\w/);
});
