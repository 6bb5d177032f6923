/**
 * Goal: the rows of the cost law are about what they name: each statement is taken, and writes as many rows among many
 * as among few, whatever admission and reactions do beside the fold (CONVERGENCE B5).
 * Method: the rows of the bench, small, with rows counted and nothing timed; a reaction that goes on with all of a kind
 * is planted.
 */
import { expect, test } from "vitest";
import { Statements } from "../../core/engine/statements/table.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { crowded, exponentOf, rowsWritten } from "./cost.ts";
import { costRows } from "./cost-rows.ts";
import { pushedTypes } from "./drawn-cost-rows.ts";

const [FEW, MANY] = [20, 80];

test.each(costRows)("$type among $among", (row) => {
  const [few, many] = [FEW, MANY].map((size) => crowded(row, size)) as [
    ReturnType<typeof crowded>,
    ReturnType<typeof crowded>,
  ];
  expect(rowsWritten(many, row)).toBeLessThanOrEqual(rowsWritten(few, row) + 2);
  const taken = row.one(1);
  expect(taken.type.name).toBe(row.type);
  many.receive([{ type: "statement", statement: taken }]);
  expect(many.store().get(Statements, taken.identity)).toBeDefined();
});

test("every signed type that peers tell each other has a row", () => {
  const named = new Set(costRows.map(({ type }) => type));
  expect(pushedTypes.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([]);
});

test("what grows with N has the exponent one, what does not none", () => {
  expect(exponentOf(100, 400)).toBeCloseTo(1, 2);
  expect(exponentOf(3, 3)).toBe(0);
});

test("a planted bug is found: a reaction writes a row for each statement of its kind", async () => {
  const bug = {
    file: "core/engine/statements/space.ts",
    find: "  const added = new Map<string, number>();\n  for (const key of keys) {",
    replace: `  const added = new Map<string, number>();
  for (const key of draft.keys(Statements)) draft.put(Spaces, "planted " + key, 1);
  for (const key of keys) {`,
  };
  const row = costRows.find(({ type }) => type === "ArbitratorJoin") as (typeof costRows)[0];
  const [few, many] = await withPlantedBug(bug, async (load) => {
    const planted = await load<typeof import("./cost.ts")>("test/bench/cost.ts");
    return [FEW, MANY].map((size) => planted.rowsWritten(planted.crowded(row, size), row)) as [number, number];
  });
  expect(many).toBeGreaterThan(few + MANY - FEW - 2);
});
