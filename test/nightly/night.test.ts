/**
 * Goal: a night records each result the moment it is there, goes on where it stopped, and tells failure from success.
 * Method: toy units in real processes; the night is stopped from the outside after a number of results, never by time.
 */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, expect, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { seedRangeOf } from "../../node/sim/usage.ts";
import { scenarios } from "../../scenarios/index.ts";
import { toySurroundings } from "../sim/toy-surroundings.ts";
import { argumentsOf, runNight } from "./night.ts";
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

test("a unit is told its share of the night in minutes, and says which exits are no failure", async () => {
  const args = ["fuzz", "--minutes", "MINUTES"];
  assert.deepEqual(argumentsOf({ args }, 20_000), ["fuzz", "--minutes", "1"]);
  assert.deepEqual(argumentsOf({ args }, 299_000), ["fuzz", "--minutes", "4"]);
  assert.equal(argumentsOf({ args }, 1e12)[2], "10080");
  const two = (name: string) => unit(name, "process.exit(2)");
  const { record } = await night(temporary(), 2, [{ ...two("bound"), passes: [0, 2] }, two("usage")]);
  assert.deepEqual([record.newest.bound?.passed, record.newest.usage?.passed], [true, false]);
});

test("the command of every unit is taken: worlds, scopes and scenarios that there are", async () => {
  const units = unitsOf(root, { seed: 2n ** 31n, scenarios: [], scopes: ["one-trade"], changed: [], folder: "out" });
  const commands = units.flatMap(({ args: [script, ...rest] }) => (script?.includes("ofs-sim") ? [rest] : []));
  assert.deepEqual(
    commands.map(([name]) => name),
    ["run", "fuzz", "fuzz", "fuzz", "fuzz", "fuzz", "explore", "verify"],
  );
  assert.include(
    scenarios.map(({ name }) => name),
    commands[0]?.[1],
  );
  for (const [name, ...rest] of commands) {
    const around = toySurroundings(false);
    await commandLine([name ?? "", "--help"], around);
    const flags = rest.filter((word) => word.startsWith("--"));
    assert.isAbove(flags.length, 0);
    for (const flag of flags) assert.include(around.printed.join(""), `${flag} `);
  }
  const starts = commands.filter(([name]) => name === "fuzz").map((texts) => texts[texts.indexOf("--seeds") + 1]);
  assert.equal(new Set(starts).size, 5, "no two parts of the swarm play the same worlds, nor does guided search");
  for (const range of starts) assert.doesNotThrow(() => seedRangeOf(range ?? ""));
});

test("every file that tries a property is a unit, every scenario twice, and every changed source", () => {
  const files = propertyFiles(root);
  assert.include(files, "test/advertisements/ledger.property.test.ts");
  // What counts its tries without an arbitrary: kills of a node, bits of its ledger.
  for (const file of ["test/node/kills.test.ts", "test/node/flips.test.ts"]) assert.include(files, file);
  const changed = ["core/kernel/text.ts"];
  const units = unitsOf(root, { seed: 5n, scenarios: ["a-story"], scopes: ["a"], changed, folder: "out" });
  assert.equal(units.length, 9 + files.length + 2);
  const [story, mutants] = units.slice(-2);
  assert.equal(story?.name, "verify a-story");
  assert.include(story?.args.join(" "), "--seeds 5..7");
  assert.equal(mutants?.name, "mutate core/kernel/text.ts");
  assert.include(mutants?.args.join(" "), "--seed 5 --out out/mutants/core-kernel-text.ts");
});
