// Goal: a service that reads JUnit XML sees every check and every test, and never a clean run that was not.
// Method: results from memory, with what vitest writes beside them; the document is read back tag by tag.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, expect, onTestFinished, test } from "vitest";
import { junitFileOf, junitOf, writeJunit } from "../../node/bootstrap/junit.mjs";

const clean = { passed: 2, failed: 0, results: [check("types", true, ""), check("lint", true, "")] };
const counted = (failed: number) => ({ passed: 1, failed, skipped: 0, leftOut: {} });
const vitest = (failures: number): string => `<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="2" failures="${failures}" errors="0" time="1.5">
    <testsuite name="test/a.test.ts" tests="2" failures="${failures}"><testcase name="a &gt; b"></testcase></testsuite>
</testsuites>
`;

function check(name: string, passed: boolean, output: string) {
  return { name, passed, seconds: "0.5", output };
}

/** The document as its names, in order, each closed where it has to be; fails when it is not well-formed. */
function tagsOf(xml: string): readonly string[] {
  const open: string[] = [];
  const seen: string[] = [];
  assert.notMatch(xml.replaceAll(/<[^<>]*>/g, ""), /[<>]|&(?!(amp|lt|gt|quot|apos);)/);
  for (const [, slash, name = "", rest = ""] of xml.matchAll(/<(\/?)(\w+)([^<>]*)>/g)) {
    if (slash === "/") assert.equal(open.pop(), name);
    else {
      seen.push(name);
      if (!rest.endsWith("/")) open.push(name);
    }
  }
  assert.deepEqual(open, []);
  return seen;
}

describe("the document of a run", () => {
  test("holds the checks, then the suites of vitest, and counts both", () => {
    const xml = junitOf(clean, counted(0), vitest(0));
    expect(tagsOf(xml)).toEqual(["testsuites", "testsuite", "testcase", "testcase", "testsuite", "testcase"]);
    expect(xml).toContain('<testsuites name="ofs-node" tests="4" failures="0" errors="0" time="2.500">');
    expect(xml).toContain('<testsuite name="test/a.test.ts"');
  });

  test("says what a failed check said, without what XML does not allow", () => {
    const output = '\u001b[31ma.ts(1,1): error: "x" < y && z\u001b[0m\u0000\ufffe\uffff\nnext line';
    const checks = { passed: 1, failed: 1, results: [check("types", true, ""), check("lint <&>", false, output)] };
    const xml = junitOf(checks, counted(0), vitest(0));
    expect(tagsOf(xml)).toContain("failure");
    expect(xml).toContain('name="lint &lt;&amp;&gt;"');
    expect(xml).toContain("a.ts(1,1): error: &quot;x&quot; &lt; y &amp;&amp; z\nnext line</failure>");
    expect(xml).toMatch(/tests="4" failures="1"/);
  });

  test("shows what failed outside every test", () => {
    const xml = junitOf(clean, counted(3), vitest(1));
    expect(xml).toMatch(/tests="6" failures="3"/);
    expect(xml.match(/outside every test \d/g)).toEqual(["outside every test 1", "outside every test 2"]);
  });

  test("is not clean when vitest wrote nothing", () => {
    const xml = junitOf(clean, counted(1), "");
    expect(tagsOf(xml)).toContain("failure");
    expect(xml).toMatch(/tests="3" failures="1"/);
  });
});

test("the file is written where it was asked for, and nothing is left beside it", () => {
  const folder = mkdtempSync(join(tmpdir(), "junit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [file, testsFile] = [join(folder, "deep", "results.xml"), join(folder, "tests.xml")];
  writeFileSync(testsFile, vitest(0));
  writeJunit(file, clean, counted(0), testsFile);
  expect(readFileSync(file, "utf8")).toBe(junitOf(clean, counted(0), vitest(0)));
  expect(() => readFileSync(testsFile)).toThrow();
  writeJunit(file, clean, counted(1), testsFile);
  expect(readFileSync(file, "utf8")).toContain("outside every test 1");
});

test.each([
  [[], {}, undefined, []],
  [["test/a"], { OFS_JUNIT: "e.xml" }, "e.xml", ["test/a"]],
  [["test/a", "--junit", "f.xml", "-t", "x"], { OFS_JUNIT: "e.xml" }, "f.xml", ["test/a", "-t", "x"]],
  [["--junit=f.xml"], {}, "f.xml", []],
  [["--junit"], {}, null, []],
  [["--junit", "-t"], {}, null, []],
])("arguments %j with %j name the file %j", (args, env, file, filters) => {
  const { file: found, ...rest } = junitFileOf(args, env);
  expect(found).toBe(file);
  if (file !== null) expect(rest.filters).toEqual(filters);
});
