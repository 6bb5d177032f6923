/**
 * The state: tables as maps, their indexes, and the three roots, kept current in time proportional
 * to the changes. `commit` is the only writer.
 * Source: CONVERGENCE "Roots" (ours): a root is the sum modulo 2^256 of SHA-256 over table, key and
 * compact record, each with its length before it.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { assert, known } from "./assert.ts";
import { bigEndian, concat, u32be } from "./bytes.ts";
import { compactWriter } from "./compact.ts";
import { slotOf } from "./draft.ts";
import type { IdentityReader } from "./identity-tree.ts";
import { createIdentityTree } from "./identity-tree.ts";
import type { Change, Reader, Root, Table } from "./table.ts";
import { utf8 } from "./text.ts";

const ROOT_MASK = (1n << 256n) - 1n;
const NO_KEYS: readonly string[] = [];

interface Rows {
  readonly table: Table<unknown>;
  readonly records: Map<string, unknown>;
  readonly hashes: Map<string, bigint>;
  readonly indexes: Map<string, Set<string>>;
}

/** Roots as sums; `rootText` spells one. */
export interface Roots {
  statements: bigint;
  facts: bigint;
  state: bigint;
}

/** Everything one node knows. Read it through `Reader`; only `commit` writes. */
export interface Store extends Reader {
  readonly roots: Readonly<Roots>;
  /** The identities that `roots.statements` counts. */
  readonly identities: IdentityReader;
  commit(changes: readonly Change[]): void;
}

export function openStore(crypto: CryptoPort, tables: readonly Table<unknown>[]): Store {
  const roots: Roots = { statements: 0n, facts: 0n, state: 0n };
  const identities = createIdentityTree(crypto);
  const rows = new Map<string, Rows>();
  for (const table of tables) {
    assert(!rows.has(table.name), `one table is called ${table.name}`);
    rows.set(table.name, { table, records: new Map(), hashes: new Map(), indexes: new Map() });
  }
  const rowsOf = (name: string): Rows => known(rows.get(name), `table ${name}`);

  function write(held: Rows, key: string, record: unknown): void {
    const before = held.records.get(key);
    if (record === undefined) held.records.delete(key);
    else held.records.set(key, record);
    index(held, key, before, record);
    const root = held.table.root;
    if (root === "local") return;
    if (root === "statements" && before === undefined && record !== undefined) identities.add(key);
    if (root === "statements" && before !== undefined && record === undefined) identities.remove(key);
    const old = held.hashes.get(key) ?? 0n;
    const now = record === undefined ? 0n : rowHash(crypto, held.table, root, key, record);
    if (record === undefined) held.hashes.delete(key);
    else held.hashes.set(key, now);
    roots[root] = (roots[root] + now - old) & ROOT_MASK;
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
  for (const [name, valuesOf] of Object.entries(held.table.indexes)) {
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
      const keys = held.indexes.get(slotOf(name, value));
      if (keys === undefined) held.indexes.set(slotOf(name, value), new Set([key]));
      else keys.add(key);
    }
  }
}

/** A statement counts by its identity alone: two nodes may hold different signatures of one statement. */
function rowHash(crypto: CryptoPort, table: Table<unknown>, root: Root, key: string, record: unknown): bigint {
  const name = utf8(table.name);
  const keyBytes = utf8(key);
  const writer = compactWriter();
  if (root !== "statements") table.record.encode(record, writer);
  const body = writer.finish();
  const hashed = concat(u32be(name.length), name, u32be(keyBytes.length), keyBytes, u32be(body.length), body);
  return bigEndian(crypto.sha256(hashed));
}
