/**
 * Goal: what is attached in slices becomes the same as what is attached at once, whatever the slices, and no answer
 * tells that a slice is still to come (CONVERGENCE B5).
 * Method: random stories, told in parts to a node that attaches at once and to one that attaches one statement a step;
 * each part is followed by a few slices, by reads of both, and now and then by a restart in the middle of the queue.
 */
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import type { Load } from "../planted/planted-bug.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { forAll, samples } from "../property/for-all.ts";
import { sliceLaw } from "./slice-law.ts";
import { arbIntents, arbSchedule, storyOf } from "./workload.ts";

type Laws = typeof import("./slice-law.ts");
type Workload = typeof import("./workload.ts");

test("attached in slices it is the same, and reads the same at any time", () => {
  forAll(
    [arbIntents(20, 60), arbSchedule],
    (intents, schedule) => {
      const { different, labels } = sliceLaw(storyOf(intents).observations, schedule);
      assert.equal(different, undefined);
      return labels;
    },
    { runs: 15, nightly: 1_000, sample: 40, shares: { "read amid a queue": 0.3, "restarted amid a queue": 0.1 } },
  );
});

const BUGS: Readonly<Record<string, PlantedBug>> = {
  "a read that waits for nothing": {
    file: "core/engine/statements/held-calls.ts",
    find: "if (reader.size(Attaching) === 0 || slicesTaken(reader) >= last) return true;",
    replace: "if (last > 0) return true;",
  },
  "a read that waits for what it names and for nothing that this rests on": {
    file: "core/engine/statements/held-calls.ts",
    find: "if (parent !== undefined) queue.push(parent);",
    replace: "",
  },
  "what comes while the queue goes through a record is not looked at again": {
    file: "core/engine/statements/attaching.ts",
    find: "held === undefined ? fresh : { ...held, again: true }",
    replace: "held === undefined ? fresh : held",
  },
};

describe("a planted bug is found", () => {
  test.each(Object.entries(BUGS))("%s", async (_, bug) => {
    const found = await withPlantedBug(bug, async (load: Load) => {
      const { sliceLaw: law } = await load<Laws>("test/convergence/slice-law.ts");
      const workload = await load<Workload>("test/convergence/workload.ts");
      const stories = samples(fc.tuple(workload.arbIntents(20, 60), workload.arbSchedule), 200);
      return stories.some(
        ([intents, schedule]) => law(workload.storyOf(intents).observations, schedule).different !== undefined,
      );
    });
    assert.isTrue(found);
  });
});
