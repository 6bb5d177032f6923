/**
 * Goal: no worked example of the protocol is without a test, and none is claimed that has none.
 * Method: the index against the published numbers, and against the files that it names.
 */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { covers } from "./index.ts";
import { publishedExamples } from "./published-examples.ts";

const tests = new URL("../", import.meta.url);
const textOf = (file: string) => readFileSync(new URL(file, tests), "utf8");

test("every published example is in the index, and nothing else is", () => {
  expect(new Set(Object.keys(covers))).toEqual(new Set(publishedExamples));
});

test.each(Object.entries(covers))("%s is run where the index says", (_, files) => {
  expect(files.length).toBeGreaterThan(0);
  for (const [file, mark] of files) expect(textOf(file).includes(mark), `${file} holds ${mark}`).toBe(true);
});

test("every story's source is a place in the documents", () => {
  const folder = new URL("examples/", tests);
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
    for (const { source } of JSON.parse(textOf(`examples/${name}`)) as readonly { readonly source: string }[]) {
      expect(source, name).toMatch(/^protocol 0[1-5] /);
    }
  }
});
