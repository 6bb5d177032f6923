/**
 * Reads a damaged ledger row by row, each by its place in the file, so that one that cannot be read costs no other.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { StoreRow } from "../../core/ports/store.ts";
import { openLibsql } from "./libsql-driver.ts";
import { foreignLog, logDefect } from "./log-frames.ts";
import { LAST_PLACE, LIST_TABLES, NEXT_PLACE, ROW_AT } from "./schema.ts";
import type { SqlDriver, SqlStatement } from "./sql-driver.ts";
import { pageOf, textOf } from "./sql-rows.ts";

/** What lies beside a file and belongs to it. */
const ENDS = ["", "-wal", "-journal"];

/** Every row that can still be read of a copy of a file in `folder`, and a line for each that cannot. */
export function* salvaged(path: string, folder: string): Generator<StoreRow | string> {
  const copies = mkdtempSync(join(folder, "damaged-"));
  const copy = join(copies, basename(path));
  try {
    const foreign = foreignLog(path);
    const defect = foreign === undefined ? logDefect(path) : `${foreign} is of another file, and was left out`;
    if (defect !== undefined) yield defect;
    for (const end of ENDS) if (existsSync(path + end) && path + end !== foreign) copyFileSync(path + end, copy + end);
    yield* rowsOf(openLibsql(copy));
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

/** Closes the database in the end. */
function* rowsOf(driver: SqlDriver): Generator<StoreRow | string> {
  try {
    const listed = driver.prepare(LIST_TABLES).all([]);
    const names = new Map(listed.map(([id, name]) => [Number(id), textOf(name)]));
    const last = Number(driver.prepare(LAST_PLACE).all([])[0]?.[0] ?? 0);
    const [reading, next] = [driver.prepare(ROW_AT), driver.prepare(NEXT_PLACE)];
    for (let place = placeAfter(next, 0); place <= last; place = placeAfter(next, place)) {
      const row = rowAt(names, place, () => reading.all([place]));
      if (row !== undefined) yield row;
    }
  } finally {
    driver.close();
  }
}

/** The next place with a row, or the very next where that cannot be told. */
function placeAfter(next: SqlStatement, place: number): number {
  try {
    return Number(next.all([place])[0]?.[0] ?? Number.POSITIVE_INFINITY);
  } catch {
    return place + 1;
  }
}

function rowAt(
  names: ReadonlyMap<number, string>,
  place: number,
  read: () => ReturnType<ReturnType<SqlDriver["prepare"]>["all"]>,
): StoreRow | string | undefined {
  try {
    const [found] = read();
    if (found === undefined) return undefined;
    const [id, ...columns] = found;
    const table = names.get(Number(id));
    if (table === undefined) return `place ${place}: no table has number ${id}`;
    const page = pageOf(table, [columns]);
    if (page.ok) return page.value.rows[0];
    return `place ${place}: ${page.error.code === "broken" ? page.error.reason : page.error.code}`;
  } catch (error) {
    return `place ${place}: ${(error as Error).message}`;
  }
}
