/**
 * What changed in a ledger since a checkpoint, in the order in which it did, and the checkpoint that the ledger names.
 * The name is written with the rows, so a ledger that is put back from a copy names the checkpoint of its own past, and
 * whatever lies beside it under another name is none of its own.
 * Not here: what a checkpoint is (core/engine/checkpoint.ts), the file that holds it (checkpoint-file.ts).
 */
import { isUtf8 } from "node:buffer";
import type { Result } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import type { StoreWrite } from "../../core/ports/store.ts";
import type { Places } from "./places.ts";
import { removalChecksum } from "./places.ts";
import {
  COUNT_REMOVALS_BEHIND,
  FORGET_CHECKPOINT,
  FORGET_REMOVALS,
  LIST_TABLES,
  NAME_CHECKPOINT,
  NAMED_CHECKPOINT,
  REMOVALS_BETWEEN,
  ROWS_BETWEEN,
  SIZES_BEHIND,
  SUM_OF_INDEX,
  SUM_OF_ROWS,
} from "./schema.ts";
import type { SqlDriver } from "./sql-driver.ts";
import { pageOf, textOf } from "./sql-rows.ts";

/** A checkpoint as a ledger names it. */
export interface NamedCheckpoint {
  /** The place of the newest change that it holds. */
  readonly place: number;
  /** How many rows it holds. */
  readonly rows: number;
  /** The hash of its file, in hexadecimal digits. */
  readonly hash: string;
}

/** A change, and its place. */
export interface LedgerChange extends StoreWrite {
  readonly place: number;
}

/** Changes in order, and how far they go. */
export interface ChangesPage {
  readonly changes: readonly LedgerChange[];
  /** Whoever has these asks for what lies behind this place. */
  readonly place: number;
  /** Whether nothing lies behind it now. */
  readonly last: boolean;
}

/** The changes of an open ledger. All of it answers at once, and is never asked within a commit. */
export interface LedgerChanges {
  /** Acts at once, or when the commit or the copy that is under way has ended, before the next one. */
  betweenCommits(act: () => void): void;
  /** The place of the newest change. */
  newest(): number;
  /** Some of what was written, and if asked for removed, behind a place; or what is damaged, in one line. */
  behind(place: number, kinds: "rows" | "all"): Result<ChangesPage, string>;
  /** What is wrong with the rows and removals behind the named checkpoint, if anything is. */
  defect(): string | undefined;
  /** Keeps removals from now on, whether a checkpoint is named or not. */
  keepRemovals(): void;
  named(): NamedCheckpoint | undefined;
  /** Names a checkpoint in the place of the last one, durably; nothing for none. What went before it is forgotten. */
  name(checkpoint: NamedCheckpoint | undefined): Result<null, string>;
}

/** Bounds of one page, which nothing else waits for noticeably. Source: DESIGN "Work at once". */
const CHANGES_AT_ONCE = 128;
const BYTES_AT_ONCE = 1 << 20;

type AskedDriver = Pick<SqlDriver, "exec" | "prepare">;

/** The changes of a database whose tables exist. */
export function openChanges(
  driver: AskedDriver,
  places: Places,
  betweenCommits: LedgerChanges["betweenCommits"],
): LedgerChanges {
  return {
    betweenCommits,
    newest: places.newest,
    keepRemovals: () => places.keep(true),
    behind: (place, kinds) => caught(() => pageBehind(driver, places, place, kinds)),
    defect() {
      const found = caught(() => ok(defectOf(driver)));
      return found.ok ? found.value : found.error;
    },
    named() {
      const found = caught(() => ok(namedBy(driver)));
      return found.ok ? found.value : undefined;
    },
    name(checkpoint) {
      const named = caught(() => nameIn(driver, checkpoint));
      if (named.ok) places.keep(checkpoint !== undefined);
      return named;
    },
  };
}

function pageBehind(
  driver: AskedDriver,
  places: Places,
  place: number,
  kinds: "rows" | "all",
): Result<ChangesPage, string> {
  const tables = new Map(
    driver
      .prepare(LIST_TABLES)
      .all([])
      .map(([id, name]) => [Number(id), textOf(name)]),
  );
  const newest = places.newest();
  const end = endBehind(driver, place) ?? newest;
  const rows = rowsBetween(driver, tables, place, end);
  if (!rows.ok || kinds === "rows")
    return rows.ok ? ok({ changes: rows.value, place: end, last: end >= newest }) : rows;
  const removals = removalsBetween(driver, tables, place, end);
  if (!removals.ok) return removals;
  // Of more removals than a page has, the others come with the next page, and the rows among them.
  const isAll = removals.value.length < CHANGES_AT_ONCE;
  const until = isAll ? end : (removals.value.at(-1)?.place ?? end);
  const changes = [...removals.value, ...rows.value.filter((row) => row.place <= until)];
  changes.sort((a, b) => a.place - b.place);
  return ok({ changes, place: until, last: until >= newest });
}

/** The last place of a page of rows; nothing when the rows behind a place are fewer. */
function endBehind(driver: AskedDriver, place: number): number | undefined {
  const sizes = driver.prepare(SIZES_BEHIND).all([place, CHANGES_AT_ONCE]);
  let [end, bytes]: [number | undefined, number] = [undefined, 0];
  for (const [at, size] of sizes) {
    bytes += Number(size);
    if (end !== undefined && bytes > BYTES_AT_ONCE) return end;
    end = Number(at);
  }
  return sizes.length < CHANGES_AT_ONCE ? undefined : end;
}

function rowsBetween(
  driver: AskedDriver,
  tables: ReadonlyMap<number, string>,
  from: number,
  end: number,
): Result<LedgerChange[], string> {
  const changes: LedgerChange[] = [];
  for (const [place, id, ...columns] of driver.prepare(ROWS_BETWEEN).all([from, end])) {
    const table = tables.get(Number(id));
    if (table === undefined) return err(`no table has number ${id}`);
    const page = pageOf(table, [columns]);
    const row = page.ok ? page.value.rows[0] : undefined;
    if (row === undefined) return err(`a row of table ${table} does not match its checksum`);
    changes.push({ ...row, place: Number(place) });
  }
  return ok(changes);
}

function removalsBetween(
  driver: AskedDriver,
  tables: ReadonlyMap<number, string>,
  from: number,
  end: number,
): Result<LedgerChange[], string> {
  const changes: LedgerChange[] = [];
  for (const [place, id, name, crc] of driver.prepare(REMOVALS_BETWEEN).all([from, end, CHANGES_AT_ONCE])) {
    const [table, key] = [tables.get(Number(id)), name instanceof Uint8Array ? name : new Uint8Array(0)];
    if (table === undefined || !isUtf8(key) || removalChecksum(Number(place), Number(id), key) !== crc)
      return err("a removed row does not match its checksum");
    changes.push({ table, key: Buffer.from(key).toString("utf8"), bytes: null, place: Number(place) });
  }
  return ok(changes);
}

interface Named extends NamedCheckpoint {
  readonly removals: number;
}

function namedBy(driver: AskedDriver): Named | undefined {
  const [found] = driver.prepare(NAMED_CHECKPOINT).all([]);
  if (found === undefined) return undefined;
  const [place, rows, hash, removals] = found;
  return { place: Number(place), rows: Number(rows), hash: textOf(hash), removals: Number(removals) };
}

function nameIn(driver: AskedDriver, checkpoint: NamedCheckpoint | undefined): Result<null, string> {
  driver.exec("BEGIN IMMEDIATE");
  try {
    if (checkpoint === undefined) for (const sql of FORGET_CHECKPOINT) driver.exec(sql);
    else {
      driver.prepare(FORGET_REMOVALS).run([checkpoint.place]);
      driver.prepare(NAME_CHECKPOINT).run([checkpoint.place, checkpoint.rows, checkpoint.hash]);
    }
    driver.exec("COMMIT");
    return ok(null);
  } catch (error) {
    try {
      driver.exec("ROLLBACK");
    } catch {
      // After some failures (a full disk, say) SQLite has rolled back by itself.
    }
    throw error;
  }
}

/**
 * A row whose place changed by itself could lie where nobody asks for it: the index has each row's place as well, and
 * removals are counted beside the name.
 */
function defectOf(driver: AskedDriver): string | undefined {
  const checkpoint = namedBy(driver);
  if (checkpoint === undefined) return undefined;
  const sumOf = (sql: string) =>
    JSON.stringify(
      driver
        .prepare(sql)
        .all([checkpoint.place])
        .map(([n, sum]) => [n, textOf(sum)]),
    );
  if (sumOf(SUM_OF_ROWS) !== sumOf(SUM_OF_INDEX)) return "the rows behind it are not those of their index";
  const [kept] = driver.prepare(COUNT_REMOVALS_BEHIND).all([checkpoint.place]);
  return Number(kept?.[0]) === checkpoint.removals ? undefined : "removals behind it are missing";
}

function caught<T>(act: () => Result<T, string>): Result<T, string> {
  try {
    return act();
  } catch (error) {
    return err((error as Error).message);
  }
}
