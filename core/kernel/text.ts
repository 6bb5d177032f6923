/**
 * Text and its encodings: UTF-8, base58, base64 and comparison by UTF-8 bytes.
 * JavaScript compares UTF-16 code units, which swaps U+FFFF and U+10000; nodes must agree on bytes.
 * Source: protocol 01 §1.1 rules 2-4.
 */

import { decodeBase58, encodeBase58 } from "./base58.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PADDING = 0x3d;

/** The UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text that bytes spell, or nothing when they are not UTF-8 in its one valid spelling. */
export function fromUtf8(bytes: Uint8Array): string | undefined {
  const text = decoder.decode(bytes);
  if (!text.includes("\uFFFD")) return text;
  const again = encoder.encode(text);
  if (again.length !== bytes.length) return undefined;
  for (let i = 0; i < again.length; i++) if (again[i] !== bytes[i]) return undefined;
  return text;
}

/** Whether every surrogate has its partner, so that the text has a UTF-8 spelling. */
export function isWellFormed(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (unit > 0xdbff) return false;
    const next = text.charCodeAt(i + 1);
    if (!(next >= 0xdc00 && next <= 0xdfff)) return false;
    i++;
  }
  return true;
}

/** Orders texts by their UTF-8 bytes, which is the order of their code points. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const xSurrogate = x >= 0xd800 && x <= 0xdfff;
    const ySurrogate = y >= 0xd800 && y <= 0xdfff;
    if (xSurrogate !== ySurrogate) return xSurrogate ? 1 : -1;
    return x - y;
  }
  return a.length - b.length;
}

/** Number of Unicode code points. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether a text holds a control character: below U+0020, or U+007F to U+009F. Source: protocol 01 §15 W12. */
export function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x20 || (unit >= 0x7f && unit <= 0x9f)) return true;
  }
  return false;
}

/** Base58 with the Bitcoin alphabet, without a checksum. */
export function toBase58(bytes: Uint8Array): string {
  return encodeBase58(bytes);
}

/** Bytes of a base58 text, or nothing for a foreign character. */
export function fromBase58(text: string): Uint8Array | undefined {
  return decodeBase58(text);
}

/** Standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  const digits = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PADDING);
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const chunk = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    digits[at++] = BASE64.charCodeAt(chunk >> 18);
    digits[at++] = BASE64.charCodeAt((chunk >> 12) & 63);
    if (i + 1 < bytes.length) digits[at++] = BASE64.charCodeAt((chunk >> 6) & 63);
    if (i + 2 < bytes.length) digits[at++] = BASE64.charCodeAt(chunk & 63);
  }
  return decoder.decode(digits);
}

const BASE64_VALUES = (() => {
  const values = new Int16Array(128).fill(-1);
  for (let i = 0; i < BASE64.length; i++) values[BASE64.charCodeAt(i)] = i;
  return values;
})();

/** Bytes of standard base64: padding required, spare bits zero, no white space, no URL alphabet. */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  if (text.length === 0) return new Uint8Array(0);
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let at = 0;
  let chunk = 0;
  for (let i = 0; i < text.length; i += 4) {
    const third = i + 2 < digits ? base64Value(text, i + 2) : 0;
    const fourth = i + 3 < digits ? base64Value(text, i + 3) : 0;
    // A foreign character is negative, and so is whatever it is joined with.
    chunk = (base64Value(text, i) << 18) | (base64Value(text, i + 1) << 12) | (third << 6) | fourth;
    if (chunk < 0) return undefined;
    // What lies behind the end is not written.
    bytes[at++] = chunk >> 16;
    bytes[at++] = chunk >> 8;
    bytes[at++] = chunk;
  }
  const spareBits = (1 << (8 * padding)) - 1;
  return (chunk & spareBits) === 0 ? bytes : undefined;
}

/** What a base64 digit counts; -1 for a foreign character. */
function base64Value(text: string, at: number): number {
  return BASE64_VALUES[text.charCodeAt(at)] ?? -1;
}
