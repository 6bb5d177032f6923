/**
 * SQLite in a file that nobody else can find: its name is taken away as soon as it is open, so that nothing is left of
 * it when the process ends, however that ends. For simulated nodes, whose disks decide themselves what survives.
 * Not here: a ledger that outlives its process (ledger.ts).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rows } from "../store/row-store.ts";
import { openLibsql } from "./libsql-driver.ts";
import { CREATE_TABLES } from "./schema.ts";
import { openSqlRows } from "./sql-rows.ts";

/** A journal in a file could not be made in a folder that is gone, and nothing is to survive here. */
const SETTINGS = ["PRAGMA journal_mode = MEMORY", "PRAGMA synchronous = OFF", "PRAGMA temp_store = MEMORY"];

/** Rows in a file of their own. Throws when the system has no room for one. */
export function openScratchRows(): Rows {
  const folder = mkdtempSync(join(tmpdir(), "ofs-rows-"));
  try {
    const driver = openLibsql(join(folder, "rows.db"));
    for (const statement of [...SETTINGS, ...CREATE_TABLES]) driver.exec(statement);
    return openSqlRows(driver);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
