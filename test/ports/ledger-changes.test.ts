/**
 * Goal: what changed in a ledger since a place is told in the order in which it did, removals among it, and never less;
 * a ledger that names a checkpoint names it after a kill, and a copy of it none (L9).
 * Method: random commits against a model of rows and places, read in pages; ledgers that are opened again, copied,
 * upgraded, and damaged where places lie; a planted bug.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import Database from "libsql";
import { afterAll, assert, expect, test } from "vitest";
import type { LedgerChange, LedgerChanges } from "../../adapters/sqlite/changes.ts";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { StoreWrite } from "../../core/ports/store.ts";
import { forAllAsync } from "../property/for-all.ts";
import { close, commit, load, put, remove } from "./store-calls.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-changes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let ledgers = 0;

function opened(given?: string) {
  ledgers += 1;
  const directory = given ?? join(folder, `${ledgers}`);
  const ledger = openLedger(directory);
  if (!ledger.ok) assert.fail(ledger.error.reason);
  return { ...ledger, directory };
}

/** All changes behind a place. */
function allBehind(changes: LedgerChanges, from: number): readonly LedgerChange[] {
  const all: LedgerChange[] = [];
  for (let place = from; ; ) {
    const page = changes.behind(place, "all");
    if (!page.ok) assert.fail(page.error);
    all.push(...page.value.changes);
    assert.isTrue(page.value.last || page.value.place > place);
    if (page.value.last) return all;
    place = page.value.place;
  }
}

const arbWrite = fc
  .tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3 }))
  .map(([table, key, size]): StoreWrite => {
    const bytes = size === 0 ? null : new Uint8Array(size === 3 ? 700_000 : size);
    return { table: `t${table}`, key: `k${key}`, bytes };
  });

test("applied to the rows at a place, what lies behind it gives the rows now", async () => {
  await forAllAsync(
    [fc.array(fc.array(arbWrite, { minLength: 1, maxLength: 60 }), { minLength: 2, maxLength: 12 })],
    async (commits) => {
      const { value: store, changes } = opened();
      const model = new Map<string, Uint8Array>();
      let then: Map<string, Uint8Array> | undefined;
      let [place, removals] = [0, 0];
      for (const [at, writes] of commits.entries()) {
        if (at === Math.floor(commits.length / 2)) {
          place = changes.newest();
          expect(changes.name({ place, rows: model.size, hash: "00" })).toEqual({ ok: true, value: null });
          then = new Map(model);
        }
        await commit(store, writes);
        for (const { table, key, bytes } of writes) {
          if (bytes === null) model.delete(`${table} ${key}`);
          else model.set(`${table} ${key}`, bytes);
        }
      }
      const behind = allBehind(changes, place);
      assert.deepEqual(
        behind.map((change) => change.place),
        [...behind].map((change) => change.place).sort((a, b) => a - b),
      );
      for (const { table, key, bytes } of behind) {
        if (bytes === null) then?.delete(`${table} ${key}`);
        else then?.set(`${table} ${key}`, bytes);
        if (bytes === null) removals += 1;
      }
      const sizes = (rows: Map<string, Uint8Array> | undefined) =>
        [...(rows ?? [])].map(([key, bytes]) => `${key} ${bytes.length}`).sort(compareText);
      assert.deepEqual(sizes(then), sizes(model));
      expect(changes.defect()).toBe(undefined);
      await close(store);
      return removals > 0 ? ["removals"] : [];
    },
    { runs: 8, nightly: 300, sample: 20, shares: { removals: 0.5 } },
  );
});

test("the name outlives the process and is forgotten in a copy; without one no removal is kept", async () => {
  const { value: store, changes, directory, copyTo } = opened();
  await commit(store, [put("t", "a", "01"), put("t", "b", "02")]);
  await commit(store, [remove("t", "a")]);
  expect(allBehind(changes, 0).map(({ key }) => key)).toEqual(["b"]);
  const named = { place: changes.newest(), rows: 1, hash: "ab" };
  changes.name(named);
  await commit(store, [remove("t", "b"), put("t", "c", "03")]);
  await copyTo(join(folder, "copy.db"));
  await close(store);
  const again = opened(directory);
  expect(again.changes.named()).toMatchObject(named);
  expect(allBehind(again.changes, named.place)).toMatchObject([
    { key: "b", bytes: null },
    { key: "c", bytes: Uint8Array.of(3) },
  ]);
  again.changes.name(undefined);
  expect(again.changes.named()).toBe(undefined);
  expect(allBehind(again.changes, 0).map(({ key }) => key)).toEqual(["c"]);
  await close(again.value);
  const copy = new Database(join(folder, "copy.db"));
  expect(copy.prepare("SELECT count(*) FROM checkpoint").raw(true).get([])).toEqual([0]);
  copy.close();
});

/** Changes a ledger as no program of ours does. */
function altered(directory: string, sql: string): void {
  const database = new Database(join(directory, LEDGER_FILE));
  database.exec("PRAGMA writable_schema = ON");
  database.exec(sql);
  database.close();
}

test.each([
  ["a removal is gone", "DELETE FROM removals", "removals behind it are missing"],
  ["a removal moved before the checkpoint", "UPDATE removals SET place = 1", "removals behind it are missing"],
])("a ledger of which %s is found out", async (_, sql, line) => {
  const { value: store, changes, directory } = opened();
  await commit(store, [put("t", "a", "01"), put("t", "b", "02")]);
  changes.name({ place: changes.newest(), rows: 2, hash: "ab" });
  await commit(store, [remove("t", "a"), put("t", "c", "03")]);
  await close(store);
  altered(directory, sql);
  const again = opened(directory);
  expect(again.changes.defect()).toBe(line);
  await close(again.value);
});

test("a removal whose key changed is told from one that did not", async () => {
  const { value: store, changes, directory } = opened();
  await commit(store, [put("t", "a", "01")]);
  changes.name({ place: changes.newest(), rows: 1, hash: "ab" });
  await commit(store, [remove("t", "a")]);
  await close(store);
  altered(directory, "UPDATE removals SET key = 'b'");
  const again = opened(directory);
  expect(again.changes.behind(1, "all")).toEqual({ ok: false, error: "a removed row does not match its checksum" });
  await close(again.value);
});

test("a row that its index lost is found by the load, and by whoever asks for what is behind a place", async () => {
  const { value: store, changes, directory } = opened();
  await commit(store, [put("t", "a", "01"), put("t", "b", "02")]);
  changes.name({ place: 1, rows: 1, hash: "ab" });
  await close(store);
  // The index of another table has the same shape and none of the rows.
  altered(
    directory,
    `CREATE TABLE empty (table_id INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (table_id, key));
     UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_empty_1')
       WHERE name = 'sqlite_autoindex_rows_1'`,
  );
  const again = opened(directory);
  expect(again.changes.defect()).toBe("the rows behind it are not those of their index");
  expect((await load(again.value)).error).toEqual({ code: "broken", reason: "the index of rows has 0, the table 2" });
  await close(again.value);
});
