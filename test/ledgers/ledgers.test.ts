// Goal: a ledger that an earlier version of this program wrote opens, and its node comes to the roots that it had: an
// operator upgrades by starting the new version. Method: one ledger for each version of the tables, kept as it was
// written, with rows in every table that was durable; opened from a copy, twice. Where a rule of the fold changes, the
// state root is written anew, with the reason; rows and the other roots stay. Rows of version 2 were taken of one node
// twice, and one is a registration that a later one had replaced: a start drops it with its event, 192 are left.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { LEDGER_FILE } from "../../adapters/sqlite/ledger.ts";
import { LEDGER_VERSION } from "../../adapters/sqlite/schema.ts";
import type { Kept } from "./opened.ts";
import { keptIn } from "./opened.ts";

const here = import.meta.dirname;
const versions = readdirSync(here).flatMap((name) => /^ledger-(\d+)\.json$/.exec(name)?.[1] ?? []);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ofs-kept-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("every version of the tables has its ledger", () => {
  expect(versions.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: LEDGER_VERSION }, (_, n) => n + 1));
});

test.each(versions)("a ledger of version %s opens, and again, with what it held", async (version) => {
  const told = JSON.parse(readFileSync(join(here, `ledger-${version}.json`), "utf8")) as Kept;
  writeFileSync(join(folder, LEDGER_FILE), gunzipSync(readFileSync(join(here, `ledger-${version}.db.gz`))));
  expect(Object.values(told.rows).every((count) => count > 0)).toBe(true);
  const opened = await keptIn(folder, BigInt(told.now));
  // A later version may have tables more, and none fewer.
  expect(opened).toMatchObject(told);
  expect(await keptIn(folder, BigInt(told.now))).toEqual(opened);
});
