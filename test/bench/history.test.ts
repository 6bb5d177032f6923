// Goal: a run is read as it was measured; a line that is damaged is named by its number and skipped, never changed; and
// whatever cannot be done is refused in one line before anything is measured. Method: runs by hand through codec and
// file, each kind of damage planted; tables of arguments and paths; the command itself in a process.
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, test } from "vitest";
import type { HistoryRun } from "./history.ts";
import { decodeRun, encodeRun } from "./history.ts";
import { appendRun, complaintOf, LINE_BYTES_MAX, RUNS_MAX, readHistory, surroundings } from "./history-file.ts";
import { runOn } from "./history-runs.ts";
import { askedOf } from "./options.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-history-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);

const rate = { name: "arrivals", value: 1_100, cpu: 1_200, unit: "/s", bar: { least: 2_000 } };
const run = runOn(1, [rate, { name: "a node", value: 286, unit: "kB", bar: { most: 60 } }]);

test("a run is decoded as it was; what could not be measured is left out", () => {
  assert.deepEqual(decodeRun(encodeRun(run).trimEnd()), run);
  assert.equal(encodeRun(run).split("\n").length, 2, "one line");
  const without = runOn(1, [
    { ...rate, cpu: Number.NaN },
    { ...rate, name: "none", value: Number.NaN },
  ]);
  assert.deepEqual(
    without.figures.map(({ name, cpu }) => [name, cpu]),
    [["arrivals", undefined]],
  );
});

const [first] = run.figures;
const damages: readonly (readonly [line: string, reason: string])[] = [
  ['{"version":1,"da', "it is not JSON"],
  ["", "it is not JSON"],
  ["[]", "it is not an object"],
  [changed({ version: 2 as never }), "its version is not 1"],
  [changed({ date: "yesterday" }), "its date is missing or wrong"],
  [changed({ date: "2026-13-01T00:00:00Z" }), "its date is missing or wrong"],
  [changed({ commit: "main" }), "its commit is missing or wrong"],
  [changed({ node: undefined as never }), "its node is missing or wrong"],
  [changed({ calibration: { ...run.calibration, hashes: 0 } }), "its calibration is missing or wrong"],
  [changed({ figures: {} as never }), "its figures is missing or wrong"],
  [changed({ figures: [null as never] }), "the figure of its figure 1 is missing or wrong"],
  [changed({ figures: [first, { ...first, value: "1" }] as never }), "the value of its figure 2 is missing or wrong"],
  [changed({ figures: [{ ...first, bar: {} }] as never }), "the bar of its figure 1 is missing or wrong"],
];

function changed(fields: Partial<HistoryRun>): string {
  return JSON.stringify({ ...run, ...fields });
}

test.each(damages)("a line is skipped: %s", (line, reason) => {
  assert.equal(decodeRun(line), reason);
});

test("damaged lines are named by their number and stay; a run after half a line has a line of its own", () => {
  const file = at("damaged.jsonl");
  appendRun(file, runOn(1, [rate]));
  appendFileSync(file, `${"x".repeat(LINE_BYTES_MAX + 1)}\n{"version":1`);
  const before = readFileSync(file, "utf8");
  appendRun(file, runOn(2, [rate]));
  const read = readHistory(file);
  assert.deepEqual(
    typeof read === "string" ? read : { ...read, runs: read.runs.map(({ date }) => date.slice(0, 10)) },
    {
      runs: ["2026-11-01", "2026-11-02"],
      damaged: [
        { line: 2, reason: `it is longer than ${LINE_BYTES_MAX} bytes` },
        { line: 3, reason: "it is not JSON" },
      ],
      older: 0,
    },
  );
  assert.isTrue(readFileSync(file, "utf8").startsWith(before), "nothing of it changed");
});

test("the newest runs are read, and how many lines came before them is told", () => {
  const file = at("many.jsonl");
  const old = encodeRun(runOn(1, [rate])).repeat(RUNS_MAX);
  writeFileSync(file, `${old}broken\n${encodeRun(runOn(2, [rate]))}`);
  const read = readHistory(file);
  assert.isObject(read);
  if (typeof read === "string") return;
  assert.deepEqual([read.runs.length, read.older], [RUNS_MAX - 1, 2]);
  assert.deepEqual([read.runs.at(-1)?.date.slice(0, 10), read.damaged[0]?.line], ["2026-11-02", RUNS_MAX + 1]);
});

test("a history that is empty has no runs; outside a repository no commit is known", () => {
  writeFileSync(at("empty"), "");
  assert.deepEqual(readHistory(at("empty")), { runs: [], damaged: [], older: 0 });
  assert.deepInclude(surroundings(folder), { commit: null, changed: false, node: process.version });
});

const paths: readonly (readonly [path: string, reason: string])[] = [
  [".", "it is a folder"],
  ["none/history.jsonl", "there is no such file or folder"],
  ["file/history.jsonl", "a part of its path is no folder"],
];

test.each(paths)("%s is no history: %s", (path, reason) => {
  writeFileSync(at("file"), "");
  const file = at(path);
  assert.equal(complaintOf(file), `The history ${file} cannot be written: ${reason}.`);
  assert.equal(readHistory(file), `The history ${file} cannot be read: ${reason}.`);
});

const refusals: readonly (readonly [args: string, line: RegExp])[] = [
  ["--fast", /^No such option: --fast\. There are --quick, --json, --keep, --history, --page\.$/],
  ["fold chian", /^No such case: chian\. There are fold, chain\.$/],
  ["--history", /^--history takes a file\.$/],
  ["--history=", /^--history takes a file\.$/],
  ["--history --quick", /^--history takes a file\.$/],
  ["--history a --history b", /^--history is given 2 times; once is enough\.$/],
  ["--quick=1", /^--quick takes no value\.$/],
  ["--page p", /^--page draws what a history holds: name it with --history FILE\.$/],
  ["--page p --history h fold", /^--page draws and measures nothing: only --history goes with it\.$/],
  ["--page p --history h --json", /^--page draws and measures nothing: only --history goes with it\.$/],
  ["--page a/../h --history h", /^--page would write over the history that it draws\.$/],
];

test.each(refusals)("%s is refused in one line", (args, line) => {
  assert.match(String(askedOf(args.split(" "), ["fold", "chain"])), line);
});

test("what is asked for is measured, or drawn", () => {
  assert.deepEqual(askedOf("chain --quick --history h".split(" "), ["fold", "chain"]), {
    ...{ type: "measure", cases: ["chain"], isQuick: true, isJson: false, keeps: false, history: "h" },
  });
  assert.deepEqual(askedOf("--page p --history h".split(" "), []), { type: "draw", page: "p", history: "h" });
});

test("the command ends with 2 and one line, before it measures anything", () => {
  writeFileSync(at("good.jsonl"), encodeRun(run));
  const bench = (...args: readonly string[]) => {
    const main = join(import.meta.dirname, "..", "..", "node", "bootstrap", "run.mjs");
    const ended = spawnSync(process.execPath, [main, "bench", ...args], { encoding: "utf8" });
    return [ended.status, ended.stdout, ended.stderr];
  };
  const none = "there is no such file or folder.\n";
  assert.deepEqual(bench("--history", at("none/h")), [2, "", `The history ${at("none/h")} cannot be written: ${none}`]);
  assert.deepEqual(bench("--page", at("p"), "--history", at("none")), [
    ...[2, "", `The history ${at("none")} cannot be read: ${none}`],
  ]);
  const [code, out, err] = bench("--page", folder, "--history", at("good.jsonl"));
  assert.deepEqual([code, out], [2, ""]);
  assert.match(String(err), /^The page \S+ cannot be written: .*\.\n$/);
  assert.deepEqual(bench("--page", at("p"), "--history", at("good.jsonl")), [0, `Drew 1 run: ${at("p")}\n`, ""]);
});
