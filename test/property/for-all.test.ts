/**
 * Goal: a property tries what it says: large inputs, fresh seeds, kept failures first, and enough of each class.
 * Method: properties that must fail, with a keeper of their own, and what they say when they do.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { assert, describe, expect, test, vi } from "vitest";
import type { Keeper } from "./for-all.ts";
import { forAll, forAllAsync } from "./for-all.ts";
import { profile, profileOf, runsOf, seedOf } from "./profile.ts";
import type { Regression } from "./regressions.ts";
import { addRegression, readRegressions } from "./regressions.ts";

/** Keeps in memory what fails, and knows what it is told. */
function memory(...known: readonly Regression[]): Keeper & { readonly kept: Regression[] } {
  const kept: Regression[] = [];
  return { kept, known: () => known, keep: (found) => void kept.push(found) };
}

const size = (bytes: Uint8Array) => [bytes.length > 10 ? "above ten" : "few"];
const sizes = { runs: 100, classes: size, shares: { "above ten": 0.5, few: 0.03 } } as const;
const NAME = "test/property/for-all.test.ts > a property > ";

describe("a property", () => {
  test("is tried on inputs as long as they may be", () => {
    let longest = 0;
    const arb = fc.uint8Array({ maxLength: 1_232 });
    const note = (bytes: Uint8Array) => {
      longest = Math.max(longest, bytes.length);
    };
    forAll([arb], note, sizes, memory());
    assert.isAbove(longest, 1_000);
  });

  test("fails with seed, path and the command that repeats it, and is kept", () => {
    const keeper = memory();
    const broken = () => forAll([fc.nat({ max: 99 })], (n) => assert.isBelow(n, 50), numbers, keeper);
    expect(broken).toThrow(
      /OFS_REPLAY=-?\d+\/\d[\d:]* npx vitest run test\/property\/for-all\.test\.ts -t "a property fails with/,
    );
    const [kept] = keeper.kept;
    expect(kept).toMatchObject({
      property: `${NAME}fails with seed, path and the command that repeats it, and is kept`,
    });
    expect(kept?.error).toMatch(/50/);
    expect(kept?.path).toMatch(/^\d+$/);
  });

  test("stops looking for a smaller case after a thousand", () => {
    let [failed, after] = [false, 0];
    const broken = (bytes: Uint8Array) => {
      if (failed) after += 1;
      failed ||= bytes.length >= 600;
      assert.isBelow(bytes.length, 600);
    };
    expect(() => forAll([fc.uint8Array({ maxLength: 1_232 })], broken, sizes, memory())).toThrow(/^Property failed/);
    assert.equal(after, profile === "quick" ? 0 : 1_000);
  });

  test("says how far it has come, each time that so many more were tried", () => {
    const print = vi.spyOn(console, "log").mockImplementation(() => {});
    let tried = 0;
    const note = () => {
      tried += 4;
    };
    const progress = { every: 10, of: "parts", tried: () => tried };
    forAll([fc.nat({ max: 99 })], note, { ...numbers, progress }, memory());
    const lines = print.mock.calls.map(([line]) => `${line}`);
    print.mockRestore();
    assert.equal(tried, 4 * runsOf(numbers.runs));
    assert.equal(lines.length, tried / 10);
    expect(lines.slice(0, 3).map((line) => line.replace(/ after \d+ s$/, ""))).toEqual(
      [12, 20, 32].map(
        (parts) => `${NAME}says how far it has come, each time that so many more were tried\n  ${parts} parts`,
      ),
    );
  });

  test("tries what failed before it tries anything else", () => {
    const property = `${NAME}tries what failed before it tries anything else`;
    const tried: number[] = [];
    const note = (n: number) => void tried.push(n);
    forAll([fc.nat({ max: 99 })], note, numbers, memory({ property, seed: 7, path: "3", error: "" }));
    const [first] = tried;
    forAll([fc.nat({ max: 99 })], note, numbers, memory({ property, seed: 7, path: "3", error: "" }));
    assert.equal(tried.length, 2 * (runsOf(numbers.runs) + 1));
    assert.equal(tried[runsOf(numbers.runs) + 1], first);
  });

  test("lets a path go that its generator no longer has", () => {
    const property = `${NAME}lets a path go that its generator no longer has`;
    const keeper = memory({ property, seed: 7, path: "0:1:1:1:1:1:1:1:1:1:1:9999", error: "" });
    forAll([fc.constant(1)], () => {}, { ...numbers, classes: () => ["low", "high"] }, keeper);
  });

  test("has other cases under another seed, the same under the same", () => {
    assert.notEqual(seedOf("a", "1"), seedOf("a", "2"));
    assert.notEqual(seedOf("a", "1"), seedOf("b", "1"));
    assert.equal(seedOf("a", "1"), seedOf("a", "1"));
  });

  test("fails when its generator leaves a class out, whatever the predicate says", () => {
    const rare = { ...numbers, shares: { high: 0.2, "above all": 0.01 } };
    const broken = () => forAll([fc.nat({ max: 99 })], () => {}, rare, memory());
    expect(broken).toThrow(/too few cases of "above all" in 1 %; 300 cases: (low|high) \d+/);
  });

  test("counts classes of cases that were really tried, where only trying tells", async () => {
    const tell = async (n: number) => (n < 50 ? ["low"] : ["high"]);
    await forAllAsync([fc.nat({ max: 99 })], tell, { runs: 5, sample: 40, shares: { low: 0.2, high: 0.2 } }, memory());
    const absent = { runs: 5, sample: 40, shares: { other: 0.2 } };
    await expect(forAllAsync([fc.nat({ max: 99 })], tell, absent, memory())).rejects.toThrow(/"other" in 20 %/);
  });
});

const numbers = {
  runs: 50,
  classes: (n: number) => [n < 50 ? "low" : "high"],
  shares: { low: 0.2, high: 0.2 },
} as const;

test("a profile is one of three, and says how many cases", () => {
  expect(() => profileOf("nightly ")).toThrow(/OFS_PROFILE is "nightly "; one of commit, nightly, quick/);
  assert.equal(profileOf(undefined), "commit");
  assert.deepEqual(
    (["commit", "nightly", "quick"] as const).map((under) => runsOf(11, undefined, under)),
    [11, 220, 3],
  );
  assert.equal(runsOf(11, 12, "nightly"), 12);
});

test("kept cases survive in a file, once each, and a spoiled line is named", () => {
  const file = join(mkdtempSync(join(tmpdir(), "ofs-regressions-")), "regressions.jsonl");
  const found: Regression = { property: "p", seed: -1, path: "0:1", error: "e" };
  assert.deepEqual(readRegressions(file), []);
  addRegression(found, file);
  addRegression({ ...found, error: "other words" }, file);
  addRegression({ ...found, seed: 2 }, file);
  assert.deepEqual(readRegressions(file), [found, { ...found, seed: 2 }]);
  addRegression({ ...found, seed: 1.5 }, file);
  expect(() => readRegressions(file)).toThrow(/:3 is no regression/);
});
