/**
 * Scalar schemas: integers, floats, booleans, fixed bytes, enumerations and texts with a form.
 * Source: protocol 01 §1 (encodings), §2.2 (spelling), §2.4 (floats), §9.2 (bytes); 02 A.2.
 */

import { U64_MAX, U128_MAX } from "./compact.ts";
import { floatText, parseFloatToken } from "./float.ts";
import type { Json } from "./json.ts";
import { isList, isNumber, isObject } from "./json.ts";
import type { Decoder, Range, Schema, TextForm } from "./schema.ts";

const DIGITS = /^(?:0|[1-9][0-9]*)$/;
const LARGEST = { 8: 255, 16: 65_535, 32: 4_294_967_295 } as const;
/**
 * Longest base58 text, and longest bytes, that are converted: the cost grows with the square of the length, and no key,
 * peer id or signature comes near. Source: DESIGN L10.
 */
const BASE58_LENGTH_MAX = 256;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]*$/;
const SIGNED_DIGITS = /^-?(?:0|[1-9][0-9]*)$/;

/** An unsigned 64-bit integer, a `bigint` from end to end. */
export const u64 = wide(64, U64_MAX);
/**
 * A sum of 64-bit integers, which no number of them that anybody holds takes beyond 128 bits. As text and as bytes it
 * is what `u64` writes, as long as it fits there. Source: protocol 02 F.2, F.3.
 */
export const u128 = wide(128, U128_MAX);

export const u8 = small(8);
export const u16 = small(16);
/** An unsigned integer of 32 bits. */
export const u32 = small(32);

/** An unsigned integer of more bits than a double holds. */
function wide(bits: 64 | 128, most: bigint): Schema<bigint> {
  const digits = most.toString().length;
  return {
    shape: { type: "integer", bits: 64, signed: false },
    decode(node, decoder) {
      if (isNumber(node) && DIGITS.test(node.text) && node.text.length <= digits) {
        const value = BigInt(node.text);
        if (value <= most) return value;
      }
      decoder.fail(`expected an unsigned ${bits}-bit integer`);
      return 0n;
    },
    write: (value) => value.toString(),
    encode: (value, writer) => writer.varint(value),
    read: (reader) => reader.varint(bits),
  };
}

/** An integer of at most 32 bits; `range` narrows what JSON may carry. */
export function small(bits: 8 | 16 | 32, range?: Range): Schema<number> {
  const least = range?.least ?? 0;
  const most = range?.most ?? LARGEST[bits];
  return {
    shape: { type: "integer", bits, signed: false, ...(range && { range }) },
    decode(node, decoder) {
      if (isNumber(node) && DIGITS.test(node.text) && node.text.length <= 10) {
        const value = Number(node.text);
        if (value >= least && value <= most) return value;
      }
      decoder.fail(`expected an integer from ${least} to ${most}`);
      return least;
    },
    write: (value) => value.toString(),
    encode: (value, writer) => (bits === 8 ? writer.byte(value) : writer.varint(value)),
    read(reader) {
      const value = bits === 8 ? reader.byte() : Number(reader.varint(bits));
      if (value < least || value > most) reader.fail();
      return value;
    },
  };
}

/** A signed 32-bit integer; zig-zag in compact form. */
export const i32: Schema<number> = {
  shape: { type: "integer", bits: 32, signed: true },
  decode(node, decoder) {
    if (isNumber(node) && SIGNED_DIGITS.test(node.text) && node.text !== "-0" && node.text.length <= 11) {
      const value = Number(node.text);
      if (value >= -2_147_483_648 && value <= 2_147_483_647) return value;
    }
    decoder.fail("expected a signed 32-bit integer");
    return 0;
  },
  write: (value) => value.toString(),
  encode: (value, writer) => writer.varint(((value << 1) ^ (value >> 31)) >>> 0),
  read(reader) {
    const value = Number(reader.varint(32));
    return (value >>> 1) ^ -(value & 1);
  },
};

/** A double. JSON integers read as doubles; overflow is refused. */
export const f64: Schema<number> = {
  shape: { type: "float" },
  floats: true,
  decode(node, decoder) {
    const value = isNumber(node) ? parseFloatToken(node.text) : undefined;
    if (value === undefined) decoder.fail("expected a number");
    return value ?? 0;
  },
  write: (value, style) => floatText(value, style.float),
  encode: (value, writer) => writer.float(value),
  read: (reader) => reader.float(),
};

/** True or false, as one byte. */
export const bool: Schema<boolean> = {
  shape: { type: "boolean" },
  decode(node, decoder) {
    if (typeof node !== "boolean") decoder.fail("expected true or false");
    return node === true;
  },
  write: (value) => (value ? "true" : "false"),
  encode: (value, writer) => writer.byte(value ? 1 : 0),
  read(reader) {
    const value = reader.byte();
    if (value > 1) reader.fail();
    return value === 1;
  },
};

/** Bytes shown as an array of integers: commitments, secrets, digests. `null` means any length. */
export function byteArray(length: number | null): Schema<Uint8Array> {
  const expected = length === null ? "an array of bytes" : `an array of ${length} bytes`;
  return {
    shape: { type: "bytes", length },
    decode(node, decoder) {
      const bytes = bytesOf(node);
      if (bytes !== undefined && (length === null || bytes.length === length)) return bytes;
      decoder.fail(`expected ${expected}`);
      return new Uint8Array(length ?? 0);
    },
    write: (value) => `[${value.join(",")}]`,
    encode: (value, writer) => (length === null ? writer.bytes(value) : writer.raw(value)),
    read: (reader) => (length === null ? reader.bytes() : reader.raw(length)),
  };
}

/** A choice of names, in compact order. `{"Name":null}` is read as `"Name"`. */
export function enumeration<const Names extends readonly string[]>(...names: Names): Schema<Names[number]> {
  const first = names[0] ?? "";
  return {
    shape: { type: "enumeration", names },
    decode(node, decoder) {
      const name = typeof node === "string" ? node : unitVariant(node);
      if (name !== undefined && names.includes(name)) return name as Names[number];
      decoder.fail(`expected one of ${names.join(", ")}`);
      return first;
    },
    write: (value) => JSON.stringify(value),
    encode: (value, writer) => writer.varint(names.indexOf(value)),
    read(reader) {
      const name = names[Number(reader.varint(32))];
      if (name === undefined) reader.fail();
      return name ?? first;
    },
  };
}

/**
 * A text. `normalise` turns what arrived into what is kept, or refuses with nothing; `isDeparture` says which of it the
 * reference would refuse.
 */
export function text<T extends string>(
  form: TextForm,
  expected: string,
  normalise: (received: string) => T | undefined,
  isDeparture: (value: T) => boolean = () => false,
): Schema<T> {
  return {
    shape: { type: "text", form },
    decode(node, decoder) {
      const value = typeof node === "string" ? normalise(node) : undefined;
      if (value === undefined) decoder.fail(`expected ${expected}`);
      else if (isDeparture(value)) decoder.depart(`expected ${expected}`);
      return value ?? ("" as T);
    },
    write: (value) => JSON.stringify(value),
    encode: (value, writer) => writer.text(value),
    read(reader) {
      const value = normalise(reader.text());
      if (value === undefined) reader.fail();
      return value ?? ("" as T);
    },
  };
}

/** Any text. */
export const plainText: Schema<string> = text("plain", "a string", (received) => received);

/** A text that is bytes on the wire: keys, peer ids, signatures. An array of integers taints the payload. */
export function byteText<T extends string>(
  form: TextForm,
  length: number | null,
  codec: { readonly toBytes: (text: string) => Uint8Array | undefined; readonly toText: (bytes: Uint8Array) => string },
): Schema<T> {
  function accept(text: string, decoder: Decoder): T {
    if (text.length > BASE58_LENGTH_MAX && length === null && BASE58.test(text)) {
      decoder.taint();
      return "" as T;
    }
    const bytes = text.length > BASE58_LENGTH_MAX ? undefined : codec.toBytes(text);
    if (bytes === undefined || (length !== null && bytes.length !== length)) return refuse(decoder);
    return codec.toText(bytes) as T;
  }
  function refuse(decoder: Decoder): T {
    decoder.fail(`expected base58${length === null ? "" : ` of ${length} bytes`}`);
    return "" as T;
  }
  return {
    shape: { type: "text", form },
    decode(node, decoder) {
      if (typeof node === "string") return accept(node, decoder);
      const bytes = bytesOf(node);
      if (bytes === undefined) return refuse(decoder);
      decoder.taint();
      return (bytes.length > BASE58_LENGTH_MAX ? "" : codec.toText(bytes)) as T;
    },
    write: (value) => JSON.stringify(value),
    encode(value, writer) {
      const bytes = codec.toBytes(value) ?? new Uint8Array(length ?? 0);
      if (length === null) writer.bytes(bytes);
      else writer.raw(bytes);
    },
    read(reader) {
      const bytes = length === null ? reader.bytes() : reader.raw(length);
      if (bytes.length <= BASE58_LENGTH_MAX) return codec.toText(bytes) as T;
      reader.fail();
      return "" as T;
    },
  };
}

function bytesOf(node: Json): Uint8Array | undefined {
  if (!isList(node)) return undefined;
  const bytes = new Uint8Array(node.length);
  for (let i = 0; i < node.length; i++) {
    const item = node[i];
    if (item === undefined || !isNumber(item) || !DIGITS.test(item.text) || item.text.length > 3) return undefined;
    const value = Number(item.text);
    if (value > 255) return undefined;
    bytes[i] = value;
  }
  return bytes;
}

function unitVariant(node: Json): string | undefined {
  if (!isObject(node) || node.members.size !== 1 || node.duplicate !== undefined) return undefined;
  for (const [name, value] of node.members) if (value === null) return name;
  return undefined;
}
