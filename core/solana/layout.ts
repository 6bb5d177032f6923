/**
 * Byte layouts of the chain: one definition reads and writes a structure (Borsh, little-endian).
 * Reading walks and bound-checks every length before it skips. Source: protocol 03 section 0 (notation), A.10.2.
 */

import { known } from "../kernel/assert.ts";
import { fromHex } from "../kernel/bytes.ts";
import { addressText, parseAddress } from "./address-text.ts";

/** A value that was read, and the offset after it. */
export interface Read<T> {
  readonly value: T;
  readonly next: number;
}

/** Where fields are written, one after the other; it grows when it is full. */
export interface Output {
  byte(value: number): void;
  bytes(value: Uint8Array): void;
  /** Room for a number of so many bytes, which `set` fills. */
  number(size: number, set: (view: DataView, at: number) => void): void;
  /** All that was written. */
  written(): Uint8Array;
}

/** How a field is read and written, before it is one. */
export interface FieldRules<T> {
  readonly bytesMin: number;
  read(bytes: Uint8Array, at: number): Read<T> | undefined;
  /** Adds the value's bytes to the output. */
  put(out: Output, value: T): void;
}

/** One field: reads at an offset (undefined when the bytes do not hold it) and writes its bytes. */
export interface Field<T> extends FieldRules<T> {
  write(value: T): Uint8Array;
}

/** A structure's fields, in byte order. */
export type Fields<T> = { readonly [K in keyof T]: Field<T[K]> };

/** One byte. */
export const u8: Field<number> = integer(
  1,
  (view, at) => view.getUint8(at),
  (view, at, value) => view.setUint8(at, value),
);
/** An unsigned integer of 16 bits, little-endian. */
export const u16: Field<number> = integer(
  2,
  (view, at) => view.getUint16(at, true),
  (view, at, value) => view.setUint16(at, value, true),
);
/** An unsigned integer of 32 bits, little-endian. */
export const u32: Field<number> = integer(
  4,
  (view, at) => view.getUint32(at, true),
  (view, at, value) => view.setUint32(at, value, true),
);
/** An unsigned integer of 64 bits, little-endian. */
export const u64: Field<bigint> = integer(
  8,
  (view, at) => view.getBigUint64(at, true),
  (view, at, value) => view.setBigUint64(at, value, true),
);
/** A signed integer of 64 bits, little-endian. */
export const i64: Field<bigint> = integer(
  8,
  (view, at) => view.getBigInt64(at, true),
  (view, at, value) => view.setBigInt64(at, value, true),
);

/** One byte, 0 or 1; anything else is malformed. */
export const bool: Field<boolean> = field({
  bytesMin: 1,
  read: (bytes, at) => {
    const byte = bytes[at];
    return byte === 0 || byte === 1 ? { value: byte === 1, next: at + 1 } : undefined;
  },
  put: (out, value) => out.byte(value ? 1 : 0),
});

/** A public key or address: 32 raw bytes, base58 in memory. */
export const pk: Field<string> = field({
  bytesMin: 32,
  read: (bytes, at) => {
    return at + 32 <= bytes.length ? { value: addressText(bytes, at), next: at + 32 } : undefined;
  },
  put: (out, value) => out.bytes(addressBytes(value)),
});

/** Exactly `length` raw bytes. */
export function raw(length: number): Field<Uint8Array> {
  return field({
    bytesMin: length,
    read: (bytes, at) => {
      return at + length <= bytes.length ? { value: bytes.slice(at, at + length), next: at + length } : undefined;
    },
    put: (out, value) => out.bytes(value),
  });
}

/** `Option<T>`: a presence byte of 0 or 1, then T when 1. */
export function option<T>(item: Field<T>): Field<T | null> {
  return field<T | null>({
    bytesMin: 1,
    read: (bytes, at) => {
      const presence = bytes[at];
      if (presence === 0) return { value: null, next: at + 1 };
      return presence === 1 ? item.read(bytes, at + 1) : undefined;
    },
    put: (out, value) => {
      out.byte(value === null ? 0 : 1);
      if (value !== null) item.put(out, value);
    },
  });
}

/**
 * `Vec<T>`: a u32 count, then the items. A count above `max`, or one that the bytes cannot hold, is refused
 * before an item is read.
 */
export function vec<T>(item: Field<T>, max: number): Field<readonly T[]> {
  return field({
    bytesMin: 4,
    read: (bytes, at) => {
      const count = u32.read(bytes, at);
      if (count === undefined || count.value > max) return undefined;
      if (count.value * item.bytesMin > bytes.length - count.next) return undefined;
      return readItems(item, count.value, bytes, count.next);
    },
    put: (out, values) => {
      u32.put(out, values.length);
      for (const value of values) item.put(out, value);
    },
  });
}

/** Exactly `count` items without a count in the bytes. */
export function array<T>(item: Field<T>, count: number): Field<readonly T[]> {
  return field({
    bytesMin: count * item.bytesMin,
    read: (bytes, at) => readItems(item, count, bytes, at),
    put: (out, values) => {
      for (const value of values) item.put(out, value);
    },
  });
}

/** Named fields one after the other. */
export function struct<T extends object>(fields: Fields<T>): Field<Readonly<T>> {
  const entries = Object.entries(fields) as unknown as readonly (readonly [string, Field<unknown>])[];
  return field({
    bytesMin: entries.reduce((total, [, part]) => total + part.bytesMin, 0),
    read: (bytes, at) => {
      const value: Record<string, unknown> = {};
      let next = at;
      for (const [name, part] of entries) {
        const read = part.read(bytes, next);
        if (read === undefined) return undefined;
        value[name] = read.value;
        next = read.next;
      }
      return { value: value as T, next };
    },
    put: (out, value) => {
      for (const [name, part] of entries) part.put(out, (value as Record<string, unknown>)[name]);
    },
  });
}

/** A field of its rules. */
export function field<T>(rules: FieldRules<T>): Field<T> {
  return {
    ...rules,
    write: (value) => {
      const out = openOutput(rules.bytesMin);
      rules.put(out, value);
      return out.written();
    },
  };
}

/** Bytes of a constant from the protocol's tables, written in lower-case hexadecimal. */
export function hex(text: string): Uint8Array {
  return known(fromHex(text), text);
}

/** The 32 bytes of an address that was read from bytes, derived, or is a constant. */
export function addressBytes(address: string): Uint8Array {
  return known(parseAddress(address), address);
}

/** Whether `bytes` begin with `prefix`. */
export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index += 1) if (prefix[index] !== bytes[index]) return false;
  return true;
}

function integer<T>(
  size: number,
  get: (view: DataView, at: number) => T,
  set: (view: DataView, at: number, value: T) => void,
): Field<T> {
  return field({
    bytesMin: size,
    read: (bytes, at) => {
      if (at + size > bytes.length) return undefined;
      return { value: get(new DataView(bytes.buffer, bytes.byteOffset), at), next: at + size };
    },
    put: (out, value) => out.number(size, (view, at) => set(view, at, value)),
  });
}

/** An output with room for so many bytes at first. */
function openOutput(room: number): Output {
  let held = new Uint8Array(room);
  let view = new DataView(held.buffer);
  let at = 0;
  return {
    byte: (value) => {
      held = roomFor(held, at, 1);
      held[at] = value;
      at += 1;
    },
    bytes: (value) => {
      held = roomFor(held, at, value.length);
      held.set(value, at);
      at += value.length;
    },
    number: (size, set) => {
      held = roomFor(held, at, size);
      if (view.buffer !== held.buffer) view = new DataView(held.buffer);
      set(view, at);
      at += size;
    },
    written: () => (at === held.length ? held : held.slice(0, at)),
  };
}

/** These bytes, or larger ones that begin like them. */
function roomFor(bytes: Uint8Array<ArrayBuffer>, at: number, length: number): Uint8Array<ArrayBuffer> {
  if (at + length <= bytes.length) return bytes;
  const grown = new Uint8Array(Math.max(2 * bytes.length, at + length));
  grown.set(bytes.subarray(0, at));
  return grown;
}

function readItems<T>(item: Field<T>, count: number, bytes: Uint8Array, at: number): Read<readonly T[]> | undefined {
  const values: T[] = [];
  let next = at;
  for (let index = 0; index < count; index += 1) {
    const read = item.read(bytes, next);
    if (read === undefined) return undefined;
    values.push(read.value);
    next = read.next;
  }
  return { value: values, next };
}
