// Goal: the house rules that a compiler and a linter cannot hold are held all the same.
// Method: every rule over every source of the repository; the rules themselves are tested beside this file.
import { assert, describe, test } from "vitest";
import { citationRule, readPapers } from "./citations.ts";
import { bypassedOverrides, noParityBranch } from "./overrides.ts";
import { purityRules } from "./purity.ts";
import { randomInputRules } from "./random-input.ts";
import { readmeRules } from "./readmes.ts";
import { shapeRules } from "./shape.ts";
import { listed, listFiles, readSources, readText } from "./source.ts";
import { plainReadmes, wordRules } from "./words.ts";

/** Pages at the root. */
const PAGES = ["README.md", "CONTRIBUTING.md", "GLOSSARY.md", "SECURITY.md"];
const PROSE = [".ts", ".mjs", ".md", ".c", ".h", ".so", ".json", ".sql", ".html"];

describe("the repository is tidy", () => {
  const sources = readSources();

  test("there are sources to look at", () => {
    assert.ok(sources.length > 0);
  });

  test("every file has the shape of the house", () => {
    assert.equal(listed(shapeRules.flatMap((rule) => sources.flatMap(rule))), "");
  });

  test("the core is pure and the simulated world is seeded", () => {
    assert.equal(listed(purityRules.flatMap((rule) => sources.flatMap(rule))), "");
  });

  test("random input has one way and time decides nothing", () => {
    assert.equal(listed(randomInputRules.flatMap((rule) => sources.flatMap(rule))), "");
  });

  test("what a profile changes stands apart, and is asked for in one way", () => {
    assert.equal(listed([...sources.flatMap(noParityBranch), ...bypassedOverrides(sources)]), "");
  });

  test("every citation leads somewhere, and every source is one", () => {
    assert.equal(listed(sources.flatMap(citationRule(readPapers()))), "");
  });

  test("names, log lines, comments and READMEs use the words of the field", () => {
    const tree = { paths: [...listFiles([".md"]), ...PAGES], read: readText };
    assert.equal(listed([...wordRules.flatMap((rule) => sources.flatMap(rule)), ...plainReadmes(tree)]), "");
  });

  test("every folder and every domain says what it is", () => {
    const tree = { paths: [...listFiles(PROSE), ...PAGES], read: readText };
    assert.equal(listed(readmeRules.flatMap((rule) => rule(tree))), "");
  });
});
