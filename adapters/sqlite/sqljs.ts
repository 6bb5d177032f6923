/**
 * SQLite in memory (sql.js): a real database for a simulated node or a browser. What it holds can be taken out as
 * the bytes of a database file and opened again.
 * Not here: how a simulated disk fails; give `openSqljsRows` to the disk of adapters/memory for that.
 */
import initSqlJs from "sql.js";
import type { StorePort } from "../../core/ports/store.ts";
import type { Rows, StoreSchedule } from "../store/row-store.ts";
import { openRowStore } from "../store/row-store.ts";
import { APPLICATION_ID, CREATE_TABLES } from "./schema.ts";
import type { SqlDriver, SqlStatement } from "./sql-driver.ts";
import { openSqlRows } from "./sql-rows.ts";

/** Rows in a database that can be taken out as a file. */
export interface SqljsRows extends Rows {
  /** The bytes of a database file with everything committed so far. Not to be called after `close`. */
  readonly exported: () => Uint8Array;
}

/** The rows of a store, and when operations are carried out. */
export interface SqljsStoreOptions {
  readonly rows: SqljsRows;
  /** When an operation is carried out; as soon as the call has returned, unless told otherwise. */
  readonly schedule?: StoreSchedule;
}

/** What a database starts with. */
export interface SqljsOptions {
  /** A database file, as `exported` gives it; a new database without it. */
  readonly bytes?: Uint8Array;
  /** Stands between the rows and the library; for tests. */
  readonly between?: (driver: SqlDriver) => SqlDriver;
}

/** Rows in a database in memory. Throws when the bytes are no database of ours. */
export async function openSqljsRows({ bytes, between }: SqljsOptions = {}): Promise<SqljsRows> {
  const sql = await initSqlJs();
  const database = new sql.Database(bytes ?? null);
  const plain = driverOf(database);
  const driver = between?.(plain) ?? plain;
  if (bytes === undefined) for (const statement of CREATE_TABLES) plain.exec(statement);
  else if (plain.prepare("PRAGMA application_id").all([])[0]?.[0] !== APPLICATION_ID) {
    database.close();
    throw new Error("the bytes are not a ledger of this program");
  }
  let rows = openSqlRows(driver);
  return {
    commit: (writes) => rows.commit(writes),
    pages: () => rows.pages(),
    close: () => rows.close(),
    exported: () => {
      const file = database.export();
      // The library reopens the database for this and frees every prepared statement.
      rows = openSqlRows(driver);
      return file;
    },
  };
}

/** The store port over such rows. */
export function openSqljsStore({ rows, schedule = soon }: SqljsStoreOptions): StorePort {
  return openRowStore(rows, schedule);
}

function soon(_operation: unknown, perform: () => void): void {
  queueMicrotask(perform);
}

type SqljsDatabase = InstanceType<Awaited<ReturnType<typeof initSqlJs>>["Database"]>;

/** sql.js as the driver of sql-rows.ts. */
function driverOf(database: SqljsDatabase): SqlDriver {
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    prepare: (sql) => statementOf(database, sql),
    close: () => database.close(),
  };
}

function statementOf(database: SqljsDatabase, sql: string): SqlStatement {
  const statement = database.prepare(sql);
  return {
    run: (values) => statement.run([...values]),
    all: (values) => {
      statement.bind([...values]);
      const rows = [];
      while (statement.step()) rows.push(statement.get());
      statement.reset();
      return rows;
    },
  };
}
