/**
 * The compact encoding (postcard): what statements, events and records are as bytes.
 * A reader never throws: the first fault sticks, later reads answer empty values, `failed()` tells.
 * Source: protocol 01 §9.2.
 */

import { fromUtf8, utf8 } from "./text.ts";

/** Largest unsigned 64-bit integer. Source: protocol 01 §1.5. */
export const U64_MAX = 0xffff_ffff_ffff_ffffn;
/** The largest sum that compact form carries. Source: protocol 02 F.2. */
export const U128_MAX = (1n << 128n) - 1n;

export interface CompactWriter {
  byte(value: number): void;
  /** Unsigned LEB128. */
  varint(value: bigint | number): void;
  raw(bytes: Uint8Array): void;
  /** Length, then bytes. */
  bytes(bytes: Uint8Array): void;
  text(text: string): void;
  float(value: number): void;
  finish(): Uint8Array;
}

export interface CompactReader {
  byte(): number;
  /** Unsigned LEB128 of at most `bits` bits. */
  varint(bits: 16 | 32 | 64 | 128): bigint;
  raw(length: number): Uint8Array;
  bytes(): Uint8Array;
  text(): string;
  float(): number;
  /** A list length that the rest of the input could hold, at `least` bytes an element. */
  count(least: number): number;
  /** Bytes read so far. */
  position(): number;
  fail(): void;
  failed(): boolean;
}

/**
 * Bytes that a writer begins with: an array of so few lies in the engine's own heap. Source: DESIGN "Measured values".
 */
const FIRST_BYTES = 64;
/** Bytes that it goes on with: most statements fit. Source: DESIGN "Measured values". */
const NEXT_BYTES = 512;
/**
 * Texts up to this many units, whose length is one byte, are written unit by unit while they are ASCII: addresses and
 * signatures are. Source: DESIGN "Measured values".
 */
const SHORT_TEXT = 127;

export function compactWriter(): CompactWriter {
  let buffer = new Uint8Array(FIRST_BYTES);
  let length = 0;

  function reserve(more: number): void {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(NEXT_BYTES, buffer.length * 2, length + more));
    larger.set(buffer);
    buffer = larger;
  }

  /** Writes a short ASCII text with its length; any other is left as it was not. */
  function wroteAscii(text: string): boolean {
    const units = text.length;
    if (units > SHORT_TEXT) return false;
    reserve(units + 1);
    for (let at = 0; at < units; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit > 127) return false;
      buffer[length + 1 + at] = unit;
    }
    buffer[length] = units;
    length += units + 1;
    return true;
  }

  const writer: CompactWriter = {
    byte(value) {
      reserve(1);
      buffer[length++] = value;
    },
    varint(value) {
      if (typeof value === "number") {
        let rest = value;
        for (; rest > 127; rest = Math.floor(rest / 128)) writer.byte((rest % 128) | 128);
        writer.byte(rest);
        return;
      }
      if (value <= 0x1f_ffff_ffff_ffffn) return writer.varint(Number(value));
      let rest = value;
      for (; rest > 127n; rest >>= 7n) writer.byte(Number(rest & 127n) | 128);
      writer.byte(Number(rest));
    },
    raw(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    bytes(bytes) {
      writer.varint(bytes.length);
      writer.raw(bytes);
    },
    text(text) {
      if (!wroteAscii(text)) writer.bytes(utf8(text));
    },
    float(value) {
      const bytes = new Uint8Array(8);
      new DataView(bytes.buffer).setFloat64(0, value, true);
      writer.raw(bytes);
    },
    finish: () => buffer.slice(0, length),
  };
  return writer;
}

export function compactReader(input: Uint8Array): CompactReader {
  let at = 0;
  let broken = false;

  /** An unsigned LEB128 of at most so many bits; seven digits of it are a number without loss. */
  function unsigned(bits: 16 | 32 | 64 | 128): number | bigint {
    const end = bits === 16 ? 0x1_0000 : bits === 32 ? 0x1_0000_0000 : Infinity;
    let [low, shift] = [0, 0];
    for (let scale = 1; shift < 49 && shift < bits; shift += 7, scale *= 128) {
      const byte = reader.byte();
      low += (byte & 127) * scale;
      if (byte > 127) continue;
      if (low >= end) reader.fail();
      return broken ? 0 : low;
    }
    let value = BigInt(low);
    for (; shift < bits; shift += 7) {
      const byte = reader.byte();
      value |= BigInt(byte & 127) << BigInt(shift);
      if (byte < 128 && value <= (bits === 128 ? U128_MAX : U64_MAX)) return broken ? 0 : value;
    }
    reader.fail();
    return 0;
  }

  const reader: CompactReader = {
    byte() {
      if (at >= input.length) reader.fail();
      return broken ? 0 : (input[at++] ?? 0);
    },
    varint: (bits) => BigInt(unsigned(bits)),
    raw(length) {
      if (length > input.length - at) reader.fail();
      if (broken) return new Uint8Array(0);
      at += length;
      return input.slice(at - length, at);
    },
    bytes: () => reader.raw(reader.count(1)),
    text() {
      const length = reader.count(1);
      if (broken) return "";
      at += length;
      const text = fromUtf8(input.subarray(at - length, at));
      if (text === undefined) reader.fail();
      return text ?? "";
    },
    float() {
      const bytes = reader.raw(8);
      return broken ? 0 : new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
    },
    count(least) {
      const count = Number(unsigned(32));
      if (count * least > input.length - at) reader.fail();
      return broken ? 0 : count;
    },
    position: () => at,
    fail() {
      broken = true;
    },
    failed: () => broken,
  };
  return reader;
}
