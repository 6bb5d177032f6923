// Goal: a guided search is a function of its seeds, goes on from copies, and what it finds is an ordinary scenario that
// breaks the same law from its beginning. Method: one small drawn world searched twice; a bug that needs a step which
// the drawn world has not, planted into the product.
import { assert, expect, test } from "vitest";
import type * as Usual from "../../sim/backends.ts";
import { openBackends } from "../../sim/backends.ts";
import type * as Guided from "../../sim/guided/search.ts";
import type { Found } from "../../sim/guided/search.ts";
import { guidedSearch } from "../../sim/guided/search.ts";
import { reproOf, reproText } from "../../sim/repro.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";

const SMALL = 166n;
const EVENTS = 700;

async function searched() {
  const found: Found[] = [];
  const broken = (one: Found) => found.push(one) < 0;
  const { marks, ...counts } = await guidedSearch({
    ...{ seeds: [SMALL], backends: openBackends(), broken },
    stop: (events) => events >= EVENTS,
  });
  return { ...counts, marks: [...marks], found: found.length };
}

test("the same seeds come to the same worlds, events and marks", async () => {
  const [once, again] = [await searched(), await searched()];
  assert.deepEqual(again, once);
  assert.equal(once.found, 0);
  assert.equal(once.unreplayed, 0);
  assert.isAbove(once.continued, 1);
  assert.isAbove(once.marks.length, 50);
});

test("what it finds is a scenario that breaks the law from its beginning, and can be written down", async () => {
  const bug = {
    file: "core/domains/trade/settlements/rules.ts",
    find: '  if (acts.opens.length > 0) return "Disputed";\n',
    replace: '  if (acts.opens.length > 0 && acts.approves.length === 0) return "Disputed";\n',
  };
  const found = await withPlantedBug(bug, async (load) => {
    const { openBackends: open } = await load<typeof Usual>("sim/backends.ts");
    const { guidedSearch: search } = await load<typeof Guided>("sim/guided/search.ts");
    const all: Found[] = [];
    await search({ seeds: [1n], backends: open(), broken: (one) => all.push(one) > 0 });
    return all[0];
  });
  expect(found?.report.violations[0]?.check).toBe("records-follow-the-papers");
  assert.ok(found);
  const text = reproText(found.scenario, found.report, { store: "memory", parity: false });
  assert.ok(text.ok);
  expect(reproOf(text.value)).toMatchObject({ ok: true, value: { seed: 1n } });
});
