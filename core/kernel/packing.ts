/**
 * Packs the tables of a state. Rows that were packed before and that nobody read or wrote since are copied as they lie.
 * Source: CONVERGENCE "Durability".
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { compareBytes, toHex } from "./bytes.ts";
import { compactWriter } from "./compact.ts";
import type { KeyedRows, LayeredRows } from "./layered.ts";
import type { PackedState } from "./packed-state.ts";
import { orderedPlaces, placeHash } from "./packed-state.ts";
import type { PackedPlace, PackedRow, PackedTable } from "./packed-table.ts";
import { packPlaces, packTable } from "./packed-table.ts";
import type { HeldRows, HeldStore, Row } from "./state.ts";
import type { Table } from "./table.ts";
import { utf8 } from "./text.ts";

const HASH_DIGITS = 64;

/** A row that is encoded anew. */
interface Encoded extends PackedRow {
  readonly name: string;
  readonly held: Row;
}

/** Packs every table that a checkpoint holds. */
export function packState(crypto: CryptoPort, tables: readonly Table<unknown>[], held: HeldStore): PackedState {
  const packed = new Map<string, Uint8Array>();
  for (const table of tables) {
    const rows = held.tables.get(table.name);
    if (table.checkpoint !== undefined && rows !== undefined && rows.rows.size > 0)
      packed.set(table.name, packRows(crypto, table, rows));
  }
  return { roots: { ...held.roots }, tables: packed };
}

/** How many rows would be encoded anew. */
export function rowsToEncode(tables: readonly Table<unknown>[], held: HeldStore): number {
  let sum = 0;
  for (const { name, checkpoint } of tables) {
    const rows = held.tables.get(name)?.rows;
    if (checkpoint !== undefined && rows !== undefined) sum += isLayered(rows) ? rows.above.size : rows.size;
  }
  return sum;
}

function packRows(crypto: CryptoPort, table: Table<unknown>, { rows, orders }: HeldRows): Uint8Array {
  const anew = [...(isLayered(rows) ? rows.above : rows)]
    .flatMap(([name, row]): Encoded[] => (row === undefined ? [] : [encodedRow(table, name, row)]))
    .sort(compareKeys);
  const packed = isLayered(rows) ? rows.packed : undefined;
  const { numbers, from } = merged(anew, isLayered(rows) ? rows : undefined);
  const hashOf = hashing(crypto);
  const numberOf = new Map(anew.map(({ name }, at) => [name, known(numbers.anew[at], "a row's number")]));
  const keyNumber = (key: string) =>
    numberOf.get(key) ?? known(numbers.packed[packed?.find(key) ?? -1], "the number of a key in order");
  const indexed = anew.flatMap(({ name, held }) =>
    held.places.map((place) => ({ place: hashOf(place), row: keyNumber(name) })),
  );
  const ordered = new Map<string, readonly PackedPlace[]>();
  for (const { held, name } of anew) {
    for (const place of orderedPlaces(table, name, held.record)) {
      const hash = hashOf(place);
      const keys = known(orders.get(place), "the keys in an order");
      const places = () => keys.map((key) => ({ place: hash, row: keyNumber(key) }));
      if (!ordered.has(toHex(hash))) ordered.set(toHex(hash), places());
    }
  }
  function* kept(kind: "indexes" | "orders"): Iterable<PackedPlace> {
    for (const { place, row } of packed?.entries(kind) ?? []) {
      const number = known(numbers.packed[row], "the number of a packed row");
      // Of a place in order that is written anew, nothing is kept as it was.
      if (number >= 0 && (kind === "indexes" || !ordered.has(toHex(place)))) yield { place, row: number };
    }
  }
  const placesOf = (kind: "indexes" | "orders", fresh: readonly PackedPlace[]) =>
    packPlaces(kept(kind), packed?.entryCount(kind) ?? 0, [...fresh].sort(comparePlaces));
  const isHashed = table.root !== "local" && table.root !== "seals";
  const row = (number: number): PackedRow => {
    const at = known(from[number], "where a row comes from");
    return at < 0 ? known(anew[-1 - at], "an encoded row") : copiedRow(known(packed, "packed rows"), at);
  };
  return packTable(
    { size: from.length, isHashed, row },
    placesOf("indexes", indexed),
    placesOf("orders", [...ordered.values()].flat()),
  );
}

/**
 * All rows in byte order of their keys: where each comes from, among those that are encoded anew below zero; and the
 * number of each, which is below zero for what is packed no longer.
 */
function merged(anew: readonly Encoded[], layered: LayeredRows<Row> | undefined) {
  const size = layered?.packed.size ?? 0;
  const numbers = { packed: new Int32Array(size).fill(-1), anew: new Int32Array(anew.length) };
  const left = new Set<number>();
  for (const name of layered?.above.keys() ?? []) left.add(known(layered, "packed rows").packed.find(name));
  const from = new Int32Array(size + anew.length);
  let [count, next] = [0, 0];
  const take = (): void => {
    numbers.anew[next] = count;
    from[count] = -1 - next;
    next += 1;
    count += 1;
  };
  for (let row = 0; row < size; row++) {
    if (left.has(row)) continue;
    const key = known(layered, "packed rows").packed.keyBytes(row);
    while (next < anew.length && compareBytes(known(anew[next], "an encoded row").key, key) < 0) take();
    numbers.packed[row] = count;
    from[count] = row;
    count += 1;
  }
  while (next < anew.length) take();
  return { numbers, from: from.subarray(0, count) };
}

function copiedRow(packed: PackedTable, row: number): PackedRow {
  const hash = packed.isHashed ? packed.hashBytes(row) : undefined;
  return { key: packed.keyBytes(row), record: packed.record(row), hash, isArchived: packed.isArchived(row) };
}

/** Hashes places; many rows stand at one. */
function hashing(crypto: CryptoPort): (place: string) => Uint8Array {
  const hashes = new Map<string, Uint8Array>();
  return (place) => {
    const hash = hashes.get(place) ?? placeHash(crypto, place);
    hashes.set(place, hash);
    return hash;
  };
}

function encodedRow(table: Table<unknown>, name: string, held: Row): Encoded {
  const writer = compactWriter();
  known(table.checkpoint, "how a checkpoint holds a table").encode(held.record, writer);
  const isCounted = table.root !== "local" && table.root !== "seals";
  const hash = isCounted ? hashBytes(held.hash) : undefined;
  return { key: utf8(name), record: writer.finish(), hash, isArchived: held.isArchived, name, held };
}

function hashBytes(hash: bigint): Uint8Array {
  const digits = hash.toString(16).padStart(HASH_DIGITS, "0");
  return Uint8Array.from({ length: HASH_DIGITS / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

function isLayered(rows: KeyedRows<Row>): rows is LayeredRows<Row> {
  return "packed" in rows;
}

function compareKeys(a: Encoded, b: Encoded): number {
  return compareBytes(a.key, b.key);
}

function comparePlaces(a: PackedPlace, b: PackedPlace): number {
  return compareBytes(a.place, b.place);
}
