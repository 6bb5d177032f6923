// Goal: what CITATION.cff (Citation File Format 1.2.0) tells of the package is what package.json does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, test } from "vitest";

const read = (name: string) => readFileSync(join(import.meta.dirname, "..", "..", name), "utf8");

test("the citation agrees with the package", () => {
  const { name, version, license, description } = JSON.parse(read("package.json")) as Record<string, string>;
  const citation = read("CITATION.cff");
  const fieldOf = (key: string) => new RegExp(`^${key}: (?:>-\\n +)?(.+)$`, "m").exec(citation)?.[1];
  const told = { name: fieldOf("title"), version: fieldOf("version"), license: fieldOf("license") };
  assert.deepEqual(told, { name, version, license });
  assert.equal(fieldOf("abstract"), description);
  assert.deepEqual([fieldOf("cff-version"), fieldOf("type")], ["1.2.0", "software"]);
  assert.match(citation, /^authors:\n {2}- name: \S.*$/m);
  assert.isNotEmpty(fieldOf("message"));
});
