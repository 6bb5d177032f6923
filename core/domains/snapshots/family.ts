/**
 * Families: the parts of a snapshot's `state`, each a sorted list of keys and records as the reference stores them.
 * Here: what a family is. Which there are is in families.ts. Source: protocol 05 §6.6, §14.8; 01 §13.6.
 */

import type { Viewer } from "../../engine/admission/validation-order.ts";
import { equalBytes } from "../../kernel/bytes.ts";
import type { Schema } from "../../kernel/schema.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import type { Reader, Table } from "../../kernel/table.ts";
import { entriesOf } from "../../kernel/table.ts";
import { compareText, utf8 } from "../../kernel/text.ts";
import type { CryptoPort } from "../../ports/crypto.ts";

export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export interface Family {
  readonly name: string;
  /** Names under which its entries are asked for, in the order of their keys. */
  readonly names: (reader: Reader, at: Viewer) => readonly string[];
  /** The entries under a name, in order of key; none when the record is gone. */
  readonly entries: (reader: Reader, name: string, at: Viewer) => readonly Entry[];
  /** Whether an entry of somebody's file is one of this family: it decodes, and its key is the record's own. */
  readonly accepts: (crypto: CryptoPort, entry: Entry) => boolean;
}

interface RecordFamily<R> {
  readonly name: string;
  readonly record: Schema<R>;
  readonly keyOf: (record: R) => Uint8Array;
  readonly names: Family["names"];
  readonly read: (reader: Reader, name: string, at: Viewer) => R | undefined;
}

/** A family with one record for each name. */
export function recordFamily<R>({ name, record, keyOf, names, read }: RecordFamily<R>): Family {
  return severalFamily({
    name,
    record,
    keyOf,
    names,
    read(reader, each, at) {
      const found = read(reader, each, at);
      return found === undefined ? [] : [found];
    },
  });
}

/** A family with any number of records under a name. */
export function severalFamily<R>(
  options: Omit<RecordFamily<R>, "read"> & {
    readonly read: (reader: Reader, name: string, at: Viewer) => readonly R[];
  },
): Family {
  const { name, record, keyOf, names, read } = options;
  return {
    name,
    names,
    entries: (reader, each, at) =>
      read(reader, each, at).map((found) => ({ key: keyOf(found), value: encodeCompact(record, found) })),
    accepts(_, { key, value }) {
      const found = decodeCompact(record, value);
      return found !== undefined && equalBytes(keyOf(found), key);
    },
  };
}

/** A family that this node never fills. Another's entries are taken for what they are: nothing is read from them. */
export function emptyFamily(name: string): Family {
  return { name, names: () => [], entries: () => [], accepts: () => true };
}

/** The key of a record that goes by its id. */
export function idKey({ id }: { readonly id: string }): Uint8Array {
  return utf8(id);
}

/** Every id in a table, once, in byte order. */
export function idsIn<R>(reader: Reader, table: Table<R>, idOf: (row: R) => string | undefined): readonly string[] {
  const ids = new Set<string>();
  for (const [, row] of entriesOf(reader, table)) {
    const id = idOf(row);
    if (id !== undefined) ids.add(id);
  }
  return [...ids].sort(compareText);
}

/** Of the rows that share an id the smallest by (date, row key), in order of id: names of rows. */
export function oldestOfEach<R>(
  reader: Reader,
  table: Table<R>,
  about: (row: R) => { readonly id: string; readonly at: bigint } | undefined,
): readonly string[] {
  const first = new Map<string, { readonly key: string; readonly at: bigint }>();
  for (const [key, row] of entriesOf(reader, table)) {
    const seen = about(row);
    const other = seen === undefined ? undefined : first.get(seen.id);
    if (seen === undefined || (other !== undefined && isBefore(other, { key, at: seen.at }))) continue;
    first.set(seen.id, { key, at: seen.at });
  }
  return [...first].sort(([a], [b]) => compareText(a, b)).map(([, { key }]) => key);
}

type Placed = { readonly key: string; readonly at: bigint };

function isBefore(a: Placed, b: Placed): boolean {
  return a.at === b.at ? compareText(a.key, b.key) < 0 : a.at < b.at;
}
