// Goal: an interrupted run ends at once and keeps what it has recorded. Method: a real command that gets a signal at
// its first line, and one in this process that was told before it began.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, assert, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-run-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: readonly string[], more: Partial<ReturnType<typeof toySurroundings>> = {}) {
  const around = { ...toySurroundings(false), ...more };
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

test("a signal ends a run, and the recording can be looked into", async () => {
  const file = join(folder, "day.recording");
  const command = join(import.meta.dirname, "../../node/bin/ofs-sim.mjs");
  const child = spawn(process.execPath, [command, "run", "trading-day", "--record", file]);
  const complained: string[] = [];
  child.stderr.on("data", (bytes: Buffer) => void complained.push(bytes.toString()));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (lines.push(line) === 4) child.kill("SIGINT");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 130, lines.join("\n"));
  assert.equal(lines.at(-1), `record: ${file}`);
  const [, events = ""] =
    /^interrupted: trading-day of seed 1 after event (\d+) at /.exec(complained.join("")) ?? assert.fail();
  assert.isBelow(Number(events), 15_000);
  const at = await run(["at", file, events, "--json"]);
  assert.equal(at.code, 0, at.err);
  assert.lengthOf((JSON.parse(at.out) as { readonly nodes: readonly unknown[] }).nodes, 3);
});

test("told before it began, a run has no events, and neither report nor repro say otherwise", async () => {
  const [report, repro] = [join(folder, "page.html"), join(folder, "found.json")];
  const args = ["run", "toy-short", "--json", "--report", report, "--repro", repro];
  const { code, out, err } = await run(args, { stop: AbortSignal.abort() });
  assert.deepEqual([code, out], [130, ""]);
  assert.match(err, /^interrupted: toy-short of seed 1 after event 0 at 00:00\.000\n$/);
});
