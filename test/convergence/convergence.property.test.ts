// Goal: equal sets of statements and chain facts give equal roots (DESIGN L2; CONVERGENCE "The fold").
// Method: random stories, folded one by one and in batches, shuffled, repeated, restarted; compared after each part,
// and with a naive derivation of the whole set. OFS_NIGHTLY=1 runs many more.

import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { DisputeStatus } from "../../core/disputes/schema.ts";
import { Disputes } from "../../core/disputes/tables.ts";
import { compareText } from "../../core/kernel/text.ts";
import { Reservations } from "../../core/reservations/tables.ts";
import { SettlementState } from "../../core/settlements/schema.ts";
import { Settlements } from "../../core/settlements/tables.ts";
import { cases, countCases } from "./cases.ts";
import { divergence } from "./convergence-law.ts";
import { replicaOf } from "./replica.ts";
import { arbIntents, storyOf } from "./workload.ts";

const RUNS = cases(200, 12_000);
const tried = countCases();

describe("convergence", () => {
  test("equal sets have equal roots after every part, and equal those of a naive derivation", () => {
    fc.assert(
      fc.property(arbIntents(1, 40), fc.nat(), (intents, schedule) => {
        tried("trade");
        assert.equal(divergence(storyOf(intents).heard, schedule), undefined);
      }),
      { numRuns: RUNS },
    );
  }, 3_600_000);

  test("the stories reach every state that can be reached", () => {
    const states = new Set<string>();
    const stories = fc.sample(arbIntents(40, 60), { numRuns: 150, seed: 1 });
    for (const intents of stories) {
      const store = replicaOf(storyOf(intents).heard).store();
      for (const key of store.keys(Settlements)) states.add(`settlement ${store.get(Settlements, key)?.state}`);
      for (const key of store.keys(Disputes)) states.add(`dispute ${store.get(Disputes, key)?.status}`);
      for (const key of store.keys(Reservations)) {
        const row = store.get(Reservations, key);
        for (const flag of ["sold", "acknowledged", "touched", "settling", "abandoned"] as const) {
          if (row?.[flag]) states.add(`reservation ${flag}`);
        }
        if (row?.returned_at !== null) states.add("reservation returned");
      }
    }
    const expected = [...names(SettlementState, "settlement"), ...names(DisputeStatus, "dispute")];
    expected.push(
      ...["sold", "acknowledged", "touched", "settling", "abandoned", "returned"].map((flag) => `reservation ${flag}`),
    );
    assert.deepEqual([...states].sort(compareText), expected.sort(compareText));
  });
});

function names(of: { readonly shape: unknown }, kind: string): string[] {
  return (of.shape as { readonly names: readonly string[] }).names.map((name) => `${kind} ${name}`);
}
