/**
 * Reads a damaged ledger row by row, each by its place in the file, so that one that cannot be read costs no other.
 */
import type { StoreRow } from "../../core/ports/store.ts";
import { LAST_PLACE, LIST_TABLES, NEXT_PLACE, ROW_AT } from "./schema.ts";
import type { SqlDriver, SqlStatement } from "./sql-driver.ts";
import { pageOf, textOf } from "./sql-rows.ts";

/** Every row that can still be read, and a line for each that cannot. Closes the database in the end. */
export function* salvaged(driver: SqlDriver): Generator<StoreRow | string> {
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
