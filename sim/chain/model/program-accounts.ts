/**
 * The program's accounts as values, each read from its bytes once. Source: protocol 03 D.3, A.10.2.
 */
import type { AccountLayout } from "../../../core/index.ts";
import { decodeAccount, encodeAccount, simulatedProfile } from "../../../core/index.ts";
import type { ReadOnce } from "../read-once.ts";
import { readOnce } from "../read-once.ts";

/** Readers by layout; a layout is a constant of the core, so there are a dozen. */
const readers = new Map<AccountLayout<never>, ReadOnce<unknown>>();

/** The bytes read as one kind; undefined when they are none. Who owns them is for the caller to look at. */
export function decoded<T>(kind: AccountLayout<T>, data: Uint8Array): T | undefined {
  return readerOf(kind).of(data) as T | undefined;
}

/** Bytes of a new account of a kind. */
export function encoded<T extends object>(kind: AccountLayout<T>, value: T): Uint8Array {
  const data = encodeAccount(kind, value);
  if (isPlain(value)) readerOf(kind).known(data, value);
  return data;
}

/** The bytes with a kind's fields; those beyond the fields stay as an earlier, longer value left them. */
export function overwritten<T extends object>(kind: AccountLayout<T>, before: Uint8Array, value: T): Uint8Array {
  const data = before.slice();
  data.set(kind.discriminator);
  data.set(kind.fields.write(value), kind.discriminator.length);
  if (isPlain(value)) readerOf(kind).known(data, value);
  return data;
}

function readerOf<T>(kind: AccountLayout<T>): ReadOnce<unknown> {
  const held = readers.get(kind as AccountLayout<never>);
  if (held !== undefined) return held;
  const owner = simulatedProfile[kind.owner];
  const reader = readOnce<unknown>((data) => {
    const result = decodeAccount(kind, simulatedProfile, { owner, data });
    return result.ok ? result.value : undefined;
  });
  readers.set(kind as AccountLayout<never>, reader);
  return reader;
}

/** What the narrowest field of each sort holds. */
const PLAIN_NUMBER_MAX = 255;
const PLAIN_BIGINT_MAX = (1n << 63n) - 1n;

/** Whether every field surely holds its value whole, so that reading it back would answer the same. */
function isPlain(value: object): boolean {
  return Object.values(value).every((field: unknown) => {
    if (typeof field === "bigint") return field >= 0n && field <= PLAIN_BIGINT_MAX;
    if (typeof field === "number") return Number.isInteger(field) && field >= 0 && field <= PLAIN_NUMBER_MAX;
    return typeof field === "string" || typeof field === "boolean";
  });
}
