/**
 * Addresses as text: base58 of exactly 32 bytes, several times faster than the general codec because the length is
 * known: 16-bit words against limbs of five digits, all products below 2^53. Same texts as core/kernel/text.ts;
 * a chain transaction names up to 30 addresses, and this is where reading it would spend its time.
 */
import { assert } from "../kernel/assert.ts";
import { BASE58_ALPHABET, base58Pairs, base58Value, leadingOnes } from "../kernel/base58.ts";

const ADDRESS_BYTES = 32;
const WORDS = ADDRESS_BYTES / 2;
/** 58^5: what five digits hold. Nine such limbs hold 256 bits. */
const LIMB = 656_356_768;
const LIMBS = 9;
const LIMB_DIGITS = 5;
/** Digits that 32 bytes never exceed. */
const DIGITS_MAX = 44;

/**
 * Digits of 65,536^n in limbs, for each limb from n = 0 on: what a word at that place adds to the limb. A sum of all
 * sixteen stays below 2^50.
 */
const limbShares: readonly Float64Array[] = Array.from({ length: LIMBS }, (_, limb) => {
  const unit = BigInt(LIMB);
  let below = 1n;
  for (let n = 0; n < limb; n += 1) below *= unit;
  return Float64Array.from({ length: WORDS }, (_none, word) => Number(((1n << BigInt(16 * word)) / below) % unit));
});

/** The first word that is large enough to reach each limb. */
const firstWords: readonly number[] = limbShares.map((shares) => shares.findIndex((share) => share !== 0));

/** The same the other way: what a limb at each place adds to a word. A sum of all nine stays below 2^49. */
const wordShares: readonly Float64Array[] = Array.from({ length: WORDS }, (_, word) => {
  let unit = 1n;
  return Float64Array.from({ length: LIMBS }, () => {
    const share = Number((unit >> BigInt(16 * word)) & 65_535n);
    unit *= BigInt(LIMB);
    return share;
  });
});

/** Texts that are kept, each in the one place its bytes choose. Source: DESIGN "Bounds". */
const PLACES = 8_192;
const keptBytes: Uint8Array = new Uint8Array(PLACES * ADDRESS_BYTES);
const keptTexts: (string | undefined)[] = new Array<string | undefined>(PLACES).fill(undefined);

/**
 * The address whose 32 bytes stand at `at`. Programs, mints and wallets come again and again: the text made last for a
 * place is kept and answered when all of its bytes are the same.
 */
export function addressText(bytes: Uint8Array, at: number = 0): string {
  assert(at + ADDRESS_BYTES <= bytes.length, "32 bytes stand there");
  const place = placeOf(bytes, at);
  const kept = keptTexts[place];
  if (kept !== undefined && isKept(place, bytes, at)) return kept;
  const text = spelled(bytes, at);
  for (let n = 0; n < ADDRESS_BYTES; n += 1) keptBytes[place * ADDRESS_BYTES + n] = bytes[at + n] as number;
  keptTexts[place] = text;
  return text;
}

/** Bytes from the beginning, the middle and the end, since many an address is nearly all zeros. */
function placeOf(bytes: Uint8Array, at: number): number {
  const first = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  const middle = (bytes[at + 15] as number) << 3;
  const last = (bytes[at + 30] as number) | ((bytes[at + 31] as number) << 5);
  return (first ^ middle ^ last) & (PLACES - 1);
}

function isKept(place: number, bytes: Uint8Array, at: number): boolean {
  const from = place * ADDRESS_BYTES;
  for (let n = 0; n < ADDRESS_BYTES; n += 1) if (keptBytes[from + n] !== bytes[at + n]) return false;
  return true;
}

function spelled(bytes: Uint8Array, at: number): string {
  let text = "";
  let carry = 0;
  for (let limb = 0; limb < LIMBS; limb += 1) {
    const shares = limbShares[limb] as Float64Array;
    let sum = carry;
    for (let word = firstWords[limb] as number; word < WORDS; word += 1) {
      const place = at + ADDRESS_BYTES - 2 * word;
      sum += ((bytes[place - 2] as number) * 256 + (bytes[place - 1] as number)) * (shares[word] as number);
    }
    carry = Math.floor(sum / LIMB);
    text = limbText(sum - carry * LIMB) + text;
  }
  return "1".repeat(leadingZeros(bytes, at)) + text.slice(leadingOnes(text));
}

/** The 32 bytes of an address; undefined for any other text. */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.length < ADDRESS_BYTES || text.length > DIGITS_MAX) return undefined;
  const limbs = new Float64Array(LIMBS);
  for (let limb = 0; limb < LIMBS; limb += 1) {
    const until = text.length - LIMB_DIGITS * limb;
    const value = base58Value(text, Math.max(0, until - LIMB_DIGITS), until);
    if (value < 0) return undefined;
    limbs[limb] = value;
  }
  const bytes = new Uint8Array(ADDRESS_BYTES);
  let carry = 0;
  for (let word = 0; word < WORDS; word += 1) {
    const shares = wordShares[word] as Float64Array;
    let sum = carry;
    for (let limb = 0; limb < LIMBS; limb += 1) sum += (limbs[limb] as number) * (shares[limb] as number);
    carry = Math.floor(sum / 65_536);
    const value = sum - carry * 65_536;
    bytes[ADDRESS_BYTES - 2 * word - 2] = value >> 8;
    bytes[ADDRESS_BYTES - 2 * word - 1] = value & 255;
  }
  if (carry !== 0) return undefined; // more than 32 bytes
  return leadingZeros(bytes, 0) === leadingOnes(text) ? bytes : undefined;
}

/** Five digits, leading ones included. */
function limbText(limb: number): string {
  const high = Math.floor(limb / 3_364);
  const highest = Math.floor(high / 3_364);
  return (
    BASE58_ALPHABET.charAt(highest) +
    (base58Pairs[high - highest * 3_364] ?? "") +
    (base58Pairs[limb - high * 3_364] ?? "")
  );
}

function leadingZeros(bytes: Uint8Array, at: number): number {
  let count = 0;
  while (count < ADDRESS_BYTES && bytes[at + count] === 0) count += 1;
  return count;
}
