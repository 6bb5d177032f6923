// Goal: each weakness that protocol 03 G finds in the reference is ours no longer, and would be found if it came back.
// Method: the check holds on the product; then the reference's behaviour is planted, and the check names it.
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { weaknesses } from "./weaknesses.ts";

const root = resolve(import.meta.dirname, "..", "..");
const rows: string[] = [];

/** The product as it is. */
const load = <Module>(path: string): Promise<Module> => import(join(root, path)) as Promise<Module>;

test("all sixteen are here", () => {
  expect(weaknesses.map(({ number }) => number)).toEqual(Array.from({ length: 16 }, (_, at) => `W-${at + 1}`));
});

test.each(weaknesses)("$number: $reference", async ({ number, reference, found, check, bug }) => {
  expect(await check(load)).toBeUndefined();
  const broken = await withPlantedBug(bug, check);
  expect(broken).toMatch(/\w/);
  rows.push(
    `${number.padEnd(5)} ${reference.padEnd(70)} ${found.padEnd(42)} ${broken?.replaceAll("\n", ": ").slice(0, 130)}`,
  );
});

afterAll(() => console.info(rows.join("\n")));
