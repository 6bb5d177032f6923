// Goal: the checks of this folder can fail. Method: plants a bug into the fold, runs the law on stories that are known
// to show it, and wants to be told.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { samples } from "../property/for-all.ts";

type Laws = typeof import("./convergence-law.ts");
type Vetoes = typeof import("./veto-law.ts");
type Workload = typeof import("./workload.ts");

type Replicas = typeof import("./replica.ts");
type Actors = typeof import("./actors.ts");
type Fixtures = typeof import("./fixtures.ts");
type Views = typeof import("../../core/domains/trade/disputes/views.ts");

/** One trade, signed by what was loaded. */
async function stories(load: Load) {
  const { at, merchant, taker } = await load<Actors>("test/convergence/actors.ts");
  const fixtures = await load<Fixtures>("test/convergence/fixtures.ts");
  const initiate = fixtures.initiate(taker, merchant, at(2));
  return {
    trade: [fixtures.advertisement(merchant, at(0)), fixtures.request(taker, at(1)), initiate],
    payment: fixtures.payment(taker, at(3)),
    cancel: fixtures.settlementCancel(merchant, at(-7)),
    opened: fixtures.open(taker, at(4)),
    joined: fixtures.join(merchant, at(5)),
    approved: fixtures.approve(merchant, at(6)),
    earlier: fixtures.initiate(taker, merchant, at(-1), { id: "other" }),
  };
}

/** In how many stories a bug has to show. */
const STORIES = 600;

const ORDER_BUGS: Readonly<Record<string, PlantedBug>> = {
  "arrival order in the sweep": {
    file: "core/domains/trade/advertisements/blocks.ts",
    find: "const news = [...changed].sort(compareAllocations);",
    replace: "const news = [...changed];",
  },
  "a row that is not folded again when its request becomes valid": {
    file: "core/domains/trade/advertisements/fold.ts",
    find: '    mark("settlement", groupOf(request.payload.id, buyer, seller));\n    mark("reservation", request.identity);',
    replace: "",
  },
};

describe("a planted bug is found", () => {
  test("the seller's cancel beats a payment", async () => {
    const bug: PlantedBug = {
      file: "core/domains/trade/settlements/rules.ts",
      find: 'if (isPaidNow(acts)) return "PaymentSubmitted";',
      replace: 'if (acts.sellerCancels.length === 0 && isPaidNow(acts)) return "PaymentSubmitted";',
    };
    const vetoed = await withPlantedBug(bug, async (load) => {
      const { vetoes } = await load<Vetoes>("test/convergence/veto-law.ts");
      const { received } = await load<Replicas>("test/convergence/replica.ts");
      const { trade, payment, cancel } = await stories(load);
      return vetoes(received(...trade, payment), received(cancel));
    });
    assert.lengthOf(vetoed, 1);
  });

  test("a party sits on the panel", async () => {
    const bug: PlantedBug = {
      file: "core/domains/trade/disputes/rules.ts",
      find: "if (parties.includes(signer)) continue;",
      replace: "",
    };
    const seated = await withPlantedBug(bug, async (load) => {
      const { replicaOf, received } = await load<Replicas>("test/convergence/replica.ts");
      const { allDisputes } = await load<Views>("core/domains/trade/disputes/views.ts");
      const { trade, opened, joined } = await stories(load);
      return allDisputes(replicaOf(received(...trade, opened, joined)).store())[0]?.arbitrators.length === 1;
    });
    assert.isTrue(seated);
  });

  test.each(Object.entries(ORDER_BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load) => {
      const { divergence } = await load<Laws>("test/convergence/convergence-law.ts");
      const { arbIntents, arbSchedule, storyOf } = await load<Workload>("test/convergence/workload.ts");
      const stories = samples(fc.tuple(arbIntents(20, 60), arbSchedule), STORIES);
      return stories.some(([intents, schedule]) => divergence(storyOf(intents).observations, schedule) !== undefined);
    });
    assert.isTrue(found);
  });

  test("settlements are followed by date only", async () => {
    const bug: PlantedBug = {
      file: "core/domains/trade/settlements/tables.ts",
      find: "ranks.map(",
      replace: "ranks.slice(9).map(",
    };
    const vetoed = await withPlantedBug(bug, async (load) => {
      const { vetoes } = await load<Vetoes>("test/convergence/veto-law.ts");
      const { received } = await load<Replicas>("test/convergence/replica.ts");
      const { trade, payment, approved, earlier } = await stories(load);
      return vetoes(received(...trade, payment, approved), received(earlier)).map((act) => act.split(" ")[0]);
    });
    assert.deepEqual(vetoed, ["SettlementApproved"]);
  });
});
