/**
 * A row as a state holds it, and how it is packed: its bytes, and the hashes by which the places of its indexes are
 * found. Source: CONVERGENCE "Durability", "Roots".
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { compactWriter } from "./compact.ts";
import type { PackedRow, PackedTable } from "./packed-table.ts";
import { PLACE_BYTES } from "./packed-table.ts";
import type { Order, Table } from "./table.ts";
import { slotOf } from "./table.ts";
import { utf8 } from "./text.ts";

const HASH_DIGITS = 64;

/** A record, where it is found, and what a root counts for it: nothing where its table is in none. */
export interface Row {
  readonly record: unknown;
  /** Absent where its table's rows keep none; `placesOfRow` gives them of any. */
  readonly places: readonly string[] | undefined;
  readonly hash: bigint;
  /** Whether the archive root counts it. */
  readonly isArchived: boolean;
}

/** Where a row is found. */
export function placesOfRow(table: Table<unknown>, key: string, { record, places }: Row): readonly string[] {
  return places ?? table.placesOf(record, key);
}

/** A row to be packed. */
export function packedRow(table: Table<unknown>, key: string, { record, hash, isArchived }: Row): PackedRow {
  const writer = compactWriter();
  known(table.checkpoint, "how a checkpoint holds a table").encode(record, writer);
  const isCounted = table.root !== "local" && table.root !== "seals";
  return { key: utf8(key), record: writer.finish(), hash: isCounted ? hashBytes(hash) : undefined, isArchived };
}

/** A row as it lies in a packed table. */
export function copiedRow(packed: PackedTable, row: number): PackedRow {
  const hash = packed.isHashed ? packed.hashBytes(row) : undefined;
  return { key: packed.keyBytes(row), record: packed.record(row), hash, isArchived: packed.isArchived(row) };
}

/** The hash by which a place is packed: the first half of its SHA-256. */
export function placeHash({ sha256 }: Pick<CryptoPort, "sha256">, place: string): Uint8Array {
  return sha256(utf8(place)).subarray(0, PLACE_BYTES);
}

/** Where a record stands in the ordered indexes of its table, each once. */
export function orderedPlaces({ orders }: Table<unknown>, key: string, record: unknown): readonly string[] {
  const places = Object.entries(orders).flatMap(([name, order]: [string, Order<unknown>]) =>
    order.under(record, key).map((value) => slotOf(name, value)),
  );
  return places.length > 1 ? [...new Set(places)] : places;
}

function hashBytes(hash: bigint): Uint8Array {
  const digits = hash.toString(16).padStart(HASH_DIGITS, "0");
  return Uint8Array.from({ length: HASH_DIGITS / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}
