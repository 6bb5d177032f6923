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
import type { IdentityReader } from "./identity-tree.ts";
import { createIdentityTree } from "./identity-tree.ts";
import type { Change, Reader, Root, Table } from "./table.ts";
import { BY_KEY } from "./table.ts";
import { utf8 } from "./text.ts";

const ROOT_MASK = (1n << 256n) - 1n;
const NO_KEYS: readonly string[] = [];
const NO_BYTES = new Uint8Array(0);

interface Rows {
  readonly table: Table<unknown>;
  readonly records: Map<string, unknown>;
  readonly hashes: Map<string, bigint>;
  /** Keys of the records that the archive root counts. */
  readonly archived: Set<string>;
  readonly indexes: Map<string, Set<string>>;
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
  /** The identities that `roots.statements` counts. */
  readonly identities: IdentityReader;
  commit(changes: readonly Change[]): void;
}

export function openStore(crypto: CryptoPort, tables: readonly Table<unknown>[]): Store {
  const roots: Roots = { statements: 0n, facts: 0n, state: 0n, archive: 0n };
  const identities = createIdentityTree(crypto);
  const rows = new Map<string, Rows>();
  for (const table of tables) {
    assert(!rows.has(table.name), `one table is called ${table.name}`);
    const [records, hashes, archived, indexes] = [new Map(), new Map(), new Set<string>(), new Map()];
    rows.set(table.name, { table, records, hashes, archived, indexes, hashedName: counted(utf8(table.name)) });
  }
  const seals = [...rows.values()].find(({ table }) => table.root === "seals")?.records;
  const rowsOf = (name: string): Rows => known(rows.get(name), `table ${name}`);

  function write(held: Rows, key: string, record: unknown): void {
    const before = held.records.get(key);
    if (record === undefined) held.records.delete(key);
    else held.records.set(key, record);
    index(held, key, before, record);
    if (held.table.root === "seals") for (const each of rows.values()) recountSealed(each, key);
    else recount(held, key);
  }

  /** Counts a record in the root that is its own now. */
  function recount(held: Rows, key: string): void {
    const { table, records, hashes, archived } = held;
    if (table.root === "local" || table.root === "seals") return;
    const record = records.get(key);
    const [old, was] = [hashes.get(key), archived.has(key) ? "archive" : table.root] as const;
    const is = record !== undefined && isSealed(held, key, record) ? "archive" : table.root;
    const now = record === undefined ? undefined : rowHash(crypto, held, table.root, key, record);
    if (now === undefined) hashes.delete(key);
    else hashes.set(key, now);
    if (is === "archive") archived.add(key);
    else archived.delete(key);
    roots[was] = (roots[was] - (old ?? 0n)) & ROOT_MASK;
    roots[is] = (roots[is] + (now ?? 0n)) & ROOT_MASK;
    if (table.root !== "statements") return;
    const [stood, stands] = [old !== undefined && was !== "archive", now !== undefined && is !== "archive"];
    if (stands && !stood) identities.add(key);
    if (stood && !stands) identities.remove(key);
  }

  function isSealed({ table }: Rows, key: string, record: unknown): boolean {
    if (seals === undefined || table.sealedBy === undefined) return false;
    if (table.sealedBy === BY_KEY) return seals.has(key);
    return table.indexes[table.sealedBy]?.(record, key).some((value) => seals.has(value)) ?? false;
  }

  function recountSealed(held: Rows, seal: string): void {
    const { sealedBy } = held.table;
    if (sealedBy === BY_KEY) recount(held, seal);
    else if (sealedBy !== undefined)
      for (const key of held.indexes.get(slotOf(sealedBy, seal)) ?? []) recount(held, key);
  }

  return {
    roots,
    identities,
    get: <R>(table: Table<R>, key: string) => rowsOf(table.name).records.get(key) as R | undefined,
    find(table, name, value) {
      const keys = rowsOf(table.name).indexes.get(slotOf(name, value));
      return keys === undefined ? NO_KEYS : [...keys];
    },
    count: (table, name, value) => rowsOf(table.name).indexes.get(slotOf(name, value))?.size ?? 0,
    keys: (table) => rowsOf(table.name).records.keys(),
    size: (table) => rowsOf(table.name).records.size,
    commit(changes) {
      for (const change of changes) write(rowsOf(change.table), change.key, change.record);
    },
  };
}

/** A root as 64 lower-case hexadecimal digits. */
export function rootText(root: bigint): string {
  return root.toString(16).padStart(64, "0");
}

function index(held: Rows, key: string, before: unknown, record: unknown): void {
  for (const name in held.table.indexes) {
    const valuesOf = held.table.indexes[name] as (record: unknown, key: string) => readonly string[];
    const old = before === undefined ? NO_KEYS : valuesOf(before, key);
    const now = record === undefined ? NO_KEYS : valuesOf(record, key);
    for (const value of old) {
      if (now.includes(value)) continue;
      const keys = held.indexes.get(slotOf(name, value));
      keys?.delete(key);
      if (keys?.size === 0) held.indexes.delete(slotOf(name, value));
    }
    for (const value of now) {
      if (old.includes(value)) continue;
      const slot = slotOf(name, value);
      const keys = held.indexes.get(slot);
      if (keys === undefined) held.indexes.set(slot, new Set([key]));
      else keys.add(key);
    }
  }
}

/** A statement counts by its identity alone: two nodes may hold different signatures of one statement. */
function rowHash(crypto: CryptoPort, held: Rows, root: Root, key: string, record: unknown): bigint {
  const body = root === "statements" ? NO_BYTES : encoded(held.table, record);
  const keyBytes = utf8(key);
  const hashed = concat(held.hashedName, u32be(keyBytes.length), keyBytes, u32be(body.length), body);
  return bigEndian(crypto.sha256(hashed));
}

function encoded(table: Table<unknown>, record: unknown): Uint8Array {
  const writer = compactWriter();
  table.record.encode(record, writer);
  return writer.finish();
}

function counted(bytes: Uint8Array): Uint8Array {
  return concat(u32be(bytes.length), bytes);
}
