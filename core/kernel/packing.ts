/**
 * Packs the tables of a state. Rows that were packed before and that nobody read or wrote since are copied as they lie.
 * Source: CONVERGENCE "Durability".
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { compareBytes, equalBytes, toHex } from "./bytes.ts";
import type { HeldRows } from "./held-rows.ts";
import { orderedAt } from "./held-rows.ts";
import type { KeyedRows, LayeredRows } from "./layered.ts";
import type { Row } from "./packed-row.ts";
import { copiedRow, orderedPlaces, packedRow, placeHash, slotsOfRow } from "./packed-row.ts";
import type { PackedState } from "./packed-state.ts";
import type { PackedPlace, PackedRow } from "./packed-table.ts";
import { packPlaces, packTable } from "./packed-table.ts";
import type { HeldStore } from "./state.ts";
import type { Table } from "./table.ts";
import { slotOf } from "./table.ts";
import { fromUtf8 } from "./text.ts";

/** A row that is not copied from a packed table: one of memory, encoded anew, or one of pages. */
interface Encoded extends PackedRow {
  readonly name: string;
  readonly held: Row | undefined;
  /** Its number in the pages. */
  readonly paged: number | undefined;
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
    const rows = held.tables.get(name)?.live;
    if (checkpoint !== undefined && rows !== undefined) sum += isLayered(rows) ? rows.above.size : rows.size;
  }
  return sum;
}

function packRows(crypto: CryptoPort, table: Table<unknown>, held: HeldRows): Uint8Array {
  const layered = isLayered(held.live) ? held.live : undefined;
  const packed = layered?.packed;
  const anew = [...encodedRows(table, held), ...pagedRows(held)].sort(compareKeys);
  const { numbers, from } = merged(anew, layered);
  const numberOf = new Map(anew.map(({ name }, at) => [name, known(numbers.anew[at], "a row's number")]));
  const naming: Naming = {
    hashOf: hashing(crypto),
    keyNumber: (key) =>
      numberOf.get(key) ?? known(numbers.packed[packed?.find(key) ?? -1], "the number of a key in order"),
    pagedNumber: new Map(
      anew.flatMap(({ paged, name }) => (paged === undefined ? [] : [[paged, numberOf.get(name) ?? 0]])),
    ),
  };
  const ordered = orderedAnew(table, held, anew, naming);
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
    placesOf("indexes", indexedAnew(table, held, anew, naming)),
    placesOf("orders", [...ordered.values()].flat()),
  );
}

/** How places are hashed, and which numbers rows have once they are packed: by their keys, or by those in pages. */
interface Naming {
  readonly hashOf: (place: string) => Uint8Array;
  readonly keyNumber: (key: string) => number;
  readonly pagedNumber: ReadonlyMap<number, number>;
}

/** Rows of memory, encoded. */
function encodedRows(table: Table<unknown>, { live }: HeldRows): readonly Encoded[] {
  return [...(isLayered(live) ? live.above : live)].flatMap(([name, row]): Encoded[] =>
    row === undefined ? [] : [{ ...packedRow(table, name, row), name, held: row, paged: undefined }],
  );
}

/** Rows of pages, as they lie. */
function pagedRows({ sealed }: HeldRows): readonly Encoded[] {
  return [...(sealed?.packed() ?? [])].map(([paged, row]) => {
    const name = known(fromUtf8(row.key), "the text of a key");
    return { ...row, name, held: undefined, paged };
  });
}

/** Where rows that are not copied from a packed table are found. */
function indexedAnew(
  table: Table<unknown>,
  { sealed }: HeldRows,
  anew: readonly Encoded[],
  naming: Naming,
): readonly PackedPlace[] {
  const { hashOf, keyNumber, pagedNumber } = naming;
  const places = anew.flatMap(({ held, name }) =>
    (held === undefined ? [] : slotsOfRow(table, name, held)).map((place) => {
      return { place: hashOf(place), row: keyNumber(name) };
    }),
  );
  for (const [place, numbers] of sealed?.placed("indexes") ?? [])
    for (const number of numbers) places.push({ place, row: known(pagedNumber.get(number), "a row of pages") });
  return places;
}

/** The places of ordered indexes at which any of these rows stands, with all that stand there. */
function orderedAnew(
  table: Table<unknown>,
  held: HeldRows,
  anew: readonly Encoded[],
  { hashOf, keyNumber, pagedNumber }: Naming,
): ReadonlyMap<string, readonly PackedPlace[]> {
  const ordered = new Map<string, readonly PackedPlace[]>();
  const put = ({ name, value }: OrderedPlace, hash: Uint8Array): void => {
    const keys = orderedAt(table, held, name, value);
    ordered.set(
      toHex(hash),
      keys.map((key) => ({ place: hash, row: keyNumber(key) })),
    );
  };
  for (const { held: row, name } of anew) {
    for (const place of row === undefined ? [] : namedPlaces(table, name, row.record)) {
      const hash = hashOf(slotOf(place.name, place.value));
      if (!ordered.has(toHex(hash))) put(place, hash);
    }
  }
  const packed = isLayered(held.live) ? held.live.packed : undefined;
  for (const [hash, numbers] of held.sealed?.placed("orders") ?? []) {
    if (ordered.has(toHex(hash))) continue;
    const [first = 0] = numbers;
    // Who stands alone there needs no rank.
    if (numbers.length === 1 && (packed?.under("orders", hash).length ?? 0) === 0)
      ordered.set(toHex(hash), [{ place: hash, row: known(pagedNumber.get(first), "a row of pages") }]);
    else
      put(
        placeOfHash(table, held, first, ({ name, value }) => equalBytes(hashOf(slotOf(name, value)), hash)),
        hash,
      );
  }
  return ordered;
}

/** The place of an ordered index that has a hash, by a row of pages that stands there. */
function placeOfHash(
  table: Table<unknown>,
  { sealed }: HeldRows,
  number: number,
  isMeant: (place: OrderedPlace) => boolean,
): OrderedPlace {
  const { key, record } = known(sealed, "pages").at(number);
  return known(namedPlaces(table, key, record).find(isMeant), "the place of a hash");
}

/** A value of an ordered index. */
interface OrderedPlace {
  readonly name: string;
  readonly value: string;
}

function namedPlaces(table: Table<unknown>, key: string, record: unknown): readonly OrderedPlace[] {
  const places = orderedPlaces(table, key, record);
  return table.orderNames.flatMap((name, number) => (places[number] ?? []).map((value) => ({ name, value })));
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

/** Hashes places; many rows stand at one. */
function hashing(crypto: CryptoPort): (place: string) => Uint8Array {
  const hashes = new Map<string, Uint8Array>();
  return (place) => {
    const hash = hashes.get(place) ?? placeHash(crypto, place);
    hashes.set(place, hash);
    return hash;
  };
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
