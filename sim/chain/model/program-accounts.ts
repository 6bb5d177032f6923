/**
 * The program's accounts as values. Source: protocol 03 D.3, A.10.2.
 */
import type { AccountLayout } from "../../../core/testing.ts";
import { decodeAccount, simulatedProfile } from "../../../core/testing.ts";
import type { Codec, Content } from "./held-account.ts";
import { bytesOf, contentOf, contentOfValue, replaced, valueIn } from "./held-account.ts";

/** Codecs by layout; a layout is a constant of the core, so there are a dozen. */
const codecs = new Map<object, Codec<unknown>>();

/** The data read as one kind; undefined when it is none. Who owns the account is for the caller to look at. */
export function decoded<T>(kind: AccountLayout<T>, content: Content): T | undefined {
  return valueIn(codecOf(kind), content);
}

/** Data of a new account of a kind. */
export function encoded<T extends object>(kind: AccountLayout<T>, value: T): Content {
  const codec = codecOf(kind);
  if (isPlain(value)) return contentOfValue(codec, kind.bytesAllocated, value);
  return contentOf(codec.write(value, undefined));
}

/** The data with a kind's fields; bytes beyond them stay as an earlier, longer value left them. */
export function overwritten<T extends object>(kind: AccountLayout<T>, before: Content, value: T): Content {
  const codec = codecOf(kind);
  if (hasOneLength(kind) && isPlain(value)) return replaced(codec, before, value);
  return contentOf(codec.write(value, bytesOf(before)));
}

/** Whether the fields fill the account whatever they hold. */
function hasOneLength<T>(kind: AccountLayout<T>): boolean {
  return kind.discriminator.length + kind.fields.bytesMin === kind.bytesAllocated;
}

function codecOf<T>(kind: AccountLayout<T>): Codec<T> {
  const held = codecs.get(kind);
  if (held !== undefined) return held as Codec<T>;
  const owner = simulatedProfile[kind.owner];
  const codec: Codec<T> = {
    read: (data) => {
      const result = decodeAccount(kind, simulatedProfile, { owner, data });
      return result.ok ? result.value : undefined;
    },
    write: (value, below) => {
      const data = below === undefined ? new Uint8Array(kind.bytesAllocated) : below.slice();
      data.set(kind.discriminator);
      data.set(kind.fields.write(value), kind.discriminator.length);
      return data;
    },
  };
  codecs.set(kind, codec as Codec<unknown>);
  return codec;
}

/** What the narrowest field of each sort holds. */
const PLAIN_NUMBER_MAX = 255;
const PLAIN_BIGINT_MAX = (1n << 63n) - 1n;

/** Whether every field surely holds its value whole, so that reading it back would answer the same. */
function isPlain(value: object): boolean {
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields) if (!isPlainField(fields[name])) return false;
  return true;
}

/** Whether one field, whichever of its sort, surely holds a value. */
export function isPlainField(field: unknown): boolean {
  switch (typeof field) {
    case "bigint":
      return field >= 0n && field <= PLAIN_BIGINT_MAX;
    case "number":
      return Number.isInteger(field) && field >= 0 && field <= PLAIN_NUMBER_MAX;
    default:
      return typeof field === "string" || typeof field === "boolean";
  }
}
