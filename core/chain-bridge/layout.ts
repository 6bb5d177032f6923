/**
 * Byte layouts of the chain: one definition reads and writes a structure (Borsh, little-endian).
 * Reading walks and bound-checks every length before it skips. Source: protocol 03 section 0 (notation), A.10.2.
 */

import { known } from "../kernel/assert.ts";
import { concat, fromHex } from "../kernel/bytes.ts";
import { addressText, parseAddress } from "./address-text.ts";

/** A value that was read, and the offset after it. */
export interface Read<T> {
  readonly value: T;
  readonly next: number;
}

/** One field: reads at an offset (undefined when the bytes do not hold it) and writes its bytes. */
export interface Field<T> {
  readonly bytesMin: number;
  read(bytes: Uint8Array, at: number): Read<T> | undefined;
  write(value: T): Uint8Array;
}

/** A structure's fields, in byte order. */
export type Fields<T> = { readonly [K in keyof T]: Field<T[K]> };

export const u8: Field<number> = integer(
  1,
  (view, at) => view.getUint8(at),
  (view, value) => view.setUint8(0, value),
);
export const u16: Field<number> = integer(
  2,
  (view, at) => view.getUint16(at, true),
  (view, value) => view.setUint16(0, value, true),
);
export const u32: Field<number> = integer(
  4,
  (view, at) => view.getUint32(at, true),
  (view, value) => view.setUint32(0, value, true),
);
export const u64: Field<bigint> = integer(
  8,
  (view, at) => view.getBigUint64(at, true),
  (view, value) => view.setBigUint64(0, value, true),
);
export const i64: Field<bigint> = integer(
  8,
  (view, at) => view.getBigInt64(at, true),
  (view, value) => view.setBigInt64(0, value, true),
);

/** One byte, 0 or 1; anything else is malformed. */
export const bool: Field<boolean> = {
  bytesMin: 1,
  read: (bytes, at) => {
    const byte = bytes[at];
    return byte === 0 || byte === 1 ? { value: byte === 1, next: at + 1 } : undefined;
  },
  write: (value) => Uint8Array.of(value ? 1 : 0),
};

/** A public key or address: 32 raw bytes, base58 in memory. */
export const pk: Field<string> = {
  bytesMin: 32,
  read: (bytes, at) => {
    return at + 32 <= bytes.length ? { value: addressText(bytes, at), next: at + 32 } : undefined;
  },
  write: (value) => addressBytes(value),
};

/** Exactly `length` raw bytes. */
export function raw(length: number): Field<Uint8Array> {
  return {
    bytesMin: length,
    read: (bytes, at) => {
      return at + length <= bytes.length ? { value: bytes.slice(at, at + length), next: at + length } : undefined;
    },
    write: (value) => value,
  };
}

/** `Option<T>`: a presence byte of 0 or 1, then T when 1. */
export function option<T>(item: Field<T>): Field<T | null> {
  return {
    bytesMin: 1,
    read: (bytes, at) => {
      const presence = bytes[at];
      if (presence === 0) return { value: null, next: at + 1 };
      return presence === 1 ? item.read(bytes, at + 1) : undefined;
    },
    write: (value) => (value === null ? Uint8Array.of(0) : concat(Uint8Array.of(1), item.write(value))),
  };
}

/**
 * `Vec<T>`: a u32 count, then the items. A count above `max`, or one that the bytes cannot hold, is refused
 * before an item is read.
 */
export function vec<T>(item: Field<T>, max: number): Field<readonly T[]> {
  return {
    bytesMin: 4,
    read: (bytes, at) => {
      const count = u32.read(bytes, at);
      if (count === undefined || count.value > max) return undefined;
      if (count.value * item.bytesMin > bytes.length - count.next) return undefined;
      return readItems(item, count.value, bytes, count.next);
    },
    write: (values) => concat(u32.write(values.length), ...values.map((value) => item.write(value))),
  };
}

/** Exactly `count` items without a count in the bytes. */
export function array<T>(item: Field<T>, count: number): Field<readonly T[]> {
  return {
    bytesMin: count * item.bytesMin,
    read: (bytes, at) => readItems(item, count, bytes, at),
    write: (values) => concat(...values.map((value) => item.write(value))),
  };
}

/** Named fields one after the other. */
export function struct<T extends object>(fields: Fields<T>): Field<Readonly<T>> {
  const entries = Object.entries(fields) as unknown as readonly (readonly [string, Field<unknown>])[];
  return {
    bytesMin: entries.reduce((total, [, field]) => total + field.bytesMin, 0),
    read: (bytes, at) => {
      const value: Record<string, unknown> = {};
      let next = at;
      for (const [name, field] of entries) {
        const read = field.read(bytes, next);
        if (read === undefined) return undefined;
        value[name] = read.value;
        next = read.next;
      }
      return { value: value as T, next };
    },
    write: (value) => concat(...entries.map(([name, field]) => field.write((value as Record<string, unknown>)[name]))),
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
  return bytes.length >= prefix.length && prefix.every((byte, index) => byte === bytes[index]);
}

function integer<T>(
  size: number,
  get: (view: DataView, at: number) => T,
  set: (view: DataView, value: T) => void,
): Field<T> {
  return {
    bytesMin: size,
    read: (bytes, at) => {
      if (at + size > bytes.length) return undefined;
      return { value: get(new DataView(bytes.buffer, bytes.byteOffset), at), next: at + size };
    },
    write: (value) => {
      const written = new Uint8Array(size);
      set(new DataView(written.buffer), value);
      return written;
    },
  };
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
