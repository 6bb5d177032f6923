/**
 * Goal: a node whose log or `ready` line cannot be written, since the disk that takes it is full or whoever read it has
 * left, goes on and ends in order; any other command says so, and fails.
 * Method: real commands whose output goes to a device that is always full, and to pipes that are closed.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { CHECKPOINT_FILE } from "../../adapters/sqlite/checkpoint-file.ts";
import { argumentsOf } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-unread-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LAUNCHER = fileURLToPath(new URL("../../node/bin/ofs-node.mjs", import.meta.url));
const FULL = "/dev/full";

/** A command with its output as a shell redirects it. */
function redirected(redirection: string, args: readonly string[]) {
  const child = spawn("sh", ["-c", `exec "$0" "$@" ${redirection}`, process.execPath, ...args]);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended };
}

const isPacked = (ledger: string) => readdirSync(ledger).some((name) => name.startsWith(CHECKPOINT_FILE));

test("a node whose readers left goes on, and ends in order", async () => {
  const ledger = join(folder, "left");
  const { child, ended } = redirected("", argumentsOf(ledger, "--log", "info"));
  await new Promise((ready) => child.stdout.once("data", ready));
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  // What it says of its end, nobody takes.
  child.kill("SIGTERM");
  expect([await ended, isPacked(ledger)]).toEqual([0, true]);
});

describe.skipIf(!existsSync(FULL))("on a disk that is full", () => {
  test("a node goes on without its log, and ends in order", async () => {
    const ledger = join(folder, "full");
    const { child, ended } = redirected(`2>${FULL}`, argumentsOf(ledger, "--log", "info"));
    await new Promise((ready) => child.stdout.once("data", ready));
    child.kill("SIGTERM");
    expect([await ended, isPacked(ledger)]).toEqual([0, true]);
  });

  test("a command that cannot print its result says so in one line, and fails", async () => {
    const { child, ended } = redirected(`>${FULL}`, [LAUNCHER, "keygen", join(folder, "key.json")]);
    let err = "";
    child.stderr.on("data", (text) => (err += String(text)));
    expect(await ended).toBe(1);
    expect(err).toMatch(/^what it prints cannot be written: ENOSPC[^\n]*\n$/);
  });
});
