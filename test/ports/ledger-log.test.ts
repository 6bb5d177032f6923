// Goal: a bit that changed in the log beside a killed node's file takes no acknowledged commit away unseen, but for the
// last, which a power loss may leave as such.
// Method: the files of a ledger as they lie while it is open; every frame of the log is changed at each of its parts.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import { CHECKPOINT_FILE, writeCheckpoint } from "../../adapters/sqlite/checkpoint-file.ts";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { openLibsql } from "../../adapters/sqlite/libsql-driver.ts";
import type { SqlDriver } from "../../adapters/sqlite/sql-driver.ts";
import { close, commit, list, put } from "./store-calls.ts";

const folder = mkdtempSync(join(tmpdir(), "ledger-log-"));
const [killed, scratch] = [join(folder, "killed"), join(folder, "scratch")];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMED = expect.stringMatching(
  /^damaged: LEDGER.ledger.db is damaged: (the header|frame \d+) of LEDGER.ledger.db-wal/,
);
const COMMITS = 6;
/** Of a frame: number of its page, end of a commit, salts, checksum, page. */
const PARTS = [3, 7, 8, 12, 16, 23, 24, 2_000, 24 + 4_095];
const [HEADER, FRAME] = [32, 24 + 4_096];
let log: Buffer;

beforeAll(async () => {
  const opened = openLedger(join(folder, "lived"));
  if (!opened.ok) assert.fail(opened.error.reason);
  for (let n = 0; n < COMMITS; n++)
    await commit(opened.value, [put("t", `k${n}`, "ab".repeat(n % 2 === 0 ? 20 : 9_000))]);
  cpSync(join(folder, "lived"), killed, { recursive: true });
  await close(opened.value);
  log = readFileSync(join(killed, `${LEDGER_FILE}-wal`));
});

/** How many commits are there in a copy, with another file in its place if one is named, whose log is this, or why
 *  it is refused. */
async function keptWith(bytes: Buffer, file: string = join(killed, LEDGER_FILE)): Promise<number | string> {
  rmSync(scratch, { recursive: true, force: true });
  cpSync(killed, scratch, { recursive: true });
  cpSync(file, join(scratch, LEDGER_FILE));
  writeFileSync(join(scratch, `${LEDGER_FILE}-wal`), bytes);
  const opened = openLedger(scratch);
  if (!opened.ok) return `${opened.error.code}: ${opened.error.reason.replaceAll(scratch, "LEDGER")}`;
  const rows = await list(opened.value);
  await close(opened.value);
  return rows.length;
}

function changed(at: number): Buffer {
  const bytes = Buffer.from(log);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  return bytes;
}

/** The frames of the last commit. */
function lastCommit(): number {
  const ends = Array.from({ length: (log.length - HEADER) / FRAME }, (_, n) => n).filter(
    (n) => log.readUInt32BE(HEADER + n * FRAME + 4) !== 0,
  );
  return (ends.at(-2) ?? 0) + 1;
}

test("the log as it is keeps every commit", async () => {
  expect(await keptWith(log)).toBe(COMMITS);
});

test("a frame that changed before the last commit is named, and nothing is opened", async () => {
  for (let frame = 0; frame < lastCommit(); frame++)
    for (const part of PARTS) {
      const outcome = await keptWith(changed(HEADER + frame * FRAME + part));
      expect({ frame, part, outcome }).toEqual({ frame, part, outcome: NAMED });
    }
});

test("a header that changed is named", async () => {
  for (let at = 0; at < HEADER; at++)
    expect({ at, outcome: await keptWith(changed(at)) }).toEqual({ at, outcome: NAMED });
});

test("a copy that is put beside the log of another is refused, and opened once the log is gone", async () => {
  const copied = join(folder, "copied");
  cpSync(killed, copied, { recursive: true });
  const opened = openLedger(copied);
  if (!opened.ok) assert.fail(opened.error.reason);
  const copy = join(folder, "copy.db");
  await opened.copyTo(copy);
  await close(opened.value);
  // What a copy is, and what an orderly end leaves.
  for (const file of [copy, join(copied, LEDGER_FILE)]) {
    const refused = /^damaged: LEDGER.ledger.db-wal is of another file: .* Move LEDGER.ledger.db-wal elsewhere/;
    expect(await keptWith(log, file)).toMatch(refused);
    expect(readFileSync(join(scratch, LEDGER_FILE)).equals(readFileSync(file))).toBe(true);
    for (const end of [0, HEADER, HEADER + FRAME - 1]) expect(await keptWith(log.subarray(0, end), file)).toBe(COMMITS);
  }
});

test("what power loss leaves of the last commit is opened, without that commit", async () => {
  const last = HEADER + lastCommit() * FRAME;
  for (const end of [last, last + 1, last + FRAME - 1]) expect(await keptWith(log.subarray(0, end))).toBe(COMMITS - 1);
  expect(await keptWith(changed(last + 2_000))).toBe(COMMITS - 1);
});

test("frames of an earlier use of the log are no damage", async () => {
  let driver: SqlDriver | undefined;
  const directory = join(folder, "again");
  const opened = openLedger(directory, {
    driver(path) {
      driver = openLibsql(path);
      return driver;
    },
  });
  if (!opened.ok) assert.fail(opened.error.reason);
  for (let n = 0; n < COMMITS; n++) await commit(opened.value, [put("t", `k${n}`, "ab".repeat(9_000))]);
  // The log is folded into the file; what comes next overwrites it from its beginning.
  driver?.exec("PRAGMA wal_checkpoint(RESTART)");
  await commit(opened.value, [put("t", "newest", "ab")]);
  rmSync(scratch, { recursive: true, force: true });
  cpSync(directory, scratch, { recursive: true });
  await close(opened.value);
  const again = openLedger(scratch);
  if (!again.ok) assert.fail(again.error.reason);
  expect(await list(again.value)).toHaveLength(COMMITS + 1);
  await close(again.value);
});

const REFUSED = { code: "damaged", reason: expect.stringMatching(/it (is empty|was removed), and .* held rows\. /) };

describe.each(["emptied", "removed"])("a file that was %s", (how) => {
  test.each([[`${LEDGER_FILE}-wal`], [CHECKPOINT_FILE], [`${CHECKPOINT_FILE}.7`], [`${CHECKPOINT_FILE}.7`, "-wal"]])(
    "beside a %s was a ledger, and is none that begins",
    (name, log?: string) => {
      const directory = mkdtempSync(join(folder, "empty-"));
      if (how === "emptied") writeFileSync(join(directory, LEDGER_FILE), "");
      if (log !== undefined) writeFileSync(join(directory, LEDGER_FILE + log), "");
      writeFileSync(join(directory, name), "any");
      const before = readdirSync(directory);
      const opened = openLedger(directory);
      assert(!opened.ok);
      expect(opened.error).toEqual(REFUSED);
      expect(opened.error.reason).toContain(join(directory, name));
      expect(readdirSync(directory)).toEqual(before);
      for (const each of before) expect(readFileSync(join(directory, each), "utf8")).toBe(each === name ? "any" : "");
    },
  );

  test("beside a checkpoint that its ledger named is refused, by whatever its change was called", async () => {
    const directory = mkdtempSync(join(folder, "named-"));
    const begun = openLedger(directory);
    assert(begun.ok);
    for (let n = 0; n < COMMITS; n++) await commit(begun.value, [put("t", `k${n}`, "ab")]);
    const held = { place: begun.changes.newest(), rows: COMMITS, sections: [new Uint8Array(10)] };
    const written = writeCheckpoint(directory, held);
    assert(written.ok && begun.changes.name(written.value).ok);
    await close(begun.value);
    if (how === "emptied") truncateSync(join(directory, LEDGER_FILE));
    else rmSync(join(directory, LEDGER_FILE));
    const before = readdirSync(directory);
    const again = openLedger(directory);
    assert(!again.ok);
    expect(again.error).toEqual(REFUSED);
    expect(readdirSync(directory)).toEqual(before);
    rmSync(join(directory, `${CHECKPOINT_FILE}.${held.place}`));
    const anew = openLedger(directory);
    assert(anew.ok);
    await close(anew.value);
  });
});

test("a file whose making was cut short beside a checkpoint was a ledger too", () => {
  const directory = mkdtempSync(join(folder, "begun-"));
  const journal = Buffer.concat([Buffer.from("d9d505f920a163d7", "hex"), Buffer.alloc(504)]);
  writeFileSync(join(directory, `${LEDGER_FILE}-journal`), journal);
  writeFileSync(join(directory, `${CHECKPOINT_FILE}.7`), "any");
  const opened = openLedger(directory);
  assert(!opened.ok);
  expect(opened.error).toEqual(REFUSED);
  expect(readdirSync(directory)).toHaveLength(2);
});

test("a file whose table is told in words that SQLite cannot read is refused in one line", async () => {
  const directory = mkdtempSync(join(folder, "words-"));
  const opened = openLedger(directory);
  assert(opened.ok);
  await close(opened.value);
  const bytes = readFileSync(join(directory, LEDGER_FILE));
  bytes.write("`", bytes.lastIndexOf("(", bytes.indexOf("key TEXT NOT NULL, bytes")));
  writeFileSync(join(directory, LEDGER_FILE), bytes);
  const again = openLedger(directory);
  assert(!again.ok);
  expect(again.error).toEqual({
    code: "damaged",
    reason: expect.stringMatching(/^[^\n]*malformed database schema[^\n]*$/),
  });
});
