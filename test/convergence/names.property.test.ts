/**
 * Goal: whoever bears a name is found, by an index of ids or by the identity that the name spells, and nobody else
 * (CONVERGENCE "Records and ids").
 * Method: random stories over several domains, told to a replica; every name, and what every statement is about, is
 * looked up and found again by going through all statements.
 */
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { namesLaw } from "./names-law.ts";
import { arbDomains, arbIntents, storyOf } from "./workload.ts";

type Law = typeof import("./names-law.ts");
type Workload = typeof import("./workload.ts");

test("a name finds all that bear it, among some parties or not", () => {
  forAll(
    [arbIntents(20, 60), arbDomains()],
    (intents, about) => {
      const { different, labels } = namesLaw(storyOf(intents, about).observations);
      assert.equal(different, undefined);
      return labels;
    },
    {
      runs: 40,
      nightly: 10_000,
      sample: 80,
      shares: { "by identity": 0.5, several: 0.1, nobody: 0.9, "about an identity": 0.1, "among parties": 0.1 },
    },
  );
});

const TABLE = "core/engine/statements/table.ts";
const BUGS: Readonly<Record<string, PlantedBug>> = {
  "a name that spells an identity finds nobody": { file: TABLE, find: "create?.name !== name", replace: "name !== ''" },
  "a record of another kind bears the name": {
    file: TABLE,
    find: "!idsOf(create).some((id) => id.kind === kind)",
    replace: "kind === undefined",
  },
  "whoever is party to it or not": {
    file: TABLE,
    find: "if (parties !== undefined && !partiesOf(create)",
    replace: "if (parties === null && !partiesOf(create)",
  },
  "what a name spells is not counted": { file: TABLE, find: "=== undefined ? 0 : 1)", replace: "=== null ? 1 : 0)" },
};

describe("a planted bug is found", () => {
  test.each(Object.entries(BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load: Load) => {
      const law = await load<Law>("test/convergence/names-law.ts");
      const workload = await load<Workload>("test/convergence/workload.ts");
      const stories = samples(fc.tuple(workload.arbIntents(20, 60), workload.arbDomains()), 60);
      for (const [intents, about] of stories) {
        const { different } = law.namesLaw(workload.storyOf(intents, about).observations);
        if (different !== undefined) return different;
      }
      return undefined;
    });
    assert.isDefined(found);
  });
});
