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
import type { PackedPlace, PackedRow } from "./packed-table.ts";
import { packTable } from "./packed-table.ts";
import type { HeldRows, HeldStore, Row } from "./state.ts";
import type { Table } from "./table.ts";
import { utf8 } from "./text.ts";

const HASH_DIGITS = 64;

/** A row that is encoded anew, or one that is copied: then by its number among those that were packed. */
interface Standing extends PackedRow {
  readonly from: number | undefined;
  readonly name: string;
  readonly held: Row | undefined;
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

function packRows(crypto: CryptoPort, table: Table<unknown>, held: HeldRows): Uint8Array {
  const hashes = new Map<string, Uint8Array>();
  /** Many rows stand at one place. */
  const hashOf = (place: string): Uint8Array => {
    const hash = hashes.get(place) ?? placeHash(crypto, place);
    hashes.set(place, hash);
    return hash;
  };
  const rows = standing(table, held.rows);
  const numbers = new Map<string, number>();
  const packed = isLayered(held.rows) ? held.rows.packed : undefined;
  const renumbered = new Int32Array(packed?.size ?? 0).fill(-1);
  for (const [number, { from, name }] of rows.entries()) {
    if (from === undefined) numbers.set(name, number);
    else renumbered[from] = number;
  }
  const kept = (kind: "indexes" | "orders"): PackedPlace[] =>
    [...(packed?.entries(kind) ?? [])].flatMap(({ place, row }) => {
      const number = known(renumbered[row], "the number of a packed row");
      return number < 0 ? [] : [{ place, row: number }];
    });
  const indexes = rows.flatMap(({ held: row }, number) =>
    (row?.places ?? []).map((place) => ({ place: hashOf(place), row: number })),
  );
  const numberOf = (key: string) => numbers.get(key) ?? known(renumbered[packed?.find(key) ?? -1], "a key in order");
  const ordered = new Map<string, readonly PackedPlace[]>();
  for (const { held: row, name } of rows) {
    for (const place of row === undefined ? [] : orderedPlaces(table, name, row.record)) {
      const hash = hashOf(place);
      const keys = known(held.orders.get(place), "the keys in an order");
      if (!ordered.has(toHex(hash)))
        ordered.set(
          toHex(hash),
          keys.map((key) => ({ place: hash, row: numberOf(key) })),
        );
    }
  }
  // Of a place that is written anew, nothing is kept as it was.
  const orders = kept("orders").filter(({ place }) => !ordered.has(toHex(place)));
  return packTable(
    rows,
    [...kept("indexes"), ...indexes].sort(comparePlaces),
    [...orders, ...[...ordered.values()].flat()].sort(comparePlaces),
  );
}

/** All rows in byte order of their keys. */
function standing(table: Table<unknown>, rows: KeyedRows<Row>): readonly Standing[] {
  const anew = [...(isLayered(rows) ? rows.above : rows)].flatMap(([name, row]): Standing[] =>
    row === undefined ? [] : [encodedRow(table, name, row)],
  );
  if (!isLayered(rows)) return anew.sort(compareKeys);
  const { packed, above } = rows;
  const left = new Set<number>();
  for (const name of above.keys()) left.add(packed.find(name));
  const copied: Standing[] = [];
  for (let from = 0; from < packed.size; from++) {
    if (left.has(from)) continue;
    const hash = packed.isHashed ? packed.hashBytes(from) : undefined;
    const bytes = {
      key: packed.keyBytes(from),
      record: packed.record(from),
      hash,
      isArchived: packed.isArchived(from),
    };
    copied.push({ ...bytes, from, name: "", held: undefined });
  }
  return [...copied, ...anew].sort(compareKeys);
}

function encodedRow(table: Table<unknown>, name: string, held: Row): Standing {
  const writer = compactWriter();
  known(table.checkpoint, "how a checkpoint holds a table").encode(held.record, writer);
  const isCounted = table.root !== "local" && table.root !== "seals";
  const hash = isCounted ? hashBytes(held.hash) : undefined;
  return { key: utf8(name), record: writer.finish(), hash, isArchived: held.isArchived, from: undefined, name, held };
}

function hashBytes(hash: bigint): Uint8Array {
  const digits = hash.toString(16).padStart(HASH_DIGITS, "0");
  return Uint8Array.from({ length: HASH_DIGITS / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

function isLayered(rows: KeyedRows<Row>): rows is LayeredRows<Row> {
  return "packed" in rows;
}

function compareKeys(a: Standing, b: Standing): number {
  return compareBytes(a.key, b.key);
}

function comparePlaces(a: PackedPlace, b: PackedPlace): number {
  return compareBytes(a.place, b.place);
}
