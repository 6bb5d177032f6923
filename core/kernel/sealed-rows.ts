/**
 * The sealed rows of one table: seldom read and hardly ever written again, so they lie packed in pages, and in memory
 * is only where to find them: by their keys and by the places of their indexes. A row lies here or with those that are
 * not sealed, never in both; whoever writes over one takes it back first. Source: CONVERGENCE B7; DESIGN §9.1.
 */

import type { CryptoPort } from "../ports/crypto.ts";
import type { PagesPort } from "../ports/pages.ts";
import { known } from "./assert.ts";
import { bigEndian, equalBytes, fromHex } from "./bytes.ts";
import { compactReader } from "./compact.ts";
import type { HashIndex } from "./hash-index.ts";
import { HASH_INDEX_BYTES, openHashIndex } from "./hash-index.ts";
import type { KeyedRows } from "./layered.ts";
import type { Row } from "./packed-row.ts";
import { orderedSlots, packedRow, placeHash, slotsOfRow } from "./packed-row.ts";
import type { PackedRow } from "./packed-table.ts";
import type { RowPages } from "./row-pages.ts";
import { openRowPages } from "./row-pages.ts";
import type { Table, TypeRegistry } from "./table.ts";
import { BY_KEY } from "./table.ts";
import { fromUtf8, utf8 } from "./text.ts";

type Kind = "indexes" | "orders";
/** Digits of a key that is a hash which are enough to find it by. */
const FOUND_BY_DIGITS = 2 * HASH_INDEX_BYTES;
const HASH_DIGITS = 64;
const NOTHING = new Uint8Array(0);

/** What sealed rows of a table are kept and read with. */
export interface Sealing {
  readonly crypto: CryptoPort;
  readonly table: Table<unknown>;
  readonly types: TypeRegistry;
  readonly port: PagesPort;
}

export interface SealedRows {
  readonly size: number;
  has(key: string): boolean;
  /** A row as it was put: decoded each time, and kept by nobody. */
  get(key: string): Row | undefined;
  keys(): Iterable<string>;
  /** All rows with their keys, page after page. */
  entries(): Iterable<[key: string, row: Row]>;
  /** The keys at a place, in no particular order, even of an ordered index; some, if no more are asked for. */
  under(kind: Kind, place: string, most?: number): readonly string[];
  count(kind: Kind, place: string): number;
  put(key: string, row: Row): void;
  /** Takes a row as it lies packed; it is found by its key, and where `place` says. */
  putPacked(row: PackedRow): number;
  place(kind: Kind, hash: Uint8Array, number: number): void;
  /** Gives a row back, and forgets it. */
  take(key: string): Row | undefined;
  /** All rows as they lie, by their numbers; and the hashes of places with the rows that are found there. */
  packed(): Iterable<readonly [number: number, row: PackedRow]>;
  placed(kind: Kind): Iterable<readonly [hash: Uint8Array, numbers: readonly number[]]>;
  /** Key and record of the row of a number. */
  at(number: number): { readonly key: string; readonly record: unknown };
  copy(): SealedRows;
}

interface Held {
  readonly pages: RowPages;
  readonly byKey: HashIndex;
  readonly indexes: HashIndex;
  readonly orders: HashIndex;
  readonly size: number;
}

/** Whether sealed rows of a table may lie in pages: it holds what seals name, or the seals themselves. */
export function isPaged({ sealedBy, root, checkpoint }: Table<unknown>): boolean {
  return checkpoint !== undefined && (root === "seals" || (sealedBy !== undefined && root !== "local"));
}

/** Sealed rows of a table, of which there are none yet. */
export function openSealedRows(sealing: Sealing): SealedRows {
  const { crypto, table, port } = sealing;
  const isHashed = table.root !== "seals";
  const pages = openRowPages({ name: table.name, isHashed, crypto, port });
  const [byKey, indexes, orders] = [openHashIndex(), openHashIndex(), openHashIndex()];
  return sealedRowsOf(sealing, { pages, byKey, indexes, orders, size: 0 });
}

function sealedRowsOf(sealing: Sealing, held: Held): SealedRows {
  const { crypto, table, types } = sealing;
  const { pages, byKey } = held;
  const isSeal = table.root === "seals";
  let { size } = held;
  const hashOf = (place: string) => placeHash(crypto, place);
  const keyHash = (key: string) => keyHashIn(table, key) ?? hashOf(key);
  const keyOf = (number: number) => known(fromUtf8(pages.row(number).key), "the text of a key");

  /** The number of a key's row, and the row as it lies. */
  function find(key: string): readonly [number, PackedRow] | undefined {
    const bytes = utf8(key);
    for (const number of byKey.numbers(keyHash(key))) {
      const row = pages.row(number);
      if (equalBytes(row.key, bytes)) return [number, row];
    }
    return undefined;
  }

  function recordIn(bytes: Uint8Array): unknown {
    const reader = compactReader(bytes);
    const record = known(table.checkpoint, "how a table is packed").read(reader, types);
    return known(reader.failed() ? undefined : record, `a record of ${table.name}`);
  }

  function rowOf(key: string, { record: bytes, hash, isArchived }: PackedRow): Row {
    const record = recordIn(bytes);
    return {
      ...{ record, isArchived },
      get hash() {
        return hash === undefined ? 0n : bigEndian(hash);
      },
      get places() {
        return table.placesOf(record, key);
      },
    };
  }

  function putPacked(row: PackedRow): number {
    const number = pages.add(row);
    byKey.add(keyHash(known(fromUtf8(row.key), "the text of a key")), number);
    size += 1;
    return number;
  }

  return {
    get size() {
      return size;
    },
    has: (key) => size > 0 && byKey.count(keyHash(key)) > 0,
    get(key) {
      if (size === 0) return undefined;
      // A seal says nothing beside its key, and is asked for more often than anything else.
      if (isSeal)
        return byKey.count(keyHash(key)) === 0
          ? undefined
          : rowOf(key, { key: NOTHING, record: NOTHING, hash: undefined, isArchived: false });
      const found = find(key);
      return found && rowOf(key, found[1]);
    },
    *keys() {
      for (const [, { key }] of pages.all()) yield known(fromUtf8(key), "the text of a key");
    },
    *entries() {
      for (const [, packed] of pages.all()) {
        const key = known(fromUtf8(packed.key), "the text of a key");
        yield [key, rowOf(key, packed)];
      }
    },
    under: (kind, place, most) => (size === 0 ? [] : held[kind].numbers(hashOf(place), most).map(keyOf)),
    count: (kind, place) => (size === 0 ? 0 : held[kind].count(hashOf(place))),
    put(key, row) {
      const number = putPacked(packedRow(table, key, row));
      for (const place of slotsOfRow(table, key, row)) held.indexes.add(hashOf(place), number);
      for (const place of orderedSlots(table, key, row.record)) held.orders.add(hashOf(place), number);
    },
    putPacked,
    place: (kind, hash, number) => held[kind].add(hash, number),
    take(key) {
      const found = size === 0 ? undefined : find(key);
      if (found === undefined) return undefined;
      const [number, packed] = found;
      // It is going to stay in memory, so what is found of it on demand is found once.
      const row = { ...rowOf(key, packed) };
      byKey.remove(keyHash(key), number);
      for (const place of slotsOfRow(table, key, row)) held.indexes.remove(hashOf(place), number);
      for (const place of orderedSlots(table, key, row.record)) held.orders.remove(hashOf(place), number);
      pages.drop(number);
      size -= 1;
      return row;
    },
    packed: () => pages.all(),
    placed: (kind) => held[kind].entries(),
    at: (number) => ({ key: keyOf(number), record: recordIn(pages.row(number).record) }),
    copy() {
      const copies = { byKey: byKey.copy(), indexes: held.indexes.copy(), orders: held.orders.copy() };
      return sealedRowsOf(sealing, { pages: pages.copy(), ...copies, size });
    },
  };
}

/** All rows of a table: those in memory, and those that are sealed. What is written is written into memory. */
export function rowsWith(live: KeyedRows<Row>, sealed: SealedRows): KeyedRows<Row> {
  const get = (key: string) => live.get(key) ?? sealed.get(key);
  function* keys(): Iterable<string> {
    yield* live.keys();
    yield* sealed.keys();
  }
  return {
    get,
    has: (key) => live.has(key) || sealed.has(key),
    keys,
    get size() {
      return live.size + sealed.size;
    },
    set: (key, row) => live.set(key, row),
    delete: (key) => live.delete(key),
    *[Symbol.iterator]() {
      yield* live;
      yield* sealed.entries();
    },
  };
}

/** The first half of a key that is a hash itself, as that of what is sealed by its own key is. */
function keyHashIn({ root, sealedBy }: Table<unknown>, key: string): Uint8Array | undefined {
  const isHash = (root === "seals" || sealedBy === BY_KEY) && key.length === HASH_DIGITS;
  return isHash ? fromHex(key.slice(0, FOUND_BY_DIGITS)) : undefined;
}
