// Goal: a reader holds a node to what it must show: in time, for as long, refusals included, and says what was wrong.
// Method: toys that show the posts they received; readers with right and wrong expectations.
import { expect, test } from "vitest";
import type { Action } from "../../sim/action-kinds.ts";
import { comesToShow, keepsShowing } from "../../sim/actions/expect.ts";
import type { Wanted } from "../../sim/actions/wanted.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import { post, toyBackends } from "./toy-world.ts";

const call = { method: "getTexts", params: {} } as const;
const unknown = { method: "getNothing", params: { id: "n" } } as const;

/** What a reader complains of at a toy that hears "left" at 3 s. */
async function read(reader: Action) {
  const scenario = defineScenario({
    ...{ name: "read", description: "A reader looks at a toy.", source: "ours", nodes: 1, nodesMin: 1 },
    actions: [post("ann", "left", seconds(3), 0), reader],
    liveness: { within: seconds(30), checks: [] },
  });
  const { report } = await runScenario(scenario, { seed: 1n }, toyBackends());
  return { violations: report.violations.map(({ check, message }) => `${check}: ${message}`) };
}

const comes = (wanted: Wanted, within = seconds(9)) =>
  read(comesToShow("bob", call, wanted, { at: seconds(1), via: 0, within }));
const keeps = (subject: typeof call | typeof unknown, wanted: Wanted, forMs = seconds(9), at = seconds(5)) =>
  read(keepsShowing("bob", subject, wanted, { at, via: 0, forMs }));

test("a record that comes to be so in time is as it should be", async () => {
  expect((await comes({ texts: ["left"] })).violations).toEqual([]);
  expect((await comes({ texts: { matches: "length", length: 1 } })).violations).toEqual([]);
});

test("a record that does not is told, with what it was instead", async () => {
  expect((await comes({ texts: ["right"] })).violations).toEqual([
    'expectation: node 0 never came to show getTexts: texts is ["left"], not ["right"]',
  ]);
  expect((await comes({ texts: ["left"] }, seconds(2))).violations).toEqual([
    'expectation: node 0 never came to show getTexts: texts is [], not ["left"]',
  ]);
});

test("a record that stays so is as it should be, and one that changes is not", async () => {
  expect((await keeps(call, { texts: ["left"] })).violations).toEqual([]);
  const { violations } = await keeps(call, { texts: [] }, seconds(9), seconds(1));
  expect(violations[0]).toBe('expectation: node 0 shows getTexts otherwise: texts is ["left"], not []');
});

test("a refusal is read by its name", async () => {
  expect((await keeps(unknown, { refused: "Method not found" })).violations).toEqual([]);
  const { violations } = await keeps(unknown, { refused: "RESOURCE_NOT_FOUND" });
  expect(violations[0]).toBe(
    'expectation: node 0 shows n otherwise: refused is "Method not found", not "RESOURCE_NOT_FOUND"',
  );
});
