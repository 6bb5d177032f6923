/**
 * Goal: a disk that takes its time over a commit or a copy holds nothing else up, and whoever asks a ledger for its
 * changes while one is under way waits, and finds what it came to (L9). A copy has what was kept when it was asked for.
 * Method: a real ledger whose `COMMIT` and copy wait for the test on their way to the library's thread; commits that
 * succeed, that fail and leave their transaction open, and that fail and have rolled it back. Planted bugs.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import type { LedgerChanges } from "../../adapters/sqlite/changes.ts";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { openLibsql } from "../../adapters/sqlite/libsql-driver.ts";
import type { SqlDriver } from "../../adapters/sqlite/sql-driver.ts";
import type { StoreWrite } from "../../core/ports/store.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { close, commit, list, put } from "./store-calls.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-commits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let ledgers = 0;

/** What becomes of a `COMMIT` that is under way. */
type Ending = "kept" | "left open" | "rolled back";

/** The library, with commits that go where the test sends them when it says so. */
function held(driver: SqlDriver) {
  const asked: string[] = [];
  let waiting: ((ending: Ending) => Promise<void>)[] = [];
  const execLater = driver.execLater ?? assert.fail("the library has no thread");
  const endIn: Record<Ending, string> = { kept: "COMMIT", "left open": "SELECT 1", "rolled back": "ROLLBACK" };
  const between: SqlDriver = {
    ...driver,
    exec(sql) {
      asked.push(sql);
      driver.exec(sql);
    },
    execLater: (sql) =>
      new Promise((resolve, reject) => {
        waiting.push(async (ending) => {
          await execLater(sql === "COMMIT" ? endIn[ending] : sql);
          if (ending === "kept") resolve();
          else reject(new Error("the disk failed"));
        });
      }),
  };
  /** The next commit that comes to the library; nothing when it was refused before. */
  const next = async (written: Promise<unknown>) => {
    let isOver = false;
    void written.then(() => {
      isOver = true;
    });
    while (waiting.length === 0 && !isOver) await new Promise((resolve) => setImmediate(resolve));
    const [first, ...rest] = waiting;
    waiting = rest;
    return first;
  };
  return { between, asked, next };
}

type Opener = typeof openLedger;

function opened(open: Opener = openLedger) {
  ledgers += 1;
  const directory = join(folder, `${ledgers}`);
  let disk: ReturnType<typeof held> | undefined;
  const ledger = open(directory, {
    driver(path) {
      disk = held(openLibsql(path));
      return disk.between;
    },
  });
  if (!ledger.ok || disk === undefined) assert.fail("no ledger");
  return { ...ledger, directory, disk };
}

/** A commit that ends as told; `meanwhile` is called while it is under way. */
async function committed(
  { value: store, disk }: ReturnType<typeof opened>,
  writes: readonly StoreWrite[],
  ending: Ending = "kept",
  meanwhile: () => void = () => undefined,
) {
  const written = commit(store, writes);
  const end = await disk.next(written);
  meanwhile();
  await end?.(ending);
  return written;
}

/** One commit that is kept, one that ends as told, and one more: while the second is under way, what `ask` answers. */
async function askedMeanwhile<T>(ending: Ending, ask: (ledger: ReturnType<typeof opened>) => T, open?: Opener) {
  const ledger = opened(open);
  let answer: T | undefined;
  await committed(ledger, [put("t", "first", "01")]);
  const outcome = await committed(ledger, [put("u", "second", "02")], ending, () => {
    ledger.changes.betweenCommits(() => {
      answer = ask(ledger);
    });
  });
  await committed(ledger, [put("u", "third", "03")]);
  const changes = keysBehind(ledger.changes);
  const rows = await list(ledger.value);
  await close(ledger.value);
  return { answer, outcome, rows, changes };
}

function keysBehind(changes: LedgerChanges): readonly string[] {
  const page = changes.behind(0, "all");
  if (!page.ok) assert.fail(page.error);
  return page.value.changes.map(({ key }) => key);
}

test("the process goes on while a disk takes its time", async () => {
  const ledger = opened();
  const { value: store, disk } = ledger;
  let isDone = false;
  const written = commit(store, [put("t", "k", "01")]).finally(() => {
    isDone = true;
  });
  const end = await disk.next(written);
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
  expect(isDone).toBe(false);
  await end?.("kept");
  expect(await written).toEqual({ ok: true, value: null });
  // Its tables were made at once, its rows on the thread.
  expect(disk.asked.filter((sql) => sql === "COMMIT")).toEqual(["COMMIT"]);
  await close(store);
});

test.each<Ending>(["kept", "left open", "rolled back"])("changes are told of a commit that is %s", async (ending) => {
  const isKept = ending === "kept";
  const { answer, outcome, rows, changes } = await askedMeanwhile(ending, ({ changes }) => ({
    newest: changes.newest(),
    behind: keysBehind(changes),
  }));
  expect(answer).toEqual(isKept ? { newest: 2, behind: ["first", "second"] } : { newest: 1, behind: ["first"] });
  expect(outcome.ok).toBe(isKept);
  expect(changes).toEqual(isKept ? ["first", "second", "third"] : ["first", "third"]);
  expect(rows.map(([, key]) => key)).toEqual(changes);
});

test("a ledger that is asked within a commit says so, and goes on", async () => {
  const ledger = opened();
  const { changes } = ledger;
  let answer: unknown;
  const outcome = await committed(ledger, [put("t", "k", "01")], "kept", () => {
    answer = changes.behind(0, "all");
  });
  expect({ answer, outcome }).toEqual({
    answer: { ok: false, error: "bug: a ledger is asked while another thread uses it" },
    outcome: { ok: true, value: null },
  });
  expect(keysBehind(changes)).toEqual(["k"]);
  await close(ledger.value);
});

test("a copy that takes its time holds up commits and the end, has nothing that came later, and nobody else waits", async () => {
  const ledger = opened();
  const { value: store, changes, disk } = ledger;
  await committed(ledger, [put("t", "before", "01")]);
  const path = join(ledger.directory, "it's a copy.db");
  const over: string[] = [];
  const notes = (name: string) => () => void over.push(name);
  const copied = ledger.copyTo(path).then(notes("copy"));
  const later = commit(store, [put("t", "later", "02")]).then(notes("commit"));
  const copy = await disk.next(copied);
  changes.betweenCommits(notes("asked"));
  const closed = close(store).then(notes("end"));
  const late = ledger.copyTo(`${path}.late`).catch((error: Error) => over.push(error.message));
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
  expect(over).toEqual(["the store is closed"]);
  await copy?.("kept");
  const end = await disk.next(later);
  await end?.("kept");
  await Promise.all([copied, later, closed, late]);
  expect(over.slice(1).filter((each) => each !== "asked")).toEqual(["copy", "commit", "end"]);
  expect(over).toContain("asked");
  expect(await keysIn(path)).toEqual(["before"]);
});

/** The keys of a copy, opened as a ledger of its own. */
async function keysIn(copy: string): Promise<readonly string[]> {
  const directory = `${copy} opened`;
  mkdirSync(directory);
  renameSync(copy, join(directory, LEDGER_FILE));
  const ledger = openLedger(directory);
  if (!ledger.ok) assert.fail(ledger.error.reason);
  const rows = await list(ledger.value);
  await close(ledger.value);
  return rows.map(([, key]) => key);
}

const bugs: Record<string, PlantedBug & { readonly ending: Ending }> = {
  "nobody waits for a commit": {
    file: "adapters/sqlite/sql-rows.ts",
    find: "if (this.#isAway) this.#waiting.push(act);",
    replace: "if (act === undefined) return;",
    ending: "kept",
  },
  "a commit that failed is left as it is": {
    file: "adapters/sqlite/sql-rows.ts",
    find: "if (failure !== undefined) this.#giveUp();",
    replace: "",
    ending: "left open",
  },
};

test.each(Object.entries(bugs))("the check fails where %s", async (_, { ending, ...bug }) => {
  const newest = await withPlantedBug(bug, async (load) => {
    const { openLedger: open } = await load<{ readonly openLedger: Opener }>("adapters/sqlite/ledger.ts");
    return (await askedMeanwhile(ending, ({ changes }) => keysBehind(changes), open)).answer;
  }).catch((error: unknown) => error);
  expect(newest).not.toEqual(ending === "kept" ? ["first", "second"] : ["first"]);
});
