/**
 * Goal: a night records each result the moment it is there, goes on where it stopped, and tells failure from success.
 * Method: toy units in real processes; the night is stopped from the outside after a number of results, never by time.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, expect, test } from "vitest";
import { runNight } from "./night.ts";
import { nightlyPage } from "./page.ts";
import type { NightlyRecord } from "./record.ts";
import { readRecord } from "./record.ts";
import type { Unit } from "./units.ts";
import { propertyFiles, unitsOf } from "./units.ts";

const root = join(import.meta.dirname, "..", "..");
const tries = `require("node:fs").appendFileSync(process.env.OFS_TRIED, '{"property":"p","cases":7,"ms":1}\\n')`;

function unit(name: string, script: string): Unit {
  return { name, group: "properties", args: ["-e", script], env: {} };
}

/** Runs toy units until so many results are there. */
async function night(folder: string, results: number, units: readonly Unit[], seeds: string[] = ["1", "2", "3"]) {
  const stop = new AbortController();
  const ended: string[] = [];
  const freshSeed = () => seeds.shift() ?? "none";
  const record = await runNight(readRecord(folder, freshSeed), {
    ...{ root, folder, minutes: 60, workers: 1, stop: stop.signal },
    next: (ended) => ({ ...ended, seed: freshSeed() }),
    unitsOf: () => units,
    onResult(result) {
      ended.push(result.unit);
      if (ended.length === results) stop.abort();
    },
  });
  return { record, ended };
}

const temporary = () => mkdtempSync(join(tmpdir(), "ofs-night-"));

describe("a night", () => {
  const units = [unit("one", tries), unit("two", `${tries}; process.exit(1)`), unit("three", "console.log('said')")];

  test("goes on where it stopped, and begins a round with a fresh seed when all is done", async () => {
    const folder = temporary();
    const first = await night(folder, 2, units, ["11"]);
    assert.deepEqual(first.ended, ["one", "two"]);
    const second = await night(folder, 2, units, ["12"]);
    assert.deepEqual(second.ended, ["three", "one"]);
    const { newest, nights, seed } = second.record;
    assert.equal(seed, "12");
    assert.deepEqual(
      Object.values(newest).map(({ unit, passed, cases, seed }) => ({ unit, passed, cases, seed })),
      [
        { unit: "one", passed: true, cases: 7, seed: "12" },
        { unit: "two", passed: false, cases: 7, seed: "11" },
        { unit: "three", passed: true, cases: 0, seed: "11" },
      ],
    );
    assert.deepEqual(
      nights.map(({ units, failed, cases, rounds }) => ({ units, failed, cases, rounds })),
      [
        { units: 2, failed: 1, cases: 14, rounds: 0 },
        { units: 2, failed: 0, cases: 7, rounds: 1 },
      ],
    );
    assert.equal(newest.three?.lastLine, "said");
    assert.equal(readFileSync(join(folder, newest.three?.log ?? ""), "utf8"), "said\n");
  });

  test("runs again what was ended from outside", async () => {
    const folder = temporary();
    const stop = new AbortController();
    const waits = unit("waits", "console.log('here'); setInterval(() => {}, 1000)");
    const running = runNight(
      readRecord(folder, () => "1"),
      {
        ...{ root, folder, minutes: 60, workers: 2, stop: stop.signal },
        next: (ended) => ended,
        unitsOf: () => [waits, unit("one", tries)],
        onResult: () => stop.abort(),
      },
    );
    assert.deepEqual(
      (await running).done.map(({ unit }) => unit),
      ["one"],
    );
  });

  test("refuses a record that is none, and leaves it as it is", () => {
    const folder = temporary();
    const file = join(folder, "record.json");
    writeFileSync(file, "[]");
    expect(() => readRecord(folder, () => "1")).toThrow(/record\.json is no record of nights/);
    assert.equal(readFileSync(file, "utf8"), "[]");
  });

  test("has a page that says what failed", async () => {
    const { record } = await night(temporary(), 3, [...units, unit("<b>", "")]);
    const page = nightlyPage(record);
    expect(page).toContain("1 of 3 units failed.");
    expect(page.indexOf(">two<")).toBeLessThan(page.indexOf(">one<"));
    const none: NightlyRecord = { seed: "1", since: "", done: [], newest: {}, nights: [] };
    expect(nightlyPage(none)).toContain("No night has ended yet.");
    const spiked = { ...record.newest.one, unit: "<b>&" } as NightlyRecord["newest"][string];
    expect(nightlyPage({ ...none, newest: { a: spiked } })).toContain("&lt;b&gt;&amp;");
  });
});

test("every file that tries a property is a unit, every scenario twice, and every changed source", () => {
  const files = propertyFiles(root);
  assert.include(files, "test/advertisements/ledger.property.test.ts");
  const changed = ["core/kernel/text.ts"];
  const units = unitsOf(root, { seed: 5n, scenarios: ["a-story"], changed, folder: "out" });
  assert.equal(units.length, files.length + 2);
  const [story, mutants] = units.slice(-2);
  assert.equal(story?.name, "verify a-story");
  assert.include(story?.args.join(" "), "--seeds 5..7");
  assert.equal(mutants?.name, "mutate core/kernel/text.ts");
  assert.include(mutants?.args.join(" "), "--seed 5 --out out/mutants/core-kernel-text.ts");
});
