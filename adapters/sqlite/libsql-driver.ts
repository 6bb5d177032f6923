/**
 * The libsql library as the driver of sql-rows.ts. Its statements are given their values as one array: a lone
 * byte array would be read as named parameters, which ends the process. Nothing may be called after `close`.
 */
import Database from "libsql";
import PromiseDatabase from "libsql/promise";
import type { SqlDriver, SqlStatement, SqlValue } from "./sql-driver.ts";

/** Both classes of the library hold a connection in the same way; this one's `exec` is carried out on a thread. */
const execOnThread: (this: Database.Database, sql: string) => Promise<void> = PromiseDatabase.prototype.exec;

/** Opens or creates the database file. Throws when the file cannot be opened. */
export function openLibsql(path: string): SqlDriver {
  const database = new Database(path);
  return {
    exec: (sql) => {
      database.exec(sql);
    },
    execLater: (sql) => execOnThread.call(database, sql),
    prepare: (sql) => statementOf(database, sql),
    close: () => {
      database.close();
    },
  };
}

function statementOf(database: Database.Database, sql: string): SqlStatement {
  const statement = database.prepare<SqlValue[][]>(sql);
  let raw = false;
  return {
    run: (values) => {
      statement.run([...values]);
    },
    all: (values) => {
      if (!raw) statement.raw(true);
      raw = true;
      return statement.all([...values]) as SqlValue[][];
    },
  };
}
