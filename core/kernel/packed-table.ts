/**
 * A table as one piece of bytes that is read where it lies: keys in byte order, records, what a root counts for each,
 * and where indexes find them, by the first half of a SHA-256 over the place. Opening one decodes nothing.
 * Not here: what lies over it once a node writes (layered.ts), and how a whole state is kept (engine/checkpoint.ts).
 */

import { bigEndian, compareBytes } from "./bytes.ts";
import { utf8 } from "./text.ts";

/** Bytes by which a place is found: nobody makes two that share them. Source: DESIGN "Formats". */
export const PLACE_BYTES = 16;
const HASH_BYTES = 32;
/** Rows, places, ordered places, bytes of keys and of records, and whether a root counts the rows. */
const HEADER_BYTES = 24;
/** So many numbers of 32 bits sum up without loss. */
const SUMMED_AT_ONCE = 1 << 20;
/** A place and the row that is found there. */
const ENTRY_BYTES = PLACE_BYTES + 4;

/** One row to be packed. */
export interface PackedRow {
  readonly key: Uint8Array;
  readonly record: Uint8Array;
  /** What a root counts for it, where one does. */
  readonly hash: Uint8Array | undefined;
  readonly isArchived: boolean;
}

/** A place, by its hash, and the rows that are found there: by their numbers. */
export interface PackedPlace {
  readonly place: Uint8Array;
  readonly row: number;
}

export interface PackedTable {
  readonly size: number;
  readonly isHashed: boolean;
  /** The number of a key's row, or -1. */
  find(key: string): number;
  /** Key and record as they lie there: views, not copies. */
  keyBytes(row: number): Uint8Array;
  record(row: number): Uint8Array;
  hashBytes(row: number): Uint8Array;
  hash(row: number): bigint;
  isArchived(row: number): boolean;
  /** The sums of what roots count, of what is archived and of all else. */
  sums(): { readonly counted: bigint; readonly archived: bigint };
  /** The rows at a place of an index, in the order of their keys; or of an ordered index, in its order. */
  under(kind: "indexes" | "orders", place: Uint8Array): readonly number[];
  /** How many places stand in an index, counted once for each row; and all of them, in byte order. */
  entryCount(kind: "indexes" | "orders"): number;
  entries(kind: "indexes" | "orders"): Iterable<PackedPlace>;
}

/** Rows to be packed, in byte order of their keys; each is asked for when it is its turn. */
export interface PackedRows {
  readonly size: number;
  readonly isHashed: boolean;
  row(number: number): PackedRow;
}

/** Packs rows, and the places of their indexes as `packPlaces` gives them. */
export function packTable(rows: PackedRows, indexes: Uint8Array, orders: Uint8Array): Uint8Array {
  const { size, isHashed } = rows;
  let [keyEnd, recordEnd] = [0, 0];
  for (let number = 0; number < size; number++) {
    const { key, record } = rows.row(number);
    keyEnd += key.length;
    recordEnd += record.length;
  }
  const each = isHashed ? HASH_BYTES + 1 : 1;
  const bytes = new Uint8Array(HEADER_BYTES + size * (8 + each) + keyEnd + recordEnd + indexes.length + orders.length);
  const view = new DataView(bytes.buffer);
  const head = [size, indexes.length / ENTRY_BYTES, orders.length / ENTRY_BYTES, keyEnd, recordEnd, isHashed ? 1 : 0];
  for (const [at, value] of head.entries()) view.setUint32(at * 4, value, true);
  const layout = layoutOf(view);
  [keyEnd, recordEnd] = [0, 0];
  for (let number = 0; number < size; number++) {
    const { key, record, hash, isArchived } = rows.row(number);
    bytes.set(key, layout.keys + keyEnd);
    bytes.set(record, layout.records + recordEnd);
    keyEnd += key.length;
    recordEnd += record.length;
    view.setUint32(layout.keyEnds + number * 4, keyEnd, true);
    view.setUint32(layout.recordEnds + number * 4, recordEnd, true);
    if (hash !== undefined) bytes.set(hash, layout.hashes + number * HASH_BYTES);
    bytes[layout.archived + number] = isArchived ? 1 : 0;
  }
  bytes.set(indexes, layout.indexes);
  bytes.set(orders, layout.orders);
  return bytes;
}

/** Two lists of places, each in byte order, as one: of equal places those of the first list come first. */
export function packPlaces(kept: Iterable<PackedPlace>, most: number, fresh: readonly PackedPlace[]): Uint8Array {
  const bytes = new Uint8Array((most + fresh.length) * ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  let [at, next] = [0, 0];
  const write = ({ place, row }: PackedPlace): void => {
    bytes.set(place, at);
    view.setUint32(at + PLACE_BYTES, row, true);
    at += ENTRY_BYTES;
  };
  for (const each of kept) {
    for (
      let first = fresh[next];
      first !== undefined && compareBytes(first.place, each.place) < 0;
      first = fresh[next]
    ) {
      write(first);
      next += 1;
    }
    write(each);
  }
  for (const each of fresh.slice(next)) write(each);
  return bytes.subarray(0, at);
}

/** Opens a packed table; nothing when its bytes have another length than they say. */
export function openPackedTable(bytes: Uint8Array): PackedTable | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const layout = layoutOf(view);
  if (layout.end !== bytes.length) return undefined;
  const { size, isHashed } = layout;
  const endAt = (ends: number, row: number) => (row < 0 ? 0 : view.getUint32(ends + row * 4, true));
  const keyBytes = (row: number) =>
    bytes.subarray(layout.keys + endAt(layout.keyEnds, row - 1), layout.keys + endAt(layout.keyEnds, row));
  const hashBytes = (row: number) =>
    bytes.subarray(layout.hashes + row * HASH_BYTES, layout.hashes + (row + 1) * HASH_BYTES);
  const compareKey = (row: number, key: Uint8Array) =>
    compareAt(bytes, layout.keys + endAt(layout.keyEnds, row - 1), layout.keys + endAt(layout.keyEnds, row), key);
  const listOf = (kind: "indexes" | "orders") => ({
    from: layout[kind],
    length: kind === "indexes" ? layout.indexed : layout.ordered,
  });
  const rowOfEntry = (at: number) => view.getUint32(at + PLACE_BYTES, true);

  return {
    size,
    isHashed,
    keyBytes,
    hashBytes,
    find(key) {
      const wanted = utf8(key);
      const row = firstWhere(size, (each) => compareKey(each, wanted) >= 0);
      return row < size && compareKey(row, wanted) === 0 ? row : -1;
    },
    record: (row) =>
      bytes.subarray(
        layout.records + endAt(layout.recordEnds, row - 1),
        layout.records + endAt(layout.recordEnds, row),
      ),
    hash: (row) => (isHashed ? bigEndian(hashBytes(row)) : 0n),
    isArchived: (row) => bytes[layout.archived + row] === 1,
    sums() {
      const isArchived = (row: number) => bytes[layout.archived + row] === 1;
      const sum = (counts: (row: number) => boolean) => sumOf(view, layout.hashes, isHashed ? size : 0, counts);
      return { counted: sum((row) => !isArchived(row)), archived: sum(isArchived) };
    },
    under(kind, place) {
      const { from, length } = listOf(kind);
      const startOf = (entry: number) => from + entry * ENTRY_BYTES;
      const isAt = (entry: number) => compareAt(bytes, startOf(entry), startOf(entry) + PLACE_BYTES, place);
      const rows: number[] = [];
      const first = firstWhere(length, (entry) => isAt(entry) >= 0);
      for (let entry = first; entry < length && isAt(entry) === 0; entry++) rows.push(rowOfEntry(startOf(entry)));
      return rows;
    },
    entryCount: (kind) => listOf(kind).length,
    *entries(kind) {
      const { from, length } = listOf(kind);
      for (let at = from; at < from + length * ENTRY_BYTES; at += ENTRY_BYTES)
        yield { place: bytes.subarray(at, at + PLACE_BYTES), row: rowOfEntry(at) };
    },
  };
}

/** The sum of 256-bit numbers, fewer than 2^32 of them: limb by limb, the carry at the end of every stretch. */
function sumOf(view: DataView, from: number, size: number, counts: (row: number) => boolean): bigint {
  const limbs = new Float64Array(HASH_BYTES / 4);
  let sum = 0n;
  for (let row = 0; row < size; row++) {
    const at = from + row * HASH_BYTES;
    if (counts(row))
      for (let limb = 0; limb < limbs.length; limb++)
        limbs[limb] = (limbs[limb] as number) + view.getUint32(at + limb * 4);
    if (row % SUMMED_AT_ONCE < SUMMED_AT_ONCE - 1 && row < size - 1) continue;
    sum += limbs.reduce<bigint>((whole, limb) => (whole << 32n) + BigInt(limb), 0n);
    limbs.fill(0);
  }
  return BigInt.asUintN(8 * HASH_BYTES, sum);
}

/** Where the parts of a packed table lie. */
function layoutOf(view: DataView) {
  const number = (at: number) => view.getUint32(at * 4, true);
  const [size, indexed, ordered, isHashed] = [number(0), number(1), number(2), number(5) === 1];
  const keyEnds = HEADER_BYTES;
  const recordEnds = keyEnds + size * 4;
  const keys = recordEnds + size * 4;
  const records = keys + number(3);
  const hashes = records + number(4);
  const archived = hashes + (isHashed ? size * HASH_BYTES : 0);
  const indexes = archived + size;
  const orders = indexes + indexed * ENTRY_BYTES;
  const end = orders + ordered * ENTRY_BYTES;
  return {
    size,
    indexed,
    ordered,
    isHashed,
    keyEnds,
    recordEnds,
    keys,
    records,
    hashes,
    archived,
    indexes,
    orders,
    end,
  };
}

/** The first number for which something holds, of those for which it holds from one on. */
function firstWhere(length: number, holds: (number: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Compares a stretch of bytes with others, byte by byte: less than, equal to or greater than zero. */
function compareAt(bytes: Uint8Array, from: number, end: number, other: Uint8Array): number {
  const shared = Math.min(end - from, other.length);
  for (let at = 0; at < shared; at++) {
    const difference = (bytes[from + at] as number) - (other[at] as number);
    if (difference !== 0) return difference;
  }
  return end - from - other.length;
}
