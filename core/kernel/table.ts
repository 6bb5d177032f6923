/**
 * Tables: keyed records with declared indexes and a declared part in the roots.
 * A `Reader` is all that rules and queries see of a state; a `Change` is all that a step leaves behind.
 * Source: CONVERGENCE "Roots".
 */

import type { SharingPort } from "../ports/sharing.ts";
import { assert } from "./assert.ts";
import type { CompactReader, CompactWriter } from "./compact.ts";
import { compactWriter } from "./compact.ts";
import type { SignedType } from "./signed.ts";

/**
 * Which root counts a table: identities, chain facts, records; `local` tables count in none. What the keys of the one
 * table of `seals` name counts in the archive root instead.
 */
export type Root = "statements" | "facts" | "state" | "local" | "seals";

/** Signed payload types by name: what a stored statement needs to be read again. */
export type TypeRegistry = ReadonlyMap<string, SignedType>;

/** How a record becomes bytes and back; every schema is one. */
export interface RecordCodec<R> {
  readonly encode: (record: R, writer: CompactWriter) => void;
  readonly read: (reader: CompactReader, types: TypeRegistry) => R;
  /** Never becomes bytes. */
  readonly inMemory?: true;
}

/** A table of a node's state: its name, its codec and its indexes. */
export interface Table<R> {
  readonly name: string;
  readonly record: RecordCodec<R>;
  readonly root: Root;
  /** Kept in the store; every other table is computed again from those that are. */
  readonly durable: boolean;
  /** How a checkpoint holds it: what is durable, what a root counts, and what would take long to compute again. */
  readonly checkpoint: RecordCodec<R> | undefined;
  /** Whether peers compare its keys: identities of statements, whichever of such tables they stand in. */
  readonly compared: boolean;
  /** Whether nodes may hold the same record: what a root counts, statements that wait, and what says so. */
  readonly common: boolean;
  /** Fields that only decorate reads: no root counts them, so they may differ between nodes that know the same. */
  readonly decorations: readonly string[];
  /** What has to be sealed for a record to be: its key, or what it is found under in this index. */
  readonly sealedBy: string | undefined;
  /** Index name to the values a record is found under. */
  readonly indexes: Readonly<Record<string, (record: R, key: string) => readonly string[]>>;
  /** Ordered indexes, by their names: for what is asked for its first, its last or a stretch of it. */
  readonly orders: Readonly<Record<string, Order<R>>>;
  /** Names of its indexes, and of its ordered ones: an index has the number at which its name stands. */
  readonly indexNames: readonly string[];
  readonly orderNames: readonly string[];
  readonly placesOf: (record: R, key: string) => Places;
}

/** Where a record is found: by the number of each index the values under which it stands there, each once. */
export type Places = readonly (readonly string[])[];

/** An index that keeps what it finds in order. */
export interface Order<R> {
  /** The values a record is found under. */
  readonly under: (record: R, key: string) => readonly string[];
  /** Where it stands there: ranks are compared as texts, and of equal ones the keys. */
  readonly rank: (record: R, key: string) => string;
}

interface TableOptions<R> {
  readonly root: Root;
  readonly durable?: boolean;
  readonly checkpoint?: RecordCodec<R>;
  readonly compared?: boolean;
  readonly common?: boolean;
  readonly decorations?: readonly (keyof R & string)[];
  readonly sealedBy?: string;
  readonly indexes?: Table<R>["indexes"];
  readonly orders?: Table<R>["orders"];
}

/** Declares a table. */
export function table<R>(name: string, record: RecordCodec<R>, options: TableOptions<R>): Table<R> {
  const { root, durable = false, compared = false, decorations = [], sealedBy, indexes = {}, orders = {} } = options;
  const common = options.common ?? (root !== "local" || compared);
  const checkpoint = durable || root !== "local" ? record : options.checkpoint;
  const names = { indexNames: Object.keys(indexes), orderNames: Object.keys(orders) };
  const sorts = { indexes, orders, ...names, placesOf: placesIn(indexes) };
  return { name, record, root, durable, checkpoint, compared, common, decorations, sealedBy, ...sorts };
}

/** The place of an index value among those of all indexes of a table: what is hashed to find it packed. */
export function slotOf(index: string, value: string): string {
  return `${index}\u0000${value}`;
}

/** The first of many keys, without going through the others. */
export function firstOf(keys: Iterable<string>, most: number): readonly string[] {
  const first: string[] = [];
  for (const key of keys) {
    if (first.length >= most) break;
    first.push(key);
  }
  return first;
}

/** What is found nowhere. */
export const NO_PLACES: readonly (readonly string[])[] = [];

function placesIn<R>(indexes: Table<R>["indexes"]): Table<R>["placesOf"] {
  const all = Object.values(indexes);
  if (all.length === 0) return () => NO_PLACES;
  return (record, key) => all.map((valuesOf) => eachOnce(valuesOf(record, key)));
}

/** Values without those that came before. */
export function eachOnce(values: readonly string[]): readonly string[] {
  // Lists are short, and mostly each value stands there once: to look makes nothing.
  return values.every((value, at) => values.indexOf(value) === at) ? values : [...new Set(values)];
}

/** A record's bytes, as its table writes them; nobody changes them. */
export function bytesOfRecord<R>(table: Table<R>, record: R, sharing?: SharingPort): Uint8Array {
  const { record: codec } = table;
  const make = () => {
    const writer = compactWriter();
    codec.encode(record, writer);
    return writer.finish();
  };
  return sharing === undefined || !table.common || !isShareable(record) ? make() : sharing.of(codec, record, make);
}

/** Whether a record is one thing that several nodes may hold. */
export function isShareable(record: unknown): record is object {
  return typeof record === "object" && record !== null;
}

/** `sealedBy`: a record is sealed when its own key is. */
export const BY_KEY = "";

/** A record that never leaves memory: it is computed again, or given up with the process. */
export function inMemory<R>(): RecordCodec<R> {
  return {
    inMemory: true,
    encode: () => assert(false, "what is computed is never stored"),
    read(reader) {
      reader.fail();
      return undefined as R;
    },
  };
}

/** A rule by its name, and the first date for which it holds. */
export interface DatedRule {
  readonly rule: string;
  readonly from: bigint;
}

/** What rules and queries may ask of a state. */
export interface Reader {
  /** Whether records here have no end of life, as those of the reference: what is said about them counts for ever. */
  readonly endless?: boolean;
  /** Rules that hold for what is dated from an instant on; none unless said. */
  readonly amendments?: readonly DatedRule[] | undefined;
  /** What nodes of one process share, where they do. */
  readonly sharing?: SharingPort | undefined;
  get<R>(table: Table<R>, key: string): R | undefined;
  /** Keys of the records under an index value, in no particular order; some of them, where no more are asked for. */
  find<R>(table: Table<R>, index: string, value: string, most?: number): readonly string[];
  /** How many records stand under an index value, without going through them. */
  count<R>(table: Table<R>, index: string, value: string): number;
  /** Keys of the records under a value of an ordered index, in its order, in a list that nobody changes. */
  ordered<R>(table: Table<R>, order: string, value: string): readonly string[];
  /** Where a record that is held is found, as its table's `placesOf` gives it; only what keeps it answers. */
  placesHeld?<R>(table: Table<R>, key: string): Places | undefined;
  /** A record's bytes, as its table writes them; only what makes them once for all who ask answers. */
  bytesOf?<R>(table: Table<R>, record: R): Uint8Array;
  /** Every key of a table, in no particular order. */
  keys<R>(table: Table<R>): Iterable<string>;
  /** The same with their records, where whoever keeps them reads them faster in a row than one by one. */
  entries?<R>(table: Table<R>): Iterable<readonly [key: string, record: R]>;
  size<R>(table: Table<R>): number;
}

/** Reads go to whichever state is the current one. */
export function readerOf(current: () => Reader): Reader {
  return {
    get: (table, key) => current().get(table, key),
    find: (table, index, value, most) => current().find(table, index, value, most),
    count: (table, index, value) => current().count(table, index, value),
    ordered: (table, order, value) => current().ordered(table, order, value),
    keys: (table) => current().keys(table),
    size: (table) => current().size(table),
  };
}

/** One record written or, with `undefined`, removed. */
export interface Change {
  readonly table: string;
  readonly key: string;
  readonly record: unknown;
  /** Where its table's indexes find the record, where whoever wrote it knows; what is not given is computed. */
  readonly places?: Places;
  /** The record as its table writes it, where whoever wrote it was asked for that. */
  readonly bytes?: Uint8Array | undefined;
}

/** Every record of a table with its key, in no particular order. */
export function* entriesOf<R>(reader: Reader, table: Table<R>): Iterable<readonly [key: string, record: R]> {
  if (reader.entries !== undefined) return yield* reader.entries(table);
  for (const key of reader.keys(table)) {
    const record = reader.get(table, key);
    if (record !== undefined) yield [key, record];
  }
}

/** The records under an index value. */
export function recordsOf<R>(reader: Reader, from: Table<R>, index: string, value: string): readonly R[] {
  const records: R[] = [];
  for (const key of reader.find(from, index, value)) {
    const record = reader.get(from, key);
    if (record !== undefined) records.push(record);
  }
  return records;
}
