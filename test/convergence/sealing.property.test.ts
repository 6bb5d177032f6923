// Goal: sealing at different moments on different nodes leaves equal roots, that of the archive included (CONVERGENCE
// "Sealing"). Method: random stories of trades, beside each other domain too; what is old is heard first, the rest
// before and after each node seals, with repeats and restarts. A record sealed too early is found.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { cases, countCases } from "./cases.ts";
import { sealingFlaw } from "./sealing-law.ts";
import { storyText } from "./story-text.ts";
import { arbIntents, everyDomain, storyOf } from "./workload.ts";

type Law = typeof import("./sealing-law.ts");
type Workload = typeof import("./workload.ts");

const RUNS = cases(30, 4_000);
const tried = countCases();

describe("sealing", () => {
  test.each([
    ["of trades", fc.constant(["trade"])],
    ["of trades and one more domain", fc.constantFrom(...everyDomain).map((domain) => ["trade", domain])],
  ] as const)(
    "in stories %s",
    (name, about) => {
      let sealing = 0;
      fc.assert(
        fc.property(about, arbIntents(20, 60), fc.nat(), (domains, intents, schedule) => {
          tried(name);
          const { heard } = storyOf(intents, domains);
          const { wrong, early } = sealingFlaw(heard, schedule);
          if (early > 0) sealing += 1;
          if (wrong !== undefined) assert.fail(`${wrong}\n\nthe story:\n${storyText(heard)}`);
        }),
        { numRuns: RUNS },
      );
      assert.isAbove(sealing, RUNS / 10, "too few stories seal anything");
    },
    3_600_000,
  );

  test("a settlement that was spoken of lately, sealed: found", async () => {
    const bug = {
      file: "core/sealing/sealing.ts",
      find: "return TERMINAL.has(row.state) && newest < before;",
      replace: "return TERMINAL.has(row.state) && newest > 0n;",
    };
    const found = await withPlantedBug(bug, async (load) => {
      const { sealingFlaw: flaw } = await load<Law>("test/convergence/sealing-law.ts");
      const { arbIntents: arb, storyOf: story } = await load<Workload>("test/convergence/workload.ts");
      const stories = fc.sample(fc.tuple(arb(30, 60), fc.nat()), { numRuns: 300, seed: 5 });
      return stories.some(([intents, schedule]) => flaw(story(intents).heard, schedule).wrong !== undefined);
    });
    assert.isTrue(found);
  });
});
