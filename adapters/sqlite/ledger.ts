/**
 * A ledger: the directory in which a node keeps its rows, in one SQLite file that one process holds at a time.
 * The lock is the file's own, so it ends with the process, however that ends. While a node runs, the file is open
 * to no one else; after a clean close it is a single file that can be copied.
 */
import { chmodSync, closeSync, linkSync, openSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Result } from "../../core/index.ts";
import type { StorePort, StoreRow } from "../../core/ports/store.ts";
import { makeFolder } from "../folders/make-folder.ts";
import { syncDirectory } from "../folders/sync.ts";
import type { StoreSchedule } from "../store/row-store.ts";
import { openRowStore } from "../store/row-store.ts";
import type { LedgerChanges } from "./changes.ts";
import { openChanges } from "./changes.ts";
import type { LedgerFailure } from "./ledger-failure.ts";
import { ledgerFailure } from "./ledger-failure.ts";
import { lookAt, tooNew } from "./ledger-header.ts";
import { openLibsql } from "./libsql-driver.ts";
import type { Places } from "./places.ts";
import { openPlaces } from "./places.ts";
import { salvaged } from "./salvage.ts";
import { APPLICATION_ID, COUNT_OBJECTS, CREATE_TABLES, FORGET_CHECKPOINT, LEDGER_VERSION, UPGRADE } from "./schema.ts";
import type { SqlDriver } from "./sql-driver.ts";
import type { SqlRows } from "./sql-rows.ts";
import { openSqlRows } from "./sql-rows.ts";

/** The open store, or why the ledger cannot be used. */
export type LedgerResult =
  | {
      readonly ok: true;
      readonly value: StorePort;
      /** What changed since a checkpoint, and which one is in force. */
      readonly changes: LedgerChanges;
      /**
       * Writes a whole, consistent copy to a new file, in its turn: of what was committed when it was asked for, and of
       * nothing that came later. Reads of memory go on meanwhile, commits wait. Fails with what the library says.
       */
      readonly copyTo: (path: string) => Promise<void>;
    }
  | { readonly ok: false; readonly error: LedgerFailure };

/** What stands between the store and the disk; for tests. */
export interface LedgerOptions {
  /** The driver over the file; libsql, unless a test stands between. */
  readonly driver?: (path: string) => SqlDriver;
}

/** Name of the file in the directory. */
export const LEDGER_FILE = "ledger.db";

/**
 * FULL syncs the log at every commit. The log is folded into the file every 4000 pages of 4 KiB: folding it every
 * 1000 costs a fifth of the throughput, a longer log makes the pause longer. `fullfsync` matters on macOS alone.
 */
const SETTINGS: readonly string[] = [
  "PRAGMA synchronous = FULL",
  "PRAGMA fullfsync = ON",
  "PRAGMA checkpoint_fullfsync = ON",
  "PRAGMA wal_autocheckpoint = 4000",
  "PRAGMA cache_size = -65536",
  "PRAGMA cell_size_check = ON",
  "PRAGMA trusted_schema = OFF",
];

/** Read and written by its owner; and what a mode grants to all others. */
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

/** Ledgers held by this process. Opening a held file a second time, even to read it, would end its lock. */
const held = new Set<string>();

/** Opens the ledger in `directory` and holds it until `close`; creates what does not exist. */
export function openLedger(directory: string, options: LedgerOptions = {}): LedgerResult {
  let path: string | undefined;
  try {
    const folder = makeDirectory(resolve(directory));
    if (held.has(folder)) return failed("held", `${folder} is in use by this process`);
    path = join(folder, LEDGER_FILE);
    const stranger = lookAt(path);
    if (stranger !== undefined) return { ok: false, error: stranger };
    keepToOwner(path);
    const driver = (options.driver ?? openLibsql)(path);
    const wrong = prepare(driver, path);
    if (wrong !== undefined) {
      unlockAndClose(driver);
      return { ok: false, error: wrong };
    }
    held.add(folder);
    const places = openPlaces(driver);
    const rows = releasing(driver, places, () => held.delete(folder));
    const value = openRowStore(rows, afterInputs);
    return {
      ok: true,
      changes: openChanges(whenBack(driver, rows), places, (act) => rows.whenBack(act)),
      copyTo: (copy) => value.apart(() => copyTo(rows, copy)),
      value,
    };
  } catch (error) {
    return { ok: false, error: ledgerFailure(error, path ?? directory) };
  }
}

/**
 * Every row of a damaged file that can still be read, and a line for each that cannot. What is read is a copy in
 * `folder`, since SQLite folds the log into the file that it closes. Fails with why a file cannot be read at all.
 */
export function salvagedRows(path: string, folder: string): Result<Iterable<StoreRow | string>, LedgerFailure> {
  try {
    const holder = held.has(dirname(realpathSync(path))) ? "this process" : isHeld(path) && "another process";
    if (holder) return { ok: false, error: { code: "held", reason: `${path} is in use by ${holder}` } };
    return { ok: true, value: salvaged(path, folder) };
  } catch (error) {
    return { ok: false, error: ledgerFailure(error, path) };
  }
}

/** Whether another process holds a file: asked under a second name, beside which lies no log to be folded in. */
function isHeld(path: string): boolean {
  const name = `${path}-asked`;
  try {
    linkSync(path, name);
    const driver = openLibsql(name);
    try {
      driver.exec(COUNT_OBJECTS);
    } finally {
      driver.close();
    }
  } catch (error) {
    return ledgerFailure(error, path).code === "held";
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(name + end, { force: true });
  }
  return false;
}

/** Commits run when the event loop has taken in what had arrived: whatever that brought joins the next commit. */
const afterInputs: StoreSchedule = (_operation, perform) => {
  setImmediate(perform);
};

/** Creates the directory, durably, for its owner alone; gives its real path. */
function makeDirectory(directory: string): string {
  const first = makeFolder(directory, 0o700);
  if (first !== undefined) {
    // A name is durable when the directory that holds it is: from the innermost to the one that existed.
    const existed = dirname(first);
    for (let at = directory; at !== existed && at !== dirname(at); at = dirname(at)) syncDirectory(dirname(at));
  }
  return realpathSync(directory);
}

/** Nobody but the owner reads what a node acknowledged. The log beside the file takes its mode from it. */
function keepToOwner(path: string): void {
  closeSync(openSync(path, "a", OWNER_ONLY));
  if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, OWNER_ONLY);
}

/** Takes the lock, makes the tables if the file is new, and turns the write-ahead log on. */
function prepare(driver: SqlDriver, path: string): LedgerFailure | undefined {
  try {
    driver.exec("PRAGMA locking_mode = EXCLUSIVE");
    driver.exec("BEGIN EXCLUSIVE");
    if (numberOf(driver, COUNT_OBJECTS) === 0) for (const statement of CREATE_TABLES) driver.exec(statement);
    const ours = numberOf(driver, "PRAGMA application_id") === APPLICATION_ID;
    const version = numberOf(driver, "PRAGMA user_version");
    if (ours && version === 1) for (const statement of UPGRADE) driver.exec(statement);
    driver.exec(ours && version <= LEDGER_VERSION ? "COMMIT" : "ROLLBACK");
    if (!ours) return { code: "foreign", reason: `${path} is not a ledger of this program` };
    const later = tooNew(path, version);
    if (later !== undefined) return later;
    for (const setting of SETTINGS) driver.exec(setting);
    const mode = driver.prepare("PRAGMA journal_mode = WAL").all([])[0]?.[0];
    if (mode !== "wal") return { code: "broken", reason: `${path}: the file system allows no write-ahead log` };
    return undefined;
  } catch (error) {
    return ledgerFailure(error, path);
  }
}

function numberOf(driver: SqlDriver, sql: string): number {
  return Number(driver.prepare(sql).all([])[0]?.[0]);
}

/** The rows of an opened ledger; `close` gives it up. */
function releasing(driver: SqlDriver, places: Places, release: () => void): SqlRows {
  const close = () => {
    unlockAndClose(driver);
    release();
  };
  return openSqlRows({ ...driver, close }, places);
}

/** The driver for whoever asks past the rows, which nobody may do while another thread uses it. */
function whenBack(driver: SqlDriver, rows: SqlRows): Pick<SqlDriver, "exec" | "prepare"> {
  const look = (): void => {
    if (rows.isAway()) throw new Error("bug: a ledger is asked while another thread uses it");
  };
  return {
    exec(sql) {
      look();
      driver.exec(sql);
    },
    prepare(sql) {
      look();
      return driver.prepare(sql);
    },
  };
}

/** A copy starts without a checkpoint, whose file is not copied, and whose places a copy may number anew. */
async function copyTo(rows: SqlRows, path: string): Promise<void> {
  await rows.copyTo(path);
  const copy = openLibsql(path);
  try {
    for (const sql of FORGET_CHECKPOINT) copy.exec(sql);
  } finally {
    copy.close();
  }
}

/**
 * Gives up the lock and closes. Closing alone would not do: the library keeps the connection, and so the lock, for
 * as long as a statement of it has not been collected. Folding the log into the file leaves one file behind.
 */
function unlockAndClose(driver: SqlDriver): void {
  for (const sql of ["ROLLBACK", "PRAGMA journal_mode = DELETE", "PRAGMA locking_mode = NORMAL", COUNT_OBJECTS]) {
    try {
      driver.exec(sql);
    } catch {
      // No transaction was open, or the file cannot be written: a log beside it is folded in by the next opening.
    }
  }
  driver.close();
}

function failed(code: LedgerFailure["code"], reason: string): LedgerResult {
  return { ok: false, error: { code, reason } };
}
