/**
 * The state: tables as maps, their indexes, and the three roots, kept current in time proportional
 * to the changes. `commit` is the only writer.
 * Source: CONVERGENCE "Roots": a root is the sum modulo 2^256 of SHA-256 over table, key and
 * compact record, each with its length before it; what is sealed counts in a root of its own.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import type { PagesPort } from "../ports/pages.ts";
import type { SharingPort } from "../ports/sharing.ts";
import { assert, known } from "./assert.ts";
import { bigEndian, concat, u32be } from "./bytes.ts";
import { compactWriter } from "./compact.ts";
import type { HeldRows, Owner } from "./held-rows.ts";
import {
  countAt,
  index,
  keysAt,
  NO_KEYS,
  noRows,
  order,
  orderedAt,
  ownedRows,
  putAway,
  takeBack,
  unpagedRows,
  withSealed,
} from "./held-rows.ts";
import type { IdentityNode, IdentityReader } from "./identity-tree.ts";
import { createIdentityTree, NO_IDENTITIES } from "./identity-tree.ts";
import type { Row } from "./packed-row.ts";
import { placesOfRow } from "./packed-row.ts";
import { pagesInMemory } from "./row-pages.ts";
import { isPaged, openSealedRows } from "./sealed-rows.ts";
import type { Change, DatedRule, Places, Reader, Root, Table, TypeRegistry } from "./table.ts";
import { BY_KEY, isShareable, NO_PLACES } from "./table.ts";
import { utf8 } from "./text.ts";

const ROOT_MASK = (1n << 256n) - 1n;
/** Sealed rows that one commit puts into pages: the next goes on. Source: DESIGN "Work at once". */
export const PUT_AWAY_AT_ONCE = 16;
const NO_BYTES = new Uint8Array(0);

/** All that a state consists of: plain values, so that it can be kept, sent and copied. */
export interface HeldStore {
  readonly owner: Owner;
  readonly roots: Roots;
  readonly identities: IdentityNode;
  readonly tables: Map<string, HeldRows>;
}

interface Counted {
  readonly table: Table<unknown>;
  /** The table's name as a root hashes it: its length before it. */
  readonly hashedName: Uint8Array;
}

/** Roots as sums; `rootText` spells one. */
export interface Roots {
  statements: bigint;
  facts: bigint;
  state: bigint;
  /** What is sealed, of all three. */
  archive: bigint;
}

/** Everything one node knows. Read it through `Reader`; only `commit` writes. */
export interface Store extends Reader {
  readonly roots: Readonly<Roots>;
  /** What peers compare: the identities that `roots.statements` counts, and those of statements that wait. */
  readonly identities: IdentityReader;
  commit(changes: readonly Change[]): void;
  /** What lives on in this state, not a copy of it. */
  held(): HeldStore;
  /** A state of its own that begins where this one is. What they share is copied when one of the two writes into it. */
  copy(): HeldStore;
}

/** What a state begins with, and whether its records have no end of life. */
export interface StoreOptions {
  /** What another state held: this one goes on from there. */
  readonly from?: HeldStore | undefined;
  readonly endless?: boolean;
  readonly amendments?: readonly DatedRule[] | undefined;
  readonly sharing?: SharingPort | undefined;
  /** What packed rows are read with: without it, sealed rows stay as they are. */
  readonly types?: TypeRegistry | undefined;
  /** Where sealed rows lie; in memory unless said. */
  readonly pages?: PagesPort | undefined;
}

/** An empty state, or one that goes on from what another held. */
export function openStore(
  crypto: CryptoPort,
  tables: readonly Table<unknown>[],
  { from, endless = false, amendments, sharing, types, pages }: StoreOptions = {},
): Store {
  const held = from ?? nothingHeld();
  const { roots, tables: rowsHeld } = held;
  const identities = createIdentityTree(crypto, held.identities);
  let { owner } = held;
  const makeKinds = () => kindsOf(tables);
  const { counted, compared, paged, seals, empty } =
    sharing === undefined ? makeKinds() : sharing.of(kindsOf, tables, makeKinds);
  const port = portFor(from, pages);
  /** Rows that were sealed and do not lie in pages yet, the first one first. */
  let queue: (readonly [table: string, key: string])[] = [];
  let next = 0;
  // A message is put together only where it is said: all are asked several times a step.
  const countedAs = (name: string): Counted => counted.get(name) ?? known<Counted>(undefined, `table ${name}`);
  // Most tables of most nodes are empty: those are one, until somebody writes into them.
  const rowsOf = (name: string): HeldRows => rowsHeld.get(name) ?? (countedAs(name) && empty);
  const ownRowsOf = (table: Table<unknown>): HeldRows => {
    const now = rowsOf(table.name);
    if (now.owner === owner) return now;
    const own = now.rows.size === 0 ? noRows(table, owner) : ownedRows(now, owner);
    rowsHeld.set(table.name, own);
    return own;
  };

  function write(into: Counted, { key, record, places }: Change): void {
    const { table } = into;
    const held = ownRowsOf(table);
    takeBack(table, held, key);
    const before = held.live.get(key);
    const now = record === undefined ? undefined : rowOf(into, key, record, places ?? table.placesOf(record, key));
    if (now === undefined) held.live.delete(key);
    else held.live.set(key, now);
    index(held, key, foundAt(table, key, before), foundAt(table, key, now));
    order(table, held, key, before?.record, record, sharing);
    recount(table, before, now);
    if (table.root === "seals") for (const each of counted.values()) recountSealed(each, key, now !== undefined);
    if (table.compared) compare(key);
    if (now?.isArchived === true || table.root === "seals") queuePaged(table.name, key);
  }

  function queuePaged(name: string, key: string): void {
    if (types !== undefined && paged.has(name)) queue.push([name, key]);
  }

  /** Some of what was sealed goes into pages. */
  function putSomeAway(): void {
    const some = queue.slice(next, next + PUT_AWAY_AT_ONCE);
    next += some.length;
    if (next === queue.length) [queue, next] = [[], 0];
    for (const [name, key] of some) {
      const { table } = countedAs(name);
      const row = rowsOf(name).live.get(key);
      if (types === undefined || row === undefined || (table.root !== "seals" && !row.isArchived)) continue;
      const held = ownRowsOf(table);
      const into = held.sealed === undefined ? withSealed(held, openSealedRows({ crypto, table, types, port })) : held;
      if (into !== held) rowsHeld.set(name, into);
      putAway(table, into, key, row);
    }
  }

  function rowOf(into: Counted, key: string, record: unknown, places: Places): Row {
    const { root } = into.table;
    if (!into.table.common) return { record, places: undefined, hash: 0n, isArchived: false };
    const isCounted = root !== "local" && root !== "seals";
    const hashOf = () => (isCounted ? rowHash(crypto, into, root, key, record) : 0n);
    const make = (): Row => ({ record, places, hash: hashOf(), isArchived: false });
    const row = sharedRow(sharing, into, { key, record }, make);
    return isSealed(into.table, key, record) ? { ...row, isArchived: true } : row;
  }

  /** Takes what a record counted from the root that counted it, and adds what it counts now to its own. */
  function recount({ root }: Table<unknown>, before: Row | undefined, now: Row | undefined): void {
    if (root === "local" || root === "seals") return;
    const [was, is] = [before?.isArchived ? "archive" : root, now?.isArchived ? "archive" : root] as const;
    if (before !== undefined) roots[was] = (roots[was] - before.hash) & ROOT_MASK;
    if (now !== undefined) roots[is] = (roots[is] + now.hash) & ROOT_MASK;
  }

  /** Peers compare what stands in one of the tables for that and is not sealed. */
  function compare(key: string): void {
    const stands = compared.some((name) => rowsOf(name).live.get(key)?.isArchived === false);
    if (stands) identities.add(key);
    else identities.remove(key);
  }

  function isSealed(table: Table<unknown>, key: string, record: unknown): boolean {
    if (seals === undefined || table.sealedBy === undefined) return false;
    const { rows: sealed } = rowsOf(seals);
    if (table.sealedBy === BY_KEY) return sealed.has(key);
    return table.indexes[table.sealedBy]?.(record, key).some((value) => sealed.has(value)) ?? false;
  }

  function recountSealed({ table }: Counted, seal: string, isKept: boolean): void {
    const { sealedBy } = table;
    if (sealedBy === undefined || table.root === "local" || table.root === "seals") return;
    const keys = sealedBy === BY_KEY ? [seal] : keysAt(table, rowsOf(table.name), sealedBy, seal, Infinity);
    for (const key of keys) {
      // What lies in pages is sealed, and has to leave them only where that ends.
      if (!isKept) takeBack(table, ownRowsOf(table), key);
      const before = rowsOf(table.name).live.get(key);
      if (before === undefined) continue;
      const now = { ...before, isArchived: isSealed(table, key, before.record) };
      if (now.isArchived === before.isArchived) continue;
      ownRowsOf(table).live.set(key, now);
      recount(table, before, now);
      if (now.isArchived) queuePaged(table.name, key);
      if (table.compared) compare(key);
    }
  }

  return {
    roots,
    identities,
    endless,
    amendments,
    sharing,
    get: <R>(table: Table<R>, key: string) => rowsOf(table.name).rows.get(key)?.record as R | undefined,
    placesHeld: (table, key) => rowsOf(table.name).rows.get(key)?.places,
    find: (table, name, value, most = Infinity) => keysAt(table, rowsOf(table.name), name, value, most),
    count: (table, name, value) => countAt(table, rowsOf(table.name), name, value),
    ordered: (table, name, value) => orderedAt(table as Table<unknown>, rowsOf(table.name), name, value),
    keys: (table) => rowsOf(table.name).rows.keys(),
    *entries<R>(table: Table<R>): Iterable<readonly [string, R]> {
      for (const [key, { record }] of rowsOf(table.name).rows) yield [key, record as R];
    },
    size: (table) => rowsOf(table.name).rows.size,
    commit(changes) {
      for (const change of changes) write(countedAs(change.table), change);
      putSomeAway();
    },
    held: () => ({ owner, roots, identities: identities.root(), tables: rowsHeld }),
    copy() {
      owner = newOwner();
      const copied = { roots: { ...roots }, identities: identities.root(), tables: new Map(rowsHeld) };
      return { ...copied, owner: newOwner() };
    },
  };
}

function foundAt(table: Table<unknown>, key: string, row: Row | undefined): Places {
  return row === undefined ? NO_PLACES : placesOfRow(table, key, row);
}

/** What is the same for every state that has some tables. */
interface Kinds {
  readonly counted: ReadonlyMap<string, Counted>;
  /** Names of those that peers compare, of those whose sealed rows lie in pages, and of that of the seals. */
  readonly compared: readonly string[];
  readonly paged: ReadonlySet<string>;
  readonly seals: string | undefined;
  /** The rows of every table that nobody has written into. */
  readonly empty: HeldRows;
}

function kindsOf(tables: readonly Table<unknown>[]): Kinds {
  const counted = new Map<string, Counted>();
  for (const table of tables) {
    assert(!counted.has(table.name), `one table is called ${table.name}`);
    counted.set(table.name, { table, hashedName: withLength(utf8(table.name)) });
  }
  const namesOf = (some: readonly Table<unknown>[]) => some.map(({ name }) => name);
  return {
    counted,
    compared: namesOf(tables.filter(({ compared }) => compared)),
    paged: new Set(namesOf(tables.filter(isPaged))),
    seals: tables.find(({ root }) => root === "seals")?.name,
    empty: noRows({ indexNames: NO_KEYS, orderNames: NO_KEYS }, newOwner()),
  };
}

/** Whether a value is all that a state consists of. */
export function isHeldStore(value: object): value is HeldStore {
  return "owner" in value && "identities" in value && "tables" in value;
}

/** All that a state consists of, with nothing of it in pages: to be kept as bytes. It is that state, not a copy. */
export function withoutPages(held: HeldStore, tables: readonly Table<unknown>[]): HeldStore {
  const rowsHeld = new Map(held.tables);
  for (const table of tables) {
    const rows = held.tables.get(table.name);
    if (rows !== undefined) rowsHeld.set(table.name, unpagedRows(table, rows));
  }
  return { ...held, tables: rowsHeld };
}

/** Where the pages of a state go: one that begins with nothing has none. */
function portFor(from: HeldStore | undefined, pages = pagesInMemory()): PagesPort {
  if (from === undefined) pages.clear();
  return pages;
}

function newOwner(): Owner {
  return { owns: "rows" };
}

function nothingHeld(): HeldStore {
  const roots: Roots = { statements: 0n, facts: 0n, state: 0n, archive: 0n };
  return { owner: newOwner(), roots, identities: NO_IDENTITIES, tables: new Map() };
}

/** A root as 64 lower-case hexadecimal digits. */
export function rootText(root: bigint): string {
  return root.toString(16).padStart(64, "0");
}

/** A row that another state has already is the same one: its hash is a function of table, key and record. */
function sharedRow(
  sharing: SharingPort | undefined,
  { table }: Counted,
  { key, record }: { readonly key: string; readonly record: unknown },
  make: () => Row,
): Row {
  if (sharing === undefined || !isShareable(record)) return make();
  const { key: first, row } = sharing.of(table, record, () => ({ key, row: make() }));
  return first === key ? row : make();
}

/** A statement counts by its identity alone: two nodes may hold different signatures of one statement. */
function rowHash(crypto: CryptoPort, { table, hashedName }: Counted, root: Root, key: string, record: unknown): bigint {
  const body = root === "statements" ? NO_BYTES : encoded(table, undecorated(table, record));
  const keyBytes = utf8(key);
  const hashed = concat(hashedName, u32be(keyBytes.length), keyBytes, u32be(body.length), body);
  return bigEndian(crypto.sha256(hashed));
}

/** A record as roots count it. */
function undecorated({ decorations }: Table<unknown>, record: unknown): unknown {
  if (decorations.length === 0) return record;
  const plain: Record<string, unknown> = { ...(record as object) };
  for (const field of decorations) plain[field] = null;
  return plain;
}

function encoded(table: Table<unknown>, record: unknown): Uint8Array {
  const writer = compactWriter();
  table.record.encode(record, writer);
  return writer.finish();
}

function withLength(bytes: Uint8Array): Uint8Array {
  return concat(u32be(bytes.length), bytes);
}
