// Goal: `ofs-sim` ends as its callers expect also where what it writes to breaks, and where it is itself at fault.
// Method: real processes; a pipe that has lost its reader before anything is written.
import { spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { assert, test } from "vitest";

const COMMAND = join(import.meta.dirname, "../../node/bin/ofs-sim.mjs");

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
