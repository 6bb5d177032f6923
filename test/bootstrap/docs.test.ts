// Goal: the API pages have every import path of the package that leads to code. Method: the list of package.json, each
// of whose targets has to be a source that is there, whichever way it is spelled.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { documentedSources } from "../../node/bootstrap/docs.mjs";

const root = resolve(import.meta.dirname, "..", "..");

test("every import path that leads to code has a source", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, unknown>>;
  };
  const sources: readonly string[] = documentedSources(exports);
  expect(sources).toHaveLength(Object.values(exports).filter((target) => typeof target === "object").length);
  expect(sources.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
