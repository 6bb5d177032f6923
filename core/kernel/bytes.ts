/**
 * Byte strings: joining, comparing, hexadecimal and big-endian integers.
 */

const HEX = "0123456789abcdef";
/** The two digits of each byte. */
const DIGITS: readonly string[] = Array.from(
  { length: 256 },
  (_, byte) => HEX.charAt(byte >> 4) + HEX.charAt(byte & 15),
);

/** Joins byte strings in order. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Orders byte strings by their first differing byte, the shorter first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && compareBytes(a, b) === 0;
}

/** Lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte];
  return text;
}

/** Bytes of lower-case hexadecimal, or nothing for any other text. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = HEX.indexOf(text.charAt(2 * i));
    const low = HEX.indexOf(text.charAt(2 * i + 1));
    if (high < 0 || low < 0) return undefined;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

/** A 32-bit length or number, most significant byte first. */
export function u32be(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

export function u16be(value: number): Uint8Array {
  return Uint8Array.of((value >>> 8) & 255, value & 255);
}

/** A 64-bit number, most significant byte first. */
export function u64be(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value);
  return bytes;
}

/** The number that bytes spell, most significant first. */
export function bigEndian(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let value = 0n;
  let at = 0;
  for (; at + 8 <= bytes.length; at += 8) value = (value << 64n) | view.getBigUint64(at);
  for (; at < bytes.length; at += 1) value = (value << 8n) | BigInt(view.getUint8(at));
  return value;
}
