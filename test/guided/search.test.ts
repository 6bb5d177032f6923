// Goal: a guided search is a function of its seeds, goes on from copies, and what it finds is an ordinary scenario that
// breaks the same law from its beginning; and it finds a bug of three steps long before drawn worlds do. Method: few
// drawn worlds searched twice; bugs that need steps which no drawn world takes, planted into the product.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert, expect, test } from "vitest";
import type * as Usual from "../../sim/backends.ts";
import { openBackends } from "../../sim/backends.ts";
import type * as Guided from "../../sim/guided/search.ts";
import type { Found } from "../../sim/guided/search.ts";
import { guidedSearch } from "../../sim/guided/search.ts";
import { reproOf, reproText } from "../../sim/repro.ts";
import type * as Running from "../../sim/run.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { deepBugs } from "./deep-bugs.ts";

const FIRST = 30_001n;
const EVENTS = 1_000;
/** Events in which a search from copies finds what drawn worlds do not. */
const ENOUGH_EVENTS = 1_500;
const DEEP = "opened-approved-reversed";

function* seedsFrom(first: bigint): Generator<bigint> {
  for (let seed = first; ; seed++) yield seed;
}

async function searched() {
  const found: Found[] = [];
  const broken = (one: Found) => found.push(one) < 0;
  const { marks, ...counts } = await guidedSearch({
    ...{ seeds: seedsFrom(FIRST), backends: openBackends(), broken },
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
    await search({ seeds: seedsFrom(1n), backends: open(), broken: (one) => all.push(one) > 0 });
    return all[0];
  });
  expect(found?.report.violations[0]?.check).toBe("records-follow-the-papers");
  assert.ok(found);
  const text = reproText(found.scenario, found.report, { store: "memory", parity: false });
  assert.ok(text.ok);
  expect(reproOf(text.value)).toMatchObject({ ok: true, value: { seed: found.seed } });
});

test("it finds a bug of three steps in events in which drawn worlds from the same seed do not", async () => {
  const bug = deepBugs.find(({ name }) => name === DEEP);
  assert.ok(bug);
  const source = readFileSync(join(resolve(import.meta.dirname, "..", ".."), bug.file), "utf8");
  const planted = { file: bug.file, find: source, replace: bug.apply(source) };
  await withPlantedBug(planted, async (load) => {
    const { openBackends: open } = await load<typeof Usual>("sim/backends.ts");
    const { guidedSearch: search } = await load<typeof Guided>("sim/guided/search.ts");
    const { runScenario } = await load<typeof Running>("sim/run.ts");
    const { events } = await search({ seeds: seedsFrom(FIRST), backends: open(), broken: () => true });
    assert.isBelow(events, ENOUGH_EVENTS);
    const until = { time: Infinity, events: ENOUGH_EVENTS };
    const { report } = await runScenario(swarmScenario(FIRST), { seed: FIRST, until }, open());
    assert.isAtLeast(report.events, ENOUGH_EVENTS);
    assert.deepEqual(report.violations, []);
  });
});
