/**
 * A row as a state holds it, and how it is packed: its bytes, and the hashes by which the places of its indexes are
 * found. Source: CONVERGENCE "Durability", "Roots".
 */

import type { CryptoPort } from "../ports/crypto.ts";
import { known } from "./assert.ts";
import { compactWriter } from "./compact.ts";
import type { PackedRow, PackedTable } from "./packed-table.ts";
import { PLACE_BYTES } from "./packed-table.ts";
import type { Order, Places, Table } from "./table.ts";
import { slotOf } from "./table.ts";
import { utf8 } from "./text.ts";

const HASH_DIGITS = 64;

/** A record, where it is found, and what a root counts for it: nothing where its table is in none. */
export interface Row {
  readonly record: unknown;
  /** Absent where no other node can hold the record: made again when it changes. `placesOfRow` gives them of any. */
  readonly places: Places | undefined;
  readonly hash: bigint;
  /** Whether the archive root counts it. */
  readonly isArchived: boolean;
}

/** Where a row is found. */
export function placesOfRow(table: Table<unknown>, key: string, { record, places }: Row): Places {
  return places ?? table.placesOf(record, key);
}

/** The same places, as they are hashed. */
export function slotsOfRow(table: Table<unknown>, key: string, row: Row): readonly string[] {
  return slotsOf(table.indexNames, placesOfRow(table, key, row));
}

function slotsOf(names: readonly string[], places: Places): readonly string[] {
  return places.flatMap((values, number) => values.map((value) => slotOf(names[number] as string, value)));
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

/** Where a record stands in the ordered indexes of its table, by their numbers, each once. */
export function orderedPlaces({ orders, orderNames }: Table<unknown>, key: string, record: unknown): Places {
  return orderNames.map((name) => [...new Set((orders[name] as Order<unknown>).under(record, key))]);
}

/** The same places, as they are hashed. */
export function orderedSlots(table: Table<unknown>, key: string, record: unknown): readonly string[] {
  return slotsOf(table.orderNames, orderedPlaces(table, key, record));
}

function hashBytes(hash: bigint): Uint8Array {
  const digits = hash.toString(16).padStart(HASH_DIGITS, "0");
  return Uint8Array.from({ length: HASH_DIGITS / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}
