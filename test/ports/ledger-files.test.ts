// Goal: what a ledger holds that is no text is found, and nobody but its owner reads it.
// Method: bytes of a file replaced, and its mode; then the ledger is opened again.
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import type { StorePort } from "../../core/ports/store.ts";
import { close, commit, load, put } from "./store-calls.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ledger-files-"));
  path = join(folder, LEDGER_FILE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function opened(): StorePort {
  const result = openLedger(folder);
  if (!result.ok) throw new Error(result.error.reason);
  return result.value;
}

test("a text that is no longer UTF-8 is found by the load, and the process goes on", async () => {
  const store = opened();
  await commit(store, [put("t", "needle", "01"), put("thimble", "k", "01")]);
  await close(store);
  const whole = readFileSync(path);
  for (const [name, reason] of [
    ["needle", /^table t/],
    ["thimble", /^the list of tables: "thi.*" is not UTF-8/],
  ] as const) {
    const bytes = Buffer.from(whole);
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at)) bytes[at + 3] = 0xff;
    writeFileSync(path, bytes);
    const damaged = opened();
    expect((await load(damaged)).error).toMatchObject({ code: "broken", reason: expect.stringMatching(reason) });
    await close(damaged);
  }
});

test("a ledger that others could read is its owner's again", async () => {
  await close(opened());
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  const store = opened();
  await commit(store, [put("t", "k", "01")]);
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  await close(store);
});
