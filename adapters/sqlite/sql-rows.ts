/**
 * Rows in an SQL database that is driven synchronously: one commit is one transaction.
 * Not here: how the database is opened and locked (ledger.ts, sqljs.ts).
 */
import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { StoreFailure, StoreRow, StoreWrite } from "../../core/ports/store.ts";
import type { Outcome, RowPage, Rows } from "../store/row-store.ts";
import { broken, PAGE_BYTES_MAX, PAGE_ROWS_MAX } from "../store/row-store.ts";
import type { Places } from "./places.ts";
import { openPlaces } from "./places.ts";
import { ADD_TABLE, COUNT_ROWS, LIST_TABLES, PAGE_END, PAGE_REST, PAGE_UNTIL, PUT_ROW, REMOVE_ROW } from "./schema.ts";
import type { SqlDriver, SqlStatement, SqlValue } from "./sql-driver.ts";

/** A row that is written and removed to find out whether there is room; no table of a node is called so. */
const ROOM = { table: "room", key: "" };
/** Bytes of it: more than the commits of an ordinary second. Source: DESIGN "Work at once". */
const ROOM_BYTES = 1 << 20;

/** So much of a key is shown to an operator. */
const SHOWN_BYTES = 128;

/** The rows of an open database whose tables exist; `places` say where the next one goes. */
export function openSqlRows(driver: SqlDriver, places: Places = openPlaces(driver)): SqlRows {
  return new SqlRows(driver, places);
}

/** What an SQL library said, as the store says it. */
export function storeFailure(error: unknown): StoreFailure {
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code.startsWith("SQLITE_FULL") || reason.includes("disk is full")) return { code: "full" };
  return { code: "broken", reason: code === "" ? reason : `${reason} (${code})` };
}

/** Rows of a database, which another thread may use. */
export class SqlRows implements Rows {
  readonly #driver: SqlDriver;
  readonly #places: Places;
  readonly #statements = new Map<string, SqlStatement>();
  /** The numbers of the tables; empty when they have to be read again. */
  #ids: Map<string, number> | undefined;
  /** A rollback failed, so a transaction may still be open. */
  #unfinished = false;
  #isAway = false;
  /** What waits until that has ended. */
  #waiting: (() => void)[] = [];

  constructor(driver: SqlDriver, places: Places) {
    this.#driver = driver;
    this.#places = places;
  }

  commit(writes: readonly StoreWrite[]): Outcome<null> {
    if (writes.length > 0) return this.#commit(writes);
    const room = this.#commit([{ ...ROOM, bytes: new Uint8Array(ROOM_BYTES) }]);
    return room.ok ? this.#commit([{ ...ROOM, bytes: null }]) : room;
  }

  /** Rows are written here, and made durable on a thread of the library: that is what takes a disk its time. */
  commitLater(writes: readonly StoreWrite[], done: (outcome: Outcome<null>) => void): void {
    const { execLater } = this.#driver;
    if (execLater === undefined || writes.length === 0) return done(this.commit(writes));
    const problem = this.#attempt(() => this.#begin(writes));
    if (problem !== undefined) return done(problem);
    this.#away(execLater("COMMIT"), (failure) => {
      this.#unfinished = failure !== undefined;
      if (failure !== undefined) this.#giveUp();
      done(failure === undefined ? { ok: true, value: null } : { ok: false, error: storeFailure(failure.error) });
    });
  }

  /** Writes a copy on a thread of the library, where it has one. Fails with what the library says. */
  async copyTo(path: string): Promise<void> {
    const { exec, execLater } = this.#driver;
    const copy = `VACUUM INTO '${path.replaceAll("'", "''")}'`;
    this.#rollBackUnfinished();
    if (execLater === undefined) return exec(copy);
    return new Promise((resolve, reject) => {
      this.#away(execLater(copy), (failure) => (failure === undefined ? resolve() : reject(failure.error)));
    });
  }

  /** Whether the database is used on another thread: it may not be asked for anything. */
  isAway(): boolean {
    return this.#isAway;
  }

  /** Acts at once, or when what is done on the other thread has ended, before anything else is. */
  whenBack(act: () => void): void {
    if (this.#isAway) this.#waiting.push(act);
    else act();
  }

  /** What is done on the other thread, what then is told of it, and what waited. */
  #away(work: Promise<void>, ended: (failure?: { readonly error: unknown }) => void): void {
    this.#isAway = true;
    const back = (failure?: { readonly error: unknown }): void => {
      this.#isAway = false;
      ended(failure);
      while (!this.#isAway && this.#waiting.length > 0) this.#waiting.shift()?.();
    };
    work.then(
      () => back(),
      (error: unknown) => back({ error }),
    );
  }

  #commit(writes: readonly StoreWrite[]): Outcome<null> {
    const problem = this.#attempt(() => {
      this.#begin(writes);
      this.#driver.exec("COMMIT");
      this.#unfinished = false;
    });
    return problem ?? { ok: true, value: null };
  }

  #begin(writes: readonly StoreWrite[]): void {
    this.#rollBackUnfinished();
    this.#driver.exec("BEGIN IMMEDIATE");
    this.#unfinished = true;
    for (const write of writes) this.#write(write);
    this.#places.finish();
  }

  /** What went wrong, if anything did: then nothing was written. */
  #attempt(act: () => void): Outcome<never> | undefined {
    try {
      act();
      return undefined;
    } catch (error) {
      this.#giveUp();
      return { ok: false, error: storeFailure(error) };
    }
  }

  #giveUp(): void {
    this.#ids = undefined;
    this.#places.giveUp();
    try {
      this.#rollBackUnfinished();
    } catch {
      // The next call tries again; nothing is written before that succeeds.
    }
  }

  *pages(): Generator<Outcome<RowPage>, undefined> {
    let at = "the list of tables";
    let loaded = 0;
    try {
      this.#rollBackUnfinished();
      for (const [name, id] of this.#readIds()) {
        at = `table ${name}`;
        for (const page of this.#pagesOf(name, id)) {
          const last = page.ok ? page.value.rows.at(-1) : undefined;
          if (page.ok) loaded += page.value.rows.length;
          if (last !== undefined) at = `table ${name}, after row ${shown(Buffer.from(last.key))}`;
          yield page;
          if (!page.ok) return undefined;
        }
      }
    } catch (error) {
      const failure = storeFailure(error);
      return yield {
        ok: false,
        error: "reason" in failure ? { ...failure, reason: `${at}: ${failure.reason}` } : failure,
      };
    }
    // A page of the index of which some entries are lost reads as if there were no more.
    yield this.#counted(loaded);
    return undefined;
  }

  /** The last page, if as many rows were loaded as there are. */
  #counted(loaded: number): Outcome<RowPage> {
    try {
      const rows = Number(this.#statement(COUNT_ROWS).all([])[0]?.[0]);
      if (rows === loaded) return { ok: true, value: { rows: [], last: true } };
      return broken(`the index of rows has ${loaded}, the table ${rows}`);
    } catch (error) {
      return { ok: false, error: storeFailure(error) };
    }
  }

  close(): void {
    this.#statements.clear();
    this.#driver.close();
  }

  *#pagesOf(table: string, id: number): Generator<Outcome<RowPage>, undefined> {
    let from: string | undefined = "";
    while (from !== undefined) {
      const found: SqlValue | undefined = this.#statement(PAGE_END).all([
        id,
        from,
        PAGE_ROWS_MAX,
        PAGE_BYTES_MAX,
      ])[0]?.[0];
      const end: string | undefined = found === undefined ? undefined : textOf(found);
      const rows =
        end === undefined
          ? this.#statement(PAGE_REST).all([id, from])
          : this.#statement(PAGE_UNTIL).all([id, from, end]);
      if (rows.length > 0) yield pageOf(table, rows);
      // In byte order nothing lies between a text and the same text followed by NUL.
      from = end === undefined ? undefined : `${end}\u0000`;
    }
    return undefined;
  }

  #write({ table, key, bytes }: StoreWrite): void {
    const id = this.#idOf(table, bytes !== null);
    if (id === undefined) return;
    const place = this.#places.next();
    if (bytes !== null) return this.#statement(PUT_ROW).run([place, id, key, bytes, checksum(key, bytes)]);
    this.#statement(REMOVE_ROW).run([id, key]);
    this.#places.noteRemoval(place, id, key);
  }

  #idOf(table: string, add: boolean): number | undefined {
    const ids = this.#ids ?? this.#readIds();
    this.#ids = ids;
    if (!ids.has(table) && add) {
      this.#statement(ADD_TABLE).run([table]);
      this.#ids = this.#readIds();
    }
    return this.#ids.get(table);
  }

  /** In byte order of name. */
  #readIds(): Map<string, number> {
    return new Map(
      this.#statement(LIST_TABLES)
        .all([])
        .map(([id, name]) => [textOf(name), Number(id)]),
    );
  }

  #statement(sql: string): SqlStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#driver.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #rollBackUnfinished(): void {
    if (!this.#unfinished) return;
    try {
      this.#driver.exec("ROLLBACK");
    } catch (error) {
      // After some failures (a full disk, say) SQLite has rolled back by itself.
      if (!String(error).includes("no transaction is active")) throw error;
    }
    this.#unfinished = false;
  }
}

/** Reads rows of a table; fails at the first that is not what was written. */
export function pageOf(table: string, found: readonly (readonly SqlValue[])[]): Outcome<RowPage> {
  const rows: StoreRow[] = [];
  for (const [name, bytes, crc] of found) {
    // A column of no bytes at all may come as null.
    const key = bytesOf(name);
    const value = bytesOf(bytes);
    if (!isUtf8(key) || checksum(key, value) !== crc) {
      return broken(`table ${table}, row ${shown(key)} does not match its checksum`);
    }
    // A plain view: a Buffer's `slice` shares memory where that of a Uint8Array copies.
    const plain = new Uint8Array(value.buffer, value.byteOffset, value.length);
    rows.push({ table, key: Buffer.from(key).toString("utf8"), bytes: plain });
  }
  return { ok: true, value: { rows, last: false } };
}

/** Finds a row whose bytes changed by themselves; SQLite keeps no checksum of what lies in its pages. */
export function checksum(key: string | Uint8Array, bytes: Uint8Array): number {
  // For no bytes at all the runtime's crc32 may forget the value it was given.
  const ofKey = key.length === 0 ? 0 : crc32(key);
  return bytes.length === 0 ? ofKey : crc32(bytes, ofKey);
}

/** A text column, whose bytes are asked for (schema.ts). */
export function textOf(value: SqlValue | undefined): string {
  const bytes = bytesOf(value);
  if (!isUtf8(bytes)) throw new Error(`${shown(bytes)} is not UTF-8`);
  return Buffer.from(bytes).toString("utf8");
}

function bytesOf(value: SqlValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(String(value ?? ""), "utf8");
}

/** A key for people: its beginning, with what is no text replaced. */
function shown(key: Uint8Array): string {
  return JSON.stringify(Buffer.from(key.subarray(0, SHOWN_BYTES)).toString("utf8"));
}
