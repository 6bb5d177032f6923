/**
 * What the members of a snapshot file hold, as bytes: families of entries in `state`, signed statements in
 * `statements`; and how they are read in pieces, so that no step reads all of a file.
 * Source: protocol 05 §6.6, §6.7.
 */

import { concat } from "../../kernel/bytes.ts";
import type { CompactReader } from "../../kernel/compact.ts";
import { compactReader, compactWriter } from "../../kernel/compact.ts";
import type { Entry } from "./family.ts";

/** Member names of a file. Source: protocol 05 §6.7. */
export const STATE = "state";
export const STATEMENTS = "statements";

/** An encoded list: how many there are, and their bytes in order. */
export interface Encoded {
  readonly count: number;
  readonly bytes: readonly Uint8Array[];
}

/** A signed statement as a file carries it: the gossip event, and that event's payload. */
export interface CarriedStatement {
  readonly event: string;
  readonly wire: Uint8Array;
}

/** A family, or the beginning of one, that is being read. */
export interface FamilyCursor {
  readonly family: string;
  /** Entries of it that are still to come. */
  readonly left: number;
}

/** Where reading stands: at a byte, in a family, with so many families to come. */
export interface StateCursor extends FamilyCursor {
  readonly at: number;
  readonly families: number;
}

/** Where reading statements stands. */
export interface StatementCursor {
  readonly at: number;
  readonly left: number;
}

/** `state` of families whose entries are encoded. Source: protocol 05 §6.6. */
export function stateOf(families: readonly (Encoded & { readonly name: string })[]): Uint8Array {
  return concat(
    countOf(families.length),
    ...families.flatMap(({ name, count, bytes }) => [nameOf(name), countOf(count), ...bytes]),
  );
}

export function statementsOf({ count, bytes }: Encoded): Uint8Array {
  return concat(countOf(count), ...bytes);
}

export function encodeEntry({ key, value }: Entry): Uint8Array {
  const writer = compactWriter();
  writer.bytes(key);
  writer.bytes(value);
  return writer.finish();
}

export function encodeCarried({ event, wire }: CarriedStatement): Uint8Array {
  const writer = compactWriter();
  writer.text(event);
  writer.bytes(wire);
  return writer.finish();
}

/** The beginning of `state`. */
export function openState(bytes: Uint8Array): StateCursor | undefined {
  const reader = compactReader(bytes);
  const families = reader.count(2);
  return reader.failed() ? undefined : { at: reader.position(), families, family: "", left: 0 };
}

/** The next entry of `state`, with its family; `done` when there is none; nothing when the bytes are broken. */
export function nextEntry(
  bytes: Uint8Array,
  from: StateCursor,
): { readonly cursor: StateCursor; readonly entry: Entry | undefined } | "done" | undefined {
  if (from.left === 0 && from.families === 0) return "done";
  return pieceAt(bytes, from.at, (reader) => {
    if (from.left === 0) {
      const [family, left] = [reader.text(), reader.count(2)];
      const cursor = { at: from.at + reader.position(), families: from.families - 1, family, left };
      return { cursor, entry: undefined };
    }
    const entry = { key: reader.bytes(), value: reader.bytes() };
    return { cursor: { ...from, at: from.at + reader.position(), left: from.left - 1 }, entry };
  });
}

/** The beginning of `statements`. */
export function openStatements(bytes: Uint8Array): StatementCursor | undefined {
  const reader = compactReader(bytes);
  const left = reader.count(2);
  return reader.failed() ? undefined : { at: reader.position(), left };
}

/** The next statement; nothing when the bytes are broken. */
export function nextStatement(
  bytes: Uint8Array,
  { at, left }: StatementCursor,
): { readonly cursor: StatementCursor; readonly carried: CarriedStatement } | undefined {
  return pieceAt(bytes, at, (reader) => {
    const carried = { event: reader.text(), wire: reader.bytes() };
    return { cursor: { at: at + reader.position(), left: left - 1 }, carried };
  });
}

function pieceAt<T>(bytes: Uint8Array, at: number, read: (reader: CompactReader) => T): T | undefined {
  const reader = compactReader(bytes.subarray(at));
  const piece = read(reader);
  return reader.failed() ? undefined : piece;
}

function countOf(count: number): Uint8Array {
  const writer = compactWriter();
  writer.varint(count);
  return writer.finish();
}

function nameOf(name: string): Uint8Array {
  const writer = compactWriter();
  writer.text(name);
  return writer.finish();
}
