// Goal: the closing line tells the truth, also when something breaks outside every test.
// Method: runs from memory through the reporter's count, and exit codes through the runner's.
import { assert, describe, test } from "vitest";
import { complaints } from "../../node/bootstrap/arrows.mjs";
import { countRun } from "../../node/bootstrap/count-reporter.mjs";
import { describeLeftOut, honestCounts } from "../../node/bootstrap/tests.mjs";

type State = "passed" | "failed" | "skipped";

/** A test module as vitest reports it, with as much of it as the count reads. */
function moduleOf(tests: readonly (readonly [State, string])[], errors = 0, suiteErrors = 0): object {
  return {
    errors: () => Array.from({ length: errors }, () => new Error("planted")),
    children: {
      allSuites: () => [{ errors: () => Array.from({ length: suiteErrors }, () => new Error("planted")) }],
      allTests: () => tests.map(([state, fullName]) => ({ fullName, result: () => ({ state }) })),
    },
  };
}

describe("a run is counted", () => {
  test("by the state of its tests", () => {
    const counts = countRun(
      [
        moduleOf([
          ["passed", "a"],
          ["failed", "b"],
        ]),
        moduleOf([["skipped", "c"]]),
      ],
      [],
    );
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1, leftOut: {} });
  });

  test("with a module that does not load, a broken hook and a stray error as failures", () => {
    assert.equal(countRun([moduleOf([], 1)], []).failed, 1);
    assert.equal(countRun([moduleOf([["passed", "a"]], 0, 1)], []).failed, 1);
    assert.equal(countRun([moduleOf([["passed", "a"]])], [new Error("planted")]).failed, 1);
  });

  test("with what was left out, and for want of what", () => {
    const reason = "[needs clang-19: apt-get install clang-19]";
    const { leftOut } = countRun(
      [
        moduleOf([
          ["skipped", `build ${reason} > a`],
          ["skipped", `b ${reason}`],
        ]),
      ],
      [],
    );
    assert.deepEqual(describeLeftOut(leftOut), ["Left out: 2 tests for want of clang-19: apt-get install clang-19"]);
  });
});

describe("a run that ends badly", () => {
  const clean = { passed: 3, failed: 0, skipped: 0, leftOut: {} };

  test("without counts is one failure", () => {
    assert.equal(honestCounts(undefined, 0).failed, 1);
  });

  test("with clean counts is one failure", () => {
    assert.equal(honestCounts(clean, 1).failed, 1);
    assert.equal(honestCounts(clean, null).failed, 1);
  });

  test("with failures counts just those", () => {
    assert.equal(honestCounts({ ...clean, failed: 2 }, 1).failed, 2);
    assert.deepEqual(honestCounts(clean, 0), clean);
  });
});

describe("a cruise", () => {
  const read = (sources: readonly string[]): object => ({
    modules: sources.map((source) => ({ source })),
    summary: { totalCruised: sources.length, violations: [] },
  });

  test("that read everything is fine", () => {
    assert.deepEqual(complaints(read(["core/a.ts"]), { core: 1, sim: 0 }), []);
  });

  test("that read nothing is not", () => {
    assert.deepEqual(complaints(read([]), { core: 1 }), [
      "core/: only 0 of 1 source files were read",
      "no module was read at all",
    ]);
  });

  test("that found a forbidden arrow says the rule, its reason and the arrow", () => {
    const rule = { name: "no-cycles", comment: "Together or not at all." };
    const { modules } = read(["core/a.ts"]) as { modules: readonly object[] };
    const violations = [{ from: "core/a.ts", to: "core/b.ts", rule: { name: "no-cycles" } }];
    const summary = { totalCruised: 1, violations, ruleSetUsed: { forbidden: [rule] } };
    assert.deepEqual(complaints({ modules, summary }, { core: 1 }), [
      "no-cycles: Together or not at all.\n    core/a.ts -> core/b.ts",
    ]);
  });

  test("that missed a file is not", () => {
    assert.equal(complaints(read(["core/a.ts"]), { core: 2 }).length, 1);
  });
});
