// Goal: `ofs-sim` ends as its callers expect also where what it writes to breaks, and where it is itself at fault.
// Method: real processes; a pipe that has lost its reader before anything is written.
import { spawnSync } from "node:child_process";
import { mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, test } from "vitest";
import { printable } from "../../node/sim/printable.ts";

const COMMAND = join(import.meta.dirname, "../../node/bin/ofs-sim.mjs");

const folder = mkdtempSync(join(tmpdir(), "ofs-process-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a pipe for both ends, then closes the one that reads. */
const WITHOUT_READER = `
  set -e; pipe=$(mktemp -u); mkfifo "$pipe"; exec 3<>"$pipe"; exec 4>"$pipe"; exec 3<&-; rm "$pipe"
  set +e; "$0" "$@" >&4; exit $?`;

test("a reader that left ends it as SIGPIPE would, without a word", () => {
  const { status, stderr } = spawnSync("bash", ["-c", WITHOUT_READER, process.execPath, COMMAND, "list"], {
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.equal(status, 141);
});

test("a disk that is full ends it with one line and 2, whatever it had to say", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, "list"], {
    encoding: "utf8",
    stdio: ["ignore", full, "pipe"],
  });
  assert.equal(stderr, "ofs-sim: what it prints cannot be written: ENOSPC: no space left on device, write.\n");
  assert.equal(status, 2);
});

test("what a file tells a terminal to do is shown to people, on both ways out", () => {
  const file = join(folder, "rings.json");
  const rings = "\u001b]0;mine\u0007\u009b2J";
  const scenario = {
    ...{ name: "rings", description: `It rings${rings}.`, source: "ours", nodes: 1 },
    ...{ safety: [{ kind: "equal-sets-equal-states" }], liveness: { within: "0:05", checks: [] } },
  };
  writeFileSync(file, JSON.stringify(scenario));
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [COMMAND, "run", file, ...args], { encoding: "utf8" });
  const { status, stdout } = run();
  assert.equal(status, 0);
  const shown = "\\u001b]0;mine\\u0007\\u009b2J";
  assert.include(stdout, `rings: It rings${shown}.\n`);
  const { stderr } = run("--nodes", "1", "--chain", rings);
  assert.equal(stderr, `--chain is one of bankrun, litesvm, model, not "${shown}".\n`);
});

test("nothing but control characters is shown otherwise", () => {
  assert.equal(printable("a\tb\nc é \u00a0 😀"), "a\tb\nc é \u00a0 😀");
  assert.equal(printable("\0\r\u001f\u007f\u0080\u009f"), "\\u0000\\u000d\\u001f\\u007f\\u0080\\u009f");
});
