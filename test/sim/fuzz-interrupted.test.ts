// Goal: what `ofs-sim fuzz` has done is kept and said when a process dies under it, when it is interrupted, and when
// nothing can be written (DESIGN section 6). Method: processes that die of a seed, a signal to a real command, and a
// file where the folder of repros should be.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, assert, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { openBackends } from "../../sim/backends.ts";
import { silent } from "./silent-scenario.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-fuzz-"));
afterAll(() => rmSync(folder, { recursive: true }));

const none = ["--repros", join(folder, "none")];

async function fuzz(args: readonly string[], more: Partial<ReturnType<typeof toySurroundings>> = {}) {
  const around = { ...toySurroundings(), ...more };
  const code = await commandLine(["fuzz", ...args], around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

const dying = { launcher: join(import.meta.dirname, "dying-worker.mjs") };

test("seeds whose processes die are named, and the others go on", async () => {
  const { code, out } = await fuzz(["--seeds", "1..9", "--workers", "2", ...none], dying);
  assert.equal(code, 70, out);
  assert.include(out, "seed 2: its process ended with SIGKILL\n");
  assert.include(out, "\nLOST fuzz runs=7 events=7 violations=0 still-broken=0 lost=2\n");
  const { out: json } = await fuzz(["--seeds", "1..9", "--workers", "2", "--json", ...none], dying);
  const { lost } = JSON.parse(json) as { readonly lost: readonly { readonly seed: string; readonly cause: string }[] };
  assert.sameMembers(
    lost.map(({ seed, cause }) => `${seed}: ${cause}`),
    ["2: its process ended with SIGKILL", "3: its process ended with SIGKILL"],
  );
});

test("where no process lives, not every seed is tried", async () => {
  const args = ["--seeds", "1..90000", "--workers", "2", "--scenario", "toy-short", ...none];
  const failure = await fuzz(args, dying).then(
    () => "",
    (error: Error) => error.message,
  );
  assert.equal(failure, "no process that runs seeds lives: its process ended with SIGKILL");
});

test("interrupted before a seed, it says how to go on", async () => {
  const args = ["--seeds", "3..9", "--scenario", "toy-short", "--workers", "1", ...none];
  const { code, out } = await fuzz(args, { stop: AbortSignal.abort() });
  assert.equal(code, 130, out);
  assert.include(out, "\ninterrupted; fuzz --seeds 3..9 goes on\nSTOPPED fuzz runs=0 ");
});

test("a signal lets the seeds that are running end, and nothing else begin", async () => {
  const command = join(import.meta.dirname, "../../node/bin/ofs-sim.mjs");
  const child = spawn(process.execPath, [command, "fuzz", "--seeds", "14..400", "--workers", "2", ...none]);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (lines.push(line) === 1) child.kill("SIGINT");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 130, lines.join("\n"));
  assert.match(lines.at(-1) ?? "", /^STOPPED fuzz runs=[0-2] events=\d+ violations=0 still-broken=0 lost=0$/);
  assert.match(lines.at(-2) ?? "", /^interrupted; fuzz --seeds 1[4-6]\.\.400 goes on$/);
});

test("a violation that cannot be written down is said, and the counts too", async () => {
  const file = join(folder, "silent.json");
  writeFileSync(file, JSON.stringify(silent));
  const gone = join(folder, "gone");
  const args = ["--seeds", "1", "--scenario", file, "--workers", "1", "--repros", gone];
  const { code, out, err } = await fuzz(args, {
    async backends() {
      // Somebody else puts a file where the folder was to be.
      writeFileSync(gone, "");
      return openBackends();
    },
  });
  assert.match(out, /^seed 1: /m);
  assert.match(out, /\nFAILED fuzz runs=1 events=\d+ violations=1 still-broken=0 lost=0\n$/);
  assert.match(err, /cannot be written/);
  assert.equal(code, 2);
});

test("a defect while a violation is made small loses nothing of what is told of it", async () => {
  const file = join(folder, "defect.json");
  writeFileSync(file, JSON.stringify(silent));
  const around = toySurroundings();
  let played = 0;
  const backends = async () => {
    played += 1;
    if (played > 1) throw new Error("a defect");
    return openBackends();
  };
  const args = ["fuzz", "--seeds", "1", "--scenario", file, "--workers", "1", "--json", ...none];
  const ended = await commandLine(args, { ...around, backends }).catch((error: unknown) => error);
  assert.equal((ended as Error).message, "a defect");
  const told = JSON.parse(around.printed.join("")) as { readonly violations: readonly { readonly law: string }[] };
  assert.deepEqual(
    told.violations.map(({ law }) => law),
    ["flagged"],
  );
});

test("a folder of repros that cannot be read is no empty one", async () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  const { code, err } = await fuzz(["--seeds", "1", "--scenario", "toy-short", "--workers", "1", "--repros", file]);
  assert.match(err, /file cannot be read: ENOTDIR.*\.\n$/);
  assert.equal(code, 2);
});

test("a scenario that cannot be run is refused at once, whoever would run its seeds", async () => {
  for (const [args, line] of [
    [["--scenario", "toy-long"], /^Unknown scenario "toy-long"\. One of: /],
    [["--scenario", "toy-forking", "--chain", "bankrun"], /^toy-forking .*\n$/],
  ] as const) {
    const { code, out, err } = await fuzz(["--seeds", "1..3", "--workers", "2", ...none, ...args]);
    assert.match(err, line);
    assert.deepEqual([code, out], [2, ""]);
  }
});

test("the same law broken by another scenario under the same seed is another file", async () => {
  const repros = join(folder, "kept");
  const wants = (event: string) => ({ ...silent, name: event, safety: [{ kind: "flagged", event }] });
  for (const name of ["first", "second", "first"]) {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(wants(name)));
    const args = ["--seeds", "1", "--scenario", file, "--workers", "1", "--tries", "1", "--repros", repros];
    const { code } = await fuzz(args, { backends: async () => openBackends() });
    assert.equal(code, 1);
  }
  const kept = readdirSync(repros).sort();
  assert.deepEqual(kept, ["flagged-1-2.repro.json", "flagged-1.repro.json"]);
  assert.include(readFileSync(join(repros, "flagged-1.repro.json"), "utf8"), '"name": "first"');
});
