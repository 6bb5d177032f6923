/**
 * The store of simulated nodes: rows in maps, and a disk that keeps them while nodes come and go.
 * The disk has no clock and no randomness; who opens a store says when an operation ends and how.
 * A torn transaction needs no case of its own: a log with checksums discards it whole, so it is a lost one.
 */
import type { StoreFailure, StorePort, StoreRow, StoreWrite } from "../../core/ports/store.ts";
import type { Outcome, RowPage, Rows, StoreOperation } from "../store/row-store.ts";
import { openRowStore, PAGE_BYTES_MAX, PAGE_ROWS_MAX } from "../store/row-store.ts";

/** How an operation ends. */
export type DiskOutcome =
  | { readonly type: "done" }
  /** A commit is reported durable, but power loss before the next real commit may take it back. */
  | { readonly type: "unsynced" }
  | { readonly type: "failed"; readonly failure: StoreFailure };

/** Decides when an operation ends and how; `end` may be called later, or never. */
export type DiskSchedule = (operation: StoreOperation, end: (outcome: DiskOutcome) => void) => void;

/** The disk that outlives the store, and when its operations are carried out. */
export interface MemoryStoreOptions {
  readonly schedule: DiskSchedule;
}

/** What a disk remembers besides its rows: plain values. */
export interface HeldDisk {
  /** Commits that were reported, or are being written, and are not yet safe from power loss; oldest first. */
  unsynced: (readonly StoreWrite[])[];
  writing: readonly StoreWrite[] | undefined;
  /** Pages that the load under way has given. */
  given: number;
}

/** What survives its nodes. At most one store is open on a disk at a time. */
export class MemoryDisk {
  readonly #rows: Rows;
  readonly #held: HeldDisk;
  /** The life that holds the disk; a dead one is never answered again. */
  #life: { dead: boolean } | undefined;

  constructor(rows: Rows, held: HeldDisk) {
    this.#rows = rows;
    this.#held = held;
  }

  /** How many commits a crash at this moment may take back, the one being written included. */
  get atRisk(): number {
    return this.#held.unsynced.length + (this.#held.writing === undefined ? 0 : 1);
  }

  /**
   * The node dies at this moment: whatever its store was asked is never answered. Of the commits at risk the
   * oldest `survivors` stay: all of them when only the process died, fewer when the power did. Returns how many
   * commits are lost.
   */
  crash(survivors: number): number {
    const { unsynced, writing } = this.#held;
    const atRisk = writing === undefined ? unsynced : [...unsynced, writing];
    for (const writes of atRisk.slice(0, survivors)) mustKeep(this.#rows.commit(writes));
    Object.assign(this.#held, emptyDisk());
    if (this.#life !== undefined) this.#life.dead = true;
    this.#life = undefined;
    return Math.max(0, atRisk.length - survivors);
  }

  /** Opens the store of a node. */
  open(options: MemoryStoreOptions): StorePort {
    if (this.#life !== undefined) throw new Error("the disk is in use: close its store or crash it first");
    const life = { dead: false };
    this.#life = life;
    let outcome: DiskOutcome = { type: "done" };
    const rows: Rows = {
      commit: (writes) => this.#commit(writes, outcome),
      pages: () => this.#pages(() => outcome),
      close: () => this.#close(),
    };
    return openRowStore(rows, (operation, perform) => {
      if (operation.type === "commit") this.#held.writing = operation.writes;
      options.schedule(operation, (ended) => {
        if (life.dead) return;
        outcome = ended;
        perform();
      });
    });
  }

  #commit(writes: readonly StoreWrite[], outcome: DiskOutcome): Outcome<null> {
    this.#held.writing = undefined;
    if (outcome.type === "failed") return { ok: false, error: outcome.failure };
    this.#held.unsynced.push(writes);
    return outcome.type === "unsynced" ? { ok: true, value: null } : this.#sync();
  }

  /** Makes safe what was reported before: a real sync of a file covers everything written to it. */
  #sync(): Outcome<null> {
    const writes = this.#held.unsynced.flat();
    this.#held.unsynced = [];
    return this.#rows.commit(writes);
  }

  /**
   * Reads see what was reported, synced or not. Reading a disk first makes safe what it holds. A load that goes on
   * from what a disk held begins behind the pages that it gave.
   */
  *#pages(outcome: () => DiskOutcome): Generator<Outcome<RowPage>, undefined> {
    const synced = this.#sync();
    if (!synced.ok) return yield synced;
    const pages = this.#rows.pages();
    for (let skipped = 0; skipped < this.#held.given; skipped++) pages.next();
    for (let page = pages.next(); page.done !== true; page = pages.next()) {
      const ended = outcome();
      const goesOn = ended.type !== "failed" && page.value.ok && !page.value.value.last;
      this.#held.given = goesOn ? this.#held.given + 1 : 0;
      yield ended.type === "failed" ? { ok: false, error: ended.failure } : page.value;
    }
    return undefined;
  }

  #close(): void {
    mustKeep(this.#sync());
    // A load that this ended goes on no more.
    this.#held.given = 0;
    this.#life = undefined;
  }
}

/** A disk that holds nothing yet, or the rows given: `openMemoryRows()` by default, or a database in memory. */
export function openMemoryDisk(rows: Rows = openMemoryRows(), held: HeldDisk = emptyDisk()): MemoryDisk {
  return new MemoryDisk(rows, held);
}

/** What a disk remembers that was asked nothing yet. */
export function emptyDisk(): HeldDisk {
  return { unsynced: [], writing: undefined, given: 0 };
}

/** The store of one life of a node. `close` it, or `crash` its disk, before the next. */
export function openMemoryStore(disk: MemoryDisk, options: MemoryStoreOptions): StorePort {
  return disk.open(options);
}

/** Rows by table and key. */
export type HeldRows = Map<string, Map<string, HeldRow>>;

/**
 * A row: its bytes as they came, not copied, since thousands of nodes share them; or, of a short one, a text of a
 * character a byte. What is short is mostly one node's alone, and an array takes some 300 bytes beside what it holds.
 */
export type HeldRow = Uint8Array | string;

/** Bytes of the longest row that is held as a text. */
const SHORT_BYTES = 256;

/** A row as it is held. */
export function heldRow(bytes: Uint8Array): HeldRow {
  return bytes.length > SHORT_BYTES ? bytes : String.fromCharCode(...bytes);
}

/** The bytes of a row that is held. */
export function bytesOfRow(row: HeldRow): Uint8Array {
  if (typeof row !== "string") return row;
  const bytes = new Uint8Array(row.length);
  for (let at = 0; at < row.length; at += 1) bytes[at] = row.charCodeAt(at);
  return bytes;
}

/** Rows in maps. */
export function openMemoryRows(tables: HeldRows = new Map()): Rows {
  return {
    commit: (writes) => {
      for (const { table, key, bytes } of writes) put(tables, table, key, bytes);
      return { ok: true, value: null };
    },
    pages: () => pagesOf(tables),
    close: () => undefined,
  };
}

function put(tables: HeldRows, table: string, key: string, bytes: Uint8Array | null): void {
  const rows = tables.get(table) ?? new Map<string, HeldRow>();
  if (bytes === null) rows.delete(key);
  else rows.set(key, heldRow(bytes));
  if (rows.size === 0) tables.delete(table);
  else tables.set(table, rows);
}

function* pagesOf(tables: HeldRows): Generator<Outcome<RowPage>, undefined> {
  let rows: StoreRow[] = [];
  let size = 0;
  for (const [table, byKey] of sorted(tables)) {
    for (const [key, row] of sorted(byKey)) {
      const bytes = bytesOfRow(row);
      if (rows.length === PAGE_ROWS_MAX || (rows.length > 0 && size + bytes.length > PAGE_BYTES_MAX)) {
        yield { ok: true, value: { rows, last: false } };
        rows = [];
        size = 0;
      }
      rows.push({ table, key, bytes });
      size += bytes.length;
    }
  }
  yield { ok: true, value: { rows, last: true } };
  return undefined;
}

function sorted<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => compareUtf8(a, b));
}

/** Byte order of UTF-8, without encoding: surrogates stand for what lies above all other code units. */
function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Rows in memory cannot fail; if they do, the simulation is wrong. */
function mustKeep(outcome: Outcome<null>): void {
  if (!outcome.ok) throw new Error(`the simulated disk lost rows: ${outcome.error.code}`);
}
