/**
 * Goal: nodes behind their ingresses converge, veto nothing and seal alike, whatever strangers add: clocks up to five
 * minutes apart, cuts, restarts, a fresh node by a file, weeks between words, more than every bound takes
 * (DESIGN L2; CONVERGENCE B1 to B7, "No retroactive veto").
 * Method: the bounds made small in the product's own text, so that few words cross them; random stories of trades, of
 * trades and one more domain, and of all, played with strangers and without them beside. Planted bugs are found.
 */
import fc from "fast-check";
import { assert, test } from "vitest";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { floodedError } from "./flooded-law.ts";
import { storyText } from "./story-text.ts";
import { arbIntents, arbSchedule, everyDomain, storyOf } from "./workload.ts";

type Law = typeof import("./flooded-law.ts");
type Workload = typeof import("./workload.ts");

const BOUNDS = "core/engine/admission/bounds.ts";
/** Bounds that a few words cross; people keep within their own. */
const FEW: readonly PlantedBug[] = [
  few(BOUNDS, "CONTENDERS_MAX = 8;", "3"),
  few(BOUNDS, "REQUESTS_PER_SIGNER_MAX = 256;", "6"),
  few(BOUNDS, "PENDING_PER_SIGNER_MAX = 64;", "4"),
  few(BOUNDS, "PENDING_MAX = 10_000;", "20"),
  few(BOUNDS, "SIGNER_BYTES_MAX = 32 * 1_048_576;", "8_000"),
  few("core/domains/trade/sealing/sealing.ts", "SEALED_AT_ONCE = 64;", "3"),
  few("core/engine/statements/attaching.ts", "ATTACHED_AT_ONCE = 64;", "3"),
  few("core/engine/dated-rows.ts", "SWEPT_AT_ONCE = 64;", "3"),
  few("core/network/gossip/arrivals.ts", "FETCHED_AT_ONCE = 64;", "3"),
];
/** Leaps of twelve days, or none. */
const arbPace = fc.constantFrom(1, 12 * 288);
const arbAbout = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly string[]>(["trade"]) },
  { weight: 2, arbitrary: fc.constantFrom(...everyDomain).map((domain) => ["trade", domain]) },
);
const SHARES = {
  ...Object.fromEntries(["cut", "stop", "heal"].map((trouble) => [trouble, 0.5])),
  ...{ "a leap of days": 0.1, "something is sealed": 0.5, "a file is taken": 0.5 },
  ...{ "flooded: something waits": 0.5, "flooded: something is refused": 0.2 },
};

function few(file: string, find: string, value: string): PlantedBug {
  return { file, find, replace: `${find.split(" = ")[0]} = ${value};` };
}

test("what people say is held by all and counts, whatever strangers say", () =>
  withPlantedBug(FEW, async (load: Load) => {
    const { floodedError: errorOf } = await load<Law>("test/convergence/flooded-law.ts");
    const { storyOf: story } = await load<Workload>("test/convergence/workload.ts");
    forAll(
      [arbAbout, arbPace, arbIntents(6, 18), arbSchedule],
      (about, pace, intents, schedule) => {
        const told = story(intents, about, pace);
        const { wrong, labels } = errorOf(told, schedule);
        if (wrong !== undefined) assert.fail(`${wrong}\n\nthe story:\n${storyText(told.observations)}`);
        return labels;
      },
      { runs: 80, nightly: 10_000, sample: 40, shares: SHARES, endOnFailure: true },
    );
  }));

test("with the bounds as they are, too", () => {
  for (const [pace, intents, schedule] of samples(fc.tuple(arbPace, arbIntents(6, 18), arbSchedule), 3))
    assert.isUndefined(floodedError(storyOf(intents, ["trade"], pace), schedule).wrong);
});

/** Each shows in one of the first of the stories. */
const HOLES: readonly { readonly name: string; readonly hole: readonly PlantedBug[]; readonly finds: RegExp }[] = [
  {
    name: "contenders of everybody share a bound",
    hole: [
      { file: BOUNDS, find: "const held = contendersOf(reader, { kind, name: id }, [signer]);", replace: "" },
      {
        file: BOUNDS,
        find: "return held.filter((each) => each.signer === signer).length < most;",
        replace: "return contenders(reader, kind, id).length < (signer === undefined ? 0 : CONTENDERS_MAX);",
      },
    ],
    finds: /is not held/,
  },
  {
    name: "what was refused is fetched at every comparison",
    hole: [{ file: "core/network/gossip/refused.ts", find: "held.until > context.now", replace: "held.until < 0n" }],
    finds: /fetched again and again/,
  },
  {
    name: "a record is sealed at the end of its life",
    hole: [{ file: "core/domains/trade/sealing/hours.ts", find: "(end + SEAL_AGE_MS) /", replace: "(end - end) /" }],
    finds: /is not held|unequal states/,
  },
];

test.each(HOLES)("a planted bug is found: $name", async ({ hole, finds }) => {
  const found = await withPlantedBug([...FEW, ...hole], async (load: Load) => {
    const { floodedError: errorOf } = await load<Law>("test/convergence/flooded-law.ts");
    const { storyOf: story } = await load<Workload>("test/convergence/workload.ts");
    const cases = samples(fc.tuple(arbPace, arbIntents(6, 18), arbSchedule), 20);
    for (const [pace, intents, schedule] of cases) {
      const { wrong } = errorOf(story(intents, ["trade"], pace), schedule);
      if (wrong !== undefined) return wrong;
    }
    return "nothing";
  });
  assert.match(found, finds);
});
