/**
 * Goal: a command that makes a copy of a ledger, or a list of its rows, and whose disk takes no more says so in one
 * line; what it leaves is no ledger that a node would begin with, and the same command works once there is room. A
 * ledger whose log the disk cannot take in is checked all the same, and not said to be another's.
 * Method: real commands that may write no file beyond a bound, over a ledger as a killed node leaves it.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, assert, beforeAll, expect, test } from "vitest";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { close, commit, put } from "../ports/store-calls.ts";
import { answerOf } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-full-disk-"));
const ledger = join(folder, "ledger");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LAUNCHER = fileURLToPath(new URL("../../node/bin/ofs-node.mjs", import.meta.url));
/** Of 512 bytes or of 1,024, as the shell counts; the ledger is larger than either many. */
const BLOCKS = 1_000;
const [ROWS, DIGITS] = [300, 20_000];

beforeAll(async () => {
  const lived = join(folder, "lived");
  const opened = openLedger(lived);
  if (!opened.ok) assert.fail(opened.error.reason);
  const row = (n: number) => put("cellar", `k${n}`, "ab".repeat(DIGITS));
  await commit(
    opened.value,
    Array.from({ length: ROWS }, (_, n) => row(n)),
  );
  await close(opened.value);
  const again = openLedger(lived);
  if (!again.ok) assert.fail(again.error.reason);
  await commit(again.value, [row(ROWS)]);
  cpSync(lived, ledger, { recursive: true });
  await close(again.value);
});

/** What a command says that may write no file beyond the bound, as on a disk that is full. */
function without(...args: readonly string[]): Promise<{ readonly code: number | null; readonly err: string }> {
  const child = spawn("sh", ["-c", `ulimit -f ${BLOCKS}; exec "$0" "$@"`, process.execPath, LAUNCHER, ...args]);
  let err = "";
  child.stderr.on("data", (text) => (err += String(text)));
  child.stdout.resume();
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, err })));
}

test("a ledger whose log cannot be taken in is checked", async () => {
  expect(await without("check", "--ledger", ledger)).toEqual({ code: 0, err: "" });
  expect(existsSync(join(ledger, `${LEDGER_FILE}-wal`))).toBe(true);
});

test.each(["backup", "repair", "export"])(
  "%s says so, leaves nothing that looks whole, and works later",
  async (command) => {
    const out = join(folder, command);
    // What a kill leaves is in nobody's way.
    if (command === "backup") mkdirSync(out);
    if (command === "backup") writeFileSync(join(out, "unfinished"), "half a ledger");
    if (command === "repair") mkdirSync(join(out, "unfinished"), { recursive: true });
    const { code, err } = await without(command, "--ledger", ledger, "--out", out);
    expect([code, err]).toEqual([1, expect.stringMatching(/^[^\n]*its disk may be full\.\n$/)]);
    expect(err).toContain(out);
    expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
    const later = await answerOf(command, "--ledger", ledger, "--out", out);
    expect([later.code, later.err]).toEqual([0, ""]);
    expect(later.out).toMatch(new RegExp(`(?:rows|kept)=${ROWS + 1}\\b`));
    if (command !== "export") expect(readdirSync(out)).toEqual([LEDGER_FILE]);
  },
);
