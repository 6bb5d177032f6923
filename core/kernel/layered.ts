/**
 * What a state wrote over a packed table: maps that look as those of a table in memory do, and find below them what
 * was packed. A row is decoded when it is first asked for, the keys at a place are listed when that is.
 * Source: CONVERGENCE "Durability".
 */

import { known } from "./assert.ts";
import type { PackedTable } from "./packed-table.ts";
import { fromUtf8 } from "./text.ts";

/** What a state needs of the map in which the values of an index stand. */
export interface Keyed<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
  delete(key: string): unknown;
  [Symbol.iterator](): Iterator<[string, V]>;
}

/** The same of its rows. */
export interface KeyedRows<V> extends Keyed<V> {
  has(key: string): boolean;
  keys(): Iterable<string>;
  readonly size: number;
}

/** Rows of which some are packed. */
export interface LayeredRows<V> extends KeyedRows<V> {
  readonly packed: PackedTable;
  /** What was written or read since, by key: nothing where a row was removed. */
  readonly above: ReadonlyMap<string, V | undefined>;
}

/** What is found under the values of an index, over a packed one. */
interface LayeredPlaces<V> {
  readonly packed: PackedTable;
  readonly kind: "indexes" | "orders";
  /** The hash by which the place of a value is packed. */
  readonly hashOf: (value: string) => Uint8Array;
  /** What stands under a value where these keys were packed: at least one. */
  readonly listOf: (keys: readonly string[]) => V;
  /** Every value under which a row stands: for whoever copies a state. */
  readonly values: () => Iterable<string>;
}

/** Rows over packed ones; `decode` makes a row of a packed one. */
export function layeredRows<V>(packed: PackedTable, decode: (row: number, key: string) => V): LayeredRows<V> {
  const above = new Map<string, V | undefined>();
  let size = packed.size;

  function get(key: string): V | undefined {
    const held = above.get(key);
    if (held !== undefined || above.has(key)) return held;
    const row = packed.find(key);
    if (row < 0) return undefined;
    const decoded = decode(row, key);
    above.set(key, decoded);
    return decoded;
  }

  const has = (key: string) => (above.has(key) ? above.get(key) !== undefined : packed.find(key) >= 0);

  function* keys(): Iterable<string> {
    for (let row = 0; row < packed.size; row++) {
      const key = packedKey(packed, row);
      if (!above.has(key) || above.get(key) !== undefined) yield key;
    }
    for (const [key, held] of above) if (held !== undefined && packed.find(key) < 0) yield key;
  }

  return {
    packed,
    above,
    get,
    has,
    keys,
    get size() {
      return size;
    },
    set(key, value) {
      if (!has(key)) size += 1;
      above.set(key, value);
    },
    delete(key) {
      if (has(key)) size -= 1;
      if (packed.find(key) >= 0) above.set(key, undefined);
      else above.delete(key);
    },
    *[Symbol.iterator]() {
      for (const key of keys()) yield [key, known(get(key), "a row")];
    },
  };
}

/** An index over a packed one. What was listed once stays listed, since whoever asked may write into it. */
export function layeredPlaces<V>({ packed, kind, hashOf, listOf, values }: LayeredPlaces<V>): Keyed<V> {
  const above = new Map<string, V | undefined>();

  function get(value: string): V | undefined {
    const held = above.get(value);
    if (held !== undefined || above.has(value)) return held;
    const rows = packed.under(kind, hashOf(value));
    if (rows.length === 0) return undefined;
    const list = listOf(rows.map((row) => packedKey(packed, row)));
    above.set(value, list);
    return list;
  }

  return {
    get,
    set: (value, list) => above.set(value, list),
    delete(value) {
      if (packed.under(kind, hashOf(value)).length > 0) above.set(value, undefined);
      else above.delete(value);
    },
    *[Symbol.iterator]() {
      for (const value of new Set(values())) {
        const list = get(value);
        if (list !== undefined) yield [value, list];
      }
    },
  };
}

/** Rows of a table that is computed from others: one that was not written is computed when it is asked for. */
export function derivedRows<V>(derive: (key: string) => V | undefined): KeyedRows<V> {
  const above = new Map<string, V | undefined>();
  const get = (key: string): V | undefined => {
    const held = above.get(key);
    if (held !== undefined || above.has(key)) return held;
    const derived = derive(key);
    if (derived !== undefined) above.set(key, derived);
    return derived;
  };
  const written = () =>
    [...above].flatMap(([key, value]): [string, V][] => (value === undefined ? [] : [[key, value]]));
  return {
    get,
    has: (key) => get(key) !== undefined,
    keys: () => written().map(([key]) => key),
    get size() {
      return written().length;
    },
    set: (key, value) => above.set(key, value),
    delete: (key) => above.set(key, undefined),
    [Symbol.iterator]: () => written()[Symbol.iterator](),
  };
}

/** The key of a packed row. */
export function packedKey(packed: PackedTable, row: number): string {
  return known(fromUtf8(packed.keyBytes(row)), "the text of a packed key");
}
