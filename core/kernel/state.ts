/**
 * The state: tables as maps, their indexes, and the three roots, kept current in time proportional
 * to the changes. `commit` is the only writer.
 * Source: CONVERGENCE "Roots": a root is the sum modulo 2^256 of SHA-256 over table, key and
 * compact record, each with its length before it; what is sealed counts in a root of its own.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { assert, known } from "./assert.ts";
import { bigEndian, concat, u32be } from "./bytes.ts";
import { compactWriter } from "./compact.ts";
import { slotOf } from "./draft.ts";
import type { IdentityNode, IdentityReader } from "./identity-tree.ts";
import { createIdentityTree, NO_IDENTITIES } from "./identity-tree.ts";
import { reorder } from "./ordered.ts";
import type { Change, DatedRule, Order, Reader, Root, Table } from "./table.ts";
import { BY_KEY } from "./table.ts";
import { utf8 } from "./text.ts";

const ROOT_MASK = (1n << 256n) - 1n;
const NO_KEYS: readonly string[] = [];
const NO_BYTES = new Uint8Array(0);

/** Who may write into rows: one state, told apart by identity. */
interface Owner {
  readonly owns: "rows";
}

/** The rows of a table. Copies of a state share them; who does not own them writes into rows of its own. */
export interface HeldRows {
  readonly owner: Owner;
  readonly records: Map<string, unknown>;
  readonly hashes: Map<string, bigint>;
  /** Keys of the records that the archive root counts. */
  readonly archived: Set<string>;
  readonly indexes: Map<string, Set<string>>;
  /** Ordered indexes; a list of keys is never changed once made. */
  readonly orders: Map<string, readonly string[]>;
  /** Where rows were another's: the slots of `indexes` whose keys have become the owner's. */
  readonly ownSlots: Set<string> | undefined;
}

/** All that a state consists of: plain values, so that it can be kept, sent and copied. */
export interface HeldStore {
  readonly owner: Owner;
  readonly roots: Roots;
  readonly identities: IdentityNode;
  readonly tables: Map<string, HeldRows>;
}

interface Rows {
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
}

/** An empty state, or one that goes on from what another held. */
export function openStore(
  crypto: CryptoPort,
  tables: readonly Table<unknown>[],
  { from, endless = false, amendments }: StoreOptions = {},
): Store {
  const held = from ?? nothingHeld();
  const { roots, tables: rowsHeld } = held;
  const identities = createIdentityTree(crypto, held.identities);
  let { owner } = held;
  const rows = new Map<string, Rows>();
  for (const table of tables) {
    assert(!rows.has(table.name), `one table is called ${table.name}`);
    rows.set(table.name, { table, hashedName: counted(utf8(table.name)) });
    if (!rowsHeld.has(table.name)) rowsHeld.set(table.name, noRows(owner));
  }
  const compared = tables.flatMap(({ name, compared: isCompared }) => (isCompared ? [name] : []));
  const seals = tables.find(({ root }) => root === "seals")?.name;
  const rowsOf = (name: string): HeldRows => known(rowsHeld.get(name), `table ${name}`);
  const ownRowsOf = (name: string): HeldRows => {
    const now = rowsOf(name);
    if (now.owner === owner) return now;
    const own = ownedRows(now, owner);
    rowsHeld.set(name, own);
    return own;
  };

  function write(into: Rows, key: string, record: unknown): void {
    const { table } = into;
    const held = ownRowsOf(table.name);
    const before = held.records.get(key);
    if (record === undefined) held.records.delete(key);
    else held.records.set(key, record);
    index(table, held, key, before, record);
    order(table, held, key, before, record);
    if (table.root === "seals") for (const each of rows.values()) recountSealed(each, key);
    else recount(into, key);
    if (table.compared) compare(key);
  }

  /** Peers compare what stands in one of the tables for that and is not sealed. */
  function compare(key: string): void {
    const stands = compared.some((name) => {
      const { records, archived } = rowsOf(name);
      return records.has(key) && !archived.has(key);
    });
    if (stands) identities.add(key);
    else identities.remove(key);
  }

  /** Counts a record in the root that is its own now. */
  function recount(counted: Rows, key: string): void {
    const { table } = counted;
    if (table.root === "local" || table.root === "seals") return;
    const { records, hashes, archived } = ownRowsOf(table.name);
    const record = records.get(key);
    const [old, was] = [hashes.get(key), archived.has(key) ? "archive" : table.root] as const;
    const is = record !== undefined && isSealed(counted, key, record) ? "archive" : table.root;
    const now = record === undefined ? undefined : rowHash(crypto, counted, table.root, key, record);
    if (now === undefined) hashes.delete(key);
    else hashes.set(key, now);
    if (is === "archive") archived.add(key);
    else archived.delete(key);
    roots[was] = (roots[was] - (old ?? 0n)) & ROOT_MASK;
    roots[is] = (roots[is] + (now ?? 0n)) & ROOT_MASK;
    if (table.compared && was !== is) compare(key);
  }

  function isSealed({ table }: Rows, key: string, record: unknown): boolean {
    if (seals === undefined || table.sealedBy === undefined) return false;
    const { records: sealed } = rowsOf(seals);
    if (table.sealedBy === BY_KEY) return sealed.has(key);
    return table.indexes[table.sealedBy]?.(record, key).some((value) => sealed.has(value)) ?? false;
  }

  function recountSealed(rows: Rows, seal: string): void {
    const { sealedBy } = rows.table;
    if (sealedBy === BY_KEY) recount(rows, seal);
    else if (sealedBy !== undefined)
      for (const key of rowsOf(rows.table.name).indexes.get(slotOf(sealedBy, seal)) ?? []) recount(rows, key);
  }

  return {
    roots,
    identities,
    endless,
    amendments,
    get: <R>(table: Table<R>, key: string) => rowsOf(table.name).records.get(key) as R | undefined,
    find(table, name, value) {
      const keys = rowsOf(table.name).indexes.get(slotOf(name, value));
      return keys === undefined ? NO_KEYS : [...keys];
    },
    count: (table, name, value) => rowsOf(table.name).indexes.get(slotOf(name, value))?.size ?? 0,
    ordered: (table, name, value) => rowsOf(table.name).orders.get(slotOf(name, value)) ?? NO_KEYS,
    keys: (table) => rowsOf(table.name).records.keys(),
    size: (table) => rowsOf(table.name).records.size,
    commit(changes) {
      for (const change of changes)
        write(known(rows.get(change.table), `table ${change.table}`), change.key, change.record);
    },
    held: () => ({ owner, roots, identities: identities.root(), tables: rowsHeld }),
    copy() {
      owner = newOwner();
      const copied = { roots: { ...roots }, identities: identities.root(), tables: new Map(rowsHeld) };
      return { ...copied, owner: newOwner() };
    },
  };
}

/** Whether a value is all that a state consists of. */
export function isHeldStore(value: object): value is HeldStore {
  return "owner" in value && "identities" in value && "tables" in value;
}

function newOwner(): Owner {
  return { owns: "rows" };
}

function nothingHeld(): HeldStore {
  const roots: Roots = { statements: 0n, facts: 0n, state: 0n, archive: 0n };
  return { owner: newOwner(), roots, identities: NO_IDENTITIES, tables: new Map() };
}

function noRows(owner: Owner): HeldRows {
  const maps = { records: new Map(), hashes: new Map(), archived: new Set<string>(), indexes: new Map() };
  return { owner, ...maps, orders: new Map(), ownSlots: undefined };
}

/** Rows to be written into. The keys of an index slot follow when that is written into. */
function ownedRows({ records, hashes, archived, indexes, orders }: HeldRows, owner: Owner): HeldRows {
  const maps = { records: new Map(records), hashes: new Map(hashes), indexes: new Map(indexes) };
  return { owner, ...maps, orders: new Map(orders), archived: new Set(archived), ownSlots: new Set() };
}

/** The keys of an index slot, to be written into. */
function keysIn({ indexes, ownSlots }: HeldRows, slot: string): Set<string> | undefined {
  const keys = indexes.get(slot);
  if (keys === undefined || ownSlots === undefined || ownSlots.has(slot)) return keys;
  const own = new Set(keys);
  ownSlots.add(slot);
  indexes.set(slot, own);
  return own;
}

/** A root as 64 lower-case hexadecimal digits. */
export function rootText(root: bigint): string {
  return root.toString(16).padStart(64, "0");
}

function index(table: Table<unknown>, held: HeldRows, key: string, before: unknown, record: unknown): void {
  for (const name in table.indexes) {
    const valuesOf = table.indexes[name] as (record: unknown, key: string) => readonly string[];
    const old = before === undefined ? NO_KEYS : valuesOf(before, key);
    const now = record === undefined ? NO_KEYS : valuesOf(record, key);
    for (const value of old) {
      if (now.includes(value)) continue;
      const keys = keysIn(held, slotOf(name, value));
      keys?.delete(key);
      if (keys?.size === 0) held.indexes.delete(slotOf(name, value));
    }
    for (const value of now) {
      if (old.includes(value)) continue;
      const slot = slotOf(name, value);
      const keys = keysIn(held, slot);
      if (keys !== undefined) keys.add(key);
      else {
        held.indexes.set(slot, new Set([key]));
        held.ownSlots?.add(slot);
      }
    }
  }
}

function order(table: Table<unknown>, held: HeldRows, key: string, before: unknown, record: unknown): void {
  for (const name in table.orders) {
    reorder(
      table.orders[name] as Order<unknown>,
      { key, before, record },
      {
        held: (value) => held.orders.get(slotOf(name, value)) ?? NO_KEYS,
        of: (each) => known(held.records.get(each), "a record in order"),
        put(value, keys) {
          if (keys.length === 0) held.orders.delete(slotOf(name, value));
          else held.orders.set(slotOf(name, value), keys);
        },
      },
    );
  }
}

/** A statement counts by its identity alone: two nodes may hold different signatures of one statement. */
function rowHash(crypto: CryptoPort, { table, hashedName }: Rows, root: Root, key: string, record: unknown): bigint {
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

function counted(bytes: Uint8Array): Uint8Array {
  return concat(u32be(bytes.length), bytes);
}
