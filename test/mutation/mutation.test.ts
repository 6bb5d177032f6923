// Goal: the mutation command asks, draws, judges and reports what it says; the run itself is Stryker's.
// Method: tables of arguments and reports; a small source whose mutants are known; the repository's own test files.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { assert, describe, expect, test } from "vitest";
import type { Candidate } from "./draw.ts";
import { draw, keyOf, mutantsOf } from "./draw.ts";
import { filesBelow, testFiles } from "./files.ts";
import { judgesOf, judgesOfStatic, mirrorTests, NEVER_NAMED } from "./judges.ts";
import { optionsOf } from "./options.ts";
import type { Shown } from "./report.ts";
import { missedLines, mutationPage, originalOf, scoreLine, scoreOf } from "./report.ts";

const root = resolve(import.meta.dirname, "..", "..");

describe("arguments", () => {
  test("name paths, a draw and a bar", () => {
    expect(
      optionsOf(["./core/engine/rpc.ts", "sim/", "--sample", "80", "--seed", "7", "--break", "85", "--fresh"]),
    ).toEqual({
      paths: ["core/engine/rpc.ts", "sim"],
      changed: undefined,
      sample: 80,
      seed: 7,
      breadth: "usual",
      fresh: true,
      breakBelow: 85,
      out: "reports/mutation",
    });
  });

  test.each([
    [[], /PATH or --changed/],
    [["core", "--sample", "0"], /--sample/],
    [["core", "--sample", "1.5"], /--sample/],
    [["core", "--seed", "x"], /--seed/],
    [["core", "--break", "101"], /--break/],
    [["core", "--quick", "--all-tests"], /--quick/],
    [["core", "--brake", "1"], /brake/],
  ])("%j are refused", (args, message) => {
    expect(optionsOf(args)).toMatch(message);
  });
});

describe("files", () => {
  test("are TypeScript of the product, each once", () => {
    const found = filesBelow(root, ["core/kernel", "core/kernel/text.ts"]);
    assert.ok(typeof found !== "string" && found.filter((file) => file === "core/kernel/text.ts").length === 1);
    expect(filesBelow(root, ["core"])).not.toContain("core/globals.d.ts");
    expect(filesBelow(root, ["no-such-folder"])).toMatch(/does not exist/);
    expect(filesBelow(root, ["test/mutation"])).toMatch(/holds no TypeScript/);
  });
});

describe("a draw", () => {
  const source = `export const doc = { doc: "not mutated", name: "mutated" };
export function least(a: number, b: number): number {
  assert(a > 0, "nobody acts on this");
  // Stryker disable next-line EqualityOperator: of two equal numbers either is the least
  return a < b ? a : b;
}
`;

  test("has every mutant but prose and equivalents", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ofs-mutants-"));
    writeFileSync(join(folder, "least.ts"), source);
    const found = await mutantsOf(folder, ["least.ts"]);
    const texts = found.map(({ start, mutator, replacement }) => `${start.line} ${mutator} ${replacement}`);
    expect(texts).toEqual([
      "1 ObjectLiteral {}",
      '1 StringLiteral ""',
      "2 BlockStatement {}",
      "3 ConditionalExpression true",
      "3 ConditionalExpression false",
      "3 EqualityOperator a >= 0",
      "3 EqualityOperator a <= 0",
      "5 ConditionalExpression true",
      "5 ConditionalExpression false",
    ]);
    assert.equal(originalOf({ ...shown("killed"), ...found[5] }, source.split("\n")), "a > 0");
  });

  test("is a function of the seed, and another under another", () => {
    const all = Array.from({ length: 200 }, (_, line) => candidate(line + 1));
    const keys = (seed: number, count: number) => draw(all, count, seed).map(keyOf);
    assert.deepEqual(keys(1, 20), keys(1, 20));
    assert.notDeepEqual(keys(1, 20), keys(2, 20));
    assert.equal(keys(1, 500).length, 200);
    for (const key of keys(1, 20)) assert.include(keys(1, 30), key);
  });
});

describe("judges", () => {
  const tests = testFiles(root);
  const files = ["core", "adapters", "sim"].flatMap((folder) => filesBelow(root, [folder]));

  test("every file has some, no file the house rules", () => {
    for (const file of files) {
      const judges = judgesOf(file, tests);
      assert.isAbove(judges.length, 0, file);
      assert.isEmpty(judges.filter((judge) => /^test\/(tidy|mutation|planted|laws)\//.test(judge)));
    }
  });

  test("a file of a folder with a mirror is judged by it first", () => {
    assert.include(mirrorTests("core/domains/reviews/views.ts", tests), "test/reviews/reviews.test.ts");
    assert.include(judgesOfStatic("core/domains/reviews/views.ts", tests), "test/refusals/refusals.test.ts");
    assert.include(mirrorTests("adapters/chain/program/linker.ts", tests), "test/chain/linker.test.ts");
    assert.notInclude(mirrorTests("adapters/chain/head.ts", tests), "test/chain/linker.test.ts");
    const adapters = files.filter((file) => file.startsWith("adapters/"));
    for (const file of adapters) assert.isNotEmpty(mirrorTests(file, tests), file);
  });

  test("a test that plants a bug is none", () => {
    assert.isFalse(NEVER_NAMED.test("a node that undoes nothing is found out"));
    assert.isFalse(NEVER_NAMED.test("redaction random stories, on bankrun"));
    assert.isTrue(NEVER_NAMED.test("redaction random stories, on model"));
    assert.isTrue(NEVER_NAMED.test("what is found is kept"));
  });

  test.each([
    ["world", "the same trace in a process with another time zone and locale"],
    ["command-line", "finds one trace for each seed, here and in a process with another zone, locale and engine"],
  ])("a run of %s told again in a process without the mutant is none", (file, name) => {
    assert.include(readFileSync(join(root, `test/sim/${file}.test.ts`), "utf8"), `test("${name}"`);
    assert.isFalse(NEVER_NAMED.test(`runs ${name}`));
  });
});

describe("a report", () => {
  const judged = [shown("killed"), shown("time-out"), shown("survived"), shown("no coverage"), shown("error")];

  test("counts what was detected among what could be judged", () => {
    assert.equal(scoreOf(judged).percent, 50);
    assert.equal(scoreOf([]).percent, 100);
    assert.equal(
      scoreLine(judged),
      "50.0 % of 4 mutants: 1 killed, 1 timed out, 1 survived, 1 not reached, 1 without a verdict",
    );
  });

  test("shows what nobody noticed, with both texts", () => {
    const folder = mkdtempSync(join(tmpdir(), "ofs-report-"));
    writeFileSync(join(folder, "a.ts"), "if (a <b) f();\n");
    assert.deepEqual(missedLines(judged, folder), [
      "",
      "a.ts",
      "  survived    a.ts:1:5 EqualityOperator: a <b → a <= b",
      "  no coverage a.ts:1:5 EqualityOperator: a <b → a <= b",
    ]);
    const page = mutationPage("Mutants of a.ts", judged, folder);
    expect(page).toContain("<code>a &lt;b</code>");
    expect(page).toContain("50.0 % of 4 mutants");
  });
});

function candidate(line: number): Candidate {
  const [start, end] = [
    { line, column: 1 },
    { line, column: 9 },
  ];
  return { file: "a.ts", start, end, mutator: "Regex", replacement: "x" };
}

function shown(verdict: Shown["verdict"]): Shown {
  const place = { start: { line: 1, column: 5 }, end: { line: 1, column: 9 } };
  return { ...place, file: "a.ts", mutator: "EqualityOperator", replacement: "a <= b", verdict };
}
