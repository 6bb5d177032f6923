/**
 * Addresses as text: base58 of exactly 32 bytes, several times faster than the general codec because the length is
 * known: 16-bit words against limbs of five digits, all products below 2^53. Same texts as core/kernel/text.ts;
 * a chain transaction names up to 30 addresses, and this is where reading it would spend its time.
 */
import { assert } from "../kernel/assert.ts";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const ADDRESS_BYTES = 32;
const WORDS = ADDRESS_BYTES / 2;
/** 58^5: what five digits hold. Nine such limbs hold 256 bits. */
const LIMB = 656_356_768;
const LIMBS = 9;
const LIMB_DIGITS = 5;
/** Digits that 32 bytes never exceed. */
const DIGITS_MAX = 44;

const digitValues: ReadonlyMap<string, number> = new Map([...ALPHABET].map((letter, value) => [letter, value]));

/** The address whose 32 bytes stand at `at`. */
export function addressText(bytes: Uint8Array, at: number = 0): string {
  assert(at + ADDRESS_BYTES <= bytes.length, "32 bytes stand there");
  const limbs = new Array<number>(LIMBS).fill(0);
  for (let word = 0; word < WORDS; word += 1) {
    let carry = (bytes[at + 2 * word] ?? 0) * 256 + (bytes[at + 2 * word + 1] ?? 0);
    for (let limb = 0; limb < LIMBS; limb += 1) {
      const product = (limbs[limb] ?? 0) * 65_536 + carry;
      carry = Math.floor(product / LIMB);
      limbs[limb] = product - carry * LIMB;
    }
  }
  let text = "";
  for (const limb of limbs) text = limbText(limb) + text;
  return "1".repeat(leadingZeros(bytes, at)) + text.slice(leadingOnes(text));
}

/** The 32 bytes of an address; undefined for any other text. */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.length < ADDRESS_BYTES || text.length > DIGITS_MAX) return undefined;
  const words = new Array<number>(WORDS).fill(0);
  const first = text.length % LIMB_DIGITS;
  for (let at = first === 0 ? 0 : first - LIMB_DIGITS; at < text.length; at += LIMB_DIGITS) {
    const value = limbValue(text, Math.max(0, at), at + LIMB_DIGITS);
    if (value === undefined) return undefined;
    let carry = value;
    for (let word = WORDS - 1; word >= 0; word -= 1) {
      const product = (words[word] ?? 0) * LIMB + carry;
      carry = Math.floor(product / 65_536);
      words[word] = product - carry * 65_536;
    }
    if (carry !== 0) return undefined; // more than 32 bytes
  }
  const bytes = new Uint8Array(ADDRESS_BYTES);
  for (const [index, word] of words.entries()) {
    bytes[2 * index] = word >> 8;
    bytes[2 * index + 1] = word & 255;
  }
  return leadingZeros(bytes, 0) === leadingOnes(text) ? bytes : undefined;
}

/** Five digits, leading ones included. */
function limbText(limb: number): string {
  let rest = limb;
  let text = "";
  for (let digit = 0; digit < LIMB_DIGITS; digit += 1) {
    const shorter = Math.floor(rest / 58);
    text = ALPHABET.charAt(rest - shorter * 58) + text;
    rest = shorter;
  }
  return text;
}

/** The number that digits spell; the first group may be shorter than five. */
function limbValue(text: string, from: number, until: number): number | undefined {
  let value = 0;
  for (let at = from; at < until; at += 1) {
    const digit = digitValues.get(text.charAt(at));
    if (digit === undefined) return undefined;
    value = value * 58 + digit;
  }
  return value;
}

function leadingZeros(bytes: Uint8Array, at: number): number {
  let count = 0;
  while (count < ADDRESS_BYTES && bytes[at + count] === 0) count += 1;
  return count;
}

function leadingOnes(text: string): number {
  let count = 0;
  while (count < text.length && text.charAt(count) === "1") count += 1;
  return count;
}
