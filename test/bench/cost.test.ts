/**
 * Goal: the rows of the cost law are about what they name: each statement is taken, and writes as many rows among many
 * as among few (CONVERGENCE B5).
 * Method: the rows of the bench, small, with rows counted and nothing timed.
 */
import { expect, test } from "vitest";
import { marketplace } from "../../core/domains.ts";
import { Statements } from "../../core/engine/statements/table.ts";
import { crowded, exponentOf, rowsWritten } from "./cost.ts";
import { costRows } from "./cost-rows.ts";

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

test("every signed type has a row", () => {
  const named = new Set(costRows.map(({ type }) => type));
  expect(marketplace.types.filter(({ name }) => !named.has(name)).map(({ name }) => name)).toEqual([]);
});

test("what grows with N has the exponent one, what does not none", () => {
  expect(exponentOf(100, 400)).toBeCloseTo(1, 2);
  expect(exponentOf(3, 3)).toBe(0);
});
