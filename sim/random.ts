/**
 * Randomness by name: what is drawn is a function of the seed, the name of a stream and the number of the decision,
 * and of nothing else. A decision that is not taken shifts no other, and a new stream shifts none.
 * The mixing is Threefry-4x32 with 20 rounds (additions, rotations, exclusive ors on 32-bit words; 128 bits in and
 * out), keyed by a hash of seed and name. Source: DESIGN section 5 "Randomness"; Salmon, Moraes, Dror, Shaw,
 * "Parallel Random Numbers: As Easy as 1, 2, 3" (2011), whose published test vectors hold (`test/sim`).
 */

/** A named source of decisions: the key that its name and the seed make. */
export interface Stream {
  readonly name: string;
  /** Words with a sign, as small as numbers get in memory. */
  readonly k0: number;
  readonly k1: number;
  readonly k2: number;
  readonly k3: number;
}

export type Words = readonly [number, number, number, number];

/** Largest seed. Source: DESIGN section 6. */
export const SEED_MAX = 0xffff_ffff_ffff_ffffn;
/** Chances are counted in millionths. Source: DESIGN "Simulated world". */
export const MILLION = 1_000_000;

/** Source: Threefish key schedule, as the paper above has it for 32-bit words. */
const PARITY = 0x1bd11bda;
/** Tells the words of a key apart from those of a draw. `ofss` in ASCII. Source: DESIGN "Formats". */
const KEY_DOMAIN = 0x6f667373;
const TWO_32 = 4_294_967_296;
const TWO_53 = 9_007_199_254_740_992;

/** Where the mixing leaves its four words; read at once, never kept. */
const mixed = new Uint32Array(4);

/** The stream of a name. Opening one twice gives the same stream. */
export function openStream(seed: bigint, name: string): Stream {
  let k0 = Number(seed & 0xffff_ffffn);
  let k1 = Number((seed >> 32n) & 0xffff_ffffn);
  let k2 = KEY_DOMAIN;
  let k3 = name.length;
  for (let at = 0; at === 0 || at < name.length; at += 8) {
    const [w0, w1, w2, w3] = [pairOf(name, at), pairOf(name, at + 2), pairOf(name, at + 4), pairOf(name, at + 6)];
    mix(k0, k1, k2, k3, w0, w1, w2, w3);
    k0 = (mixed[0] as number) ^ w0;
    k1 = (mixed[1] as number) ^ w1;
    k2 = (mixed[2] as number) ^ w2;
    k3 = (mixed[3] as number) ^ w3;
  }
  return { name, k0: k0 | 0, k1: k1 | 0, k2: k2 | 0, k3: k3 | 0 };
}

/** The 128 bits of decision `n` of a stream. */
export function draw(seed: bigint, name: string, n: number): Words {
  return wordsOf(openStream(seed, name), n, 0);
}

/** 32 bits of decision `n`. Further words of the same decision are independent of the first. */
export function u32(stream: Stream, n: number, word = 0): number {
  mixStream(stream, n, word >>> 2);
  return mixed[word & 3] as number;
}

/** A number below 2^64: decision `index` of a stream. */
export function u64(stream: Stream, n: number): bigint {
  mixStream(stream, n, 0);
  return (BigInt(mixed[0] as number) << 32n) | BigInt(mixed[1] as number);
}

/** So many bytes: decision `index` of a stream. */
export function bytes(stream: Stream, n: number, length: number): Uint8Array {
  const drawn = new Uint8Array(length);
  for (let at = 0; at < length; at++) {
    if (at % 16 === 0) mixStream(stream, n, at / 16);
    drawn[at] = (mixed[(at >>> 2) & 3] as number) >>> (8 * (at & 3));
  }
  return drawn;
}

/** A whole number from 0 to `limit` - 1, each equally likely. `limit` is at most 2^53. */
export function below(stream: Stream, n: number, limit: number): number {
  if (!Number.isSafeInteger(limit - 1) || limit < 1) throw new RangeError(`no number is below ${limit}`);
  const wide = limit > TWO_32;
  const range = wide ? TWO_53 : TWO_32;
  const fair = range - (range % limit);
  for (let word = 0; ; word += 2) {
    const low = u32(stream, n, word);
    const value = wide ? (u32(stream, n, word + 1) >>> 11) * TWO_32 + low : low;
    if (value < fair) return value % limit;
  }
}

/** A whole number from `least` to `most`, both included. */
export function between(stream: Stream, n: number, least: number, most: number): number {
  return least + below(stream, n, most - least + 1);
}

/** Whether something with a chance of `millionths` in a million happens. */
export function chance(stream: Stream, n: number, millionths: number): boolean {
  return millionths > 0 && below(stream, n, MILLION) < millionths;
}

/** One of several, all as likely. */
export function pick<T>(stream: Stream, n: number, items: readonly T[]): T {
  return items[below(stream, n, items.length)] as T;
}

/** The items in an order each equally likely. Place `i` is decided by word `i`, so lists share no decisions. */
export function shuffled<T>(stream: Stream, n: number, items: readonly T[]): readonly T[] {
  const order = [...items];
  const places = openStream(u64(stream, n), "shuffle");
  // Stryker disable next-line EqualityOperator: the first place is exchanged with itself
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(places, i, i + 1);
    [order[i], order[j]] = [order[j] as T, order[i] as T];
  }
  return order;
}

/** Four words mixed under a key of four words: the bare function behind every draw. */
export function threefry(key: Words, counter: Words): Words {
  mix(...key, ...counter);
  return [mixed[0] as number, mixed[1] as number, mixed[2] as number, mixed[3] as number];
}

function wordsOf(stream: Stream, n: number, block: number): Words {
  mixStream(stream, n, block);
  return [mixed[0] as number, mixed[1] as number, mixed[2] as number, mixed[3] as number];
}

function mixStream(stream: Stream, n: number, block: number): void {
  mix(stream.k0, stream.k1, stream.k2, stream.k3, n >>> 0, Math.floor(n / TWO_32), block, 0);
}

/** Two UTF-16 units of a name as one word; zero beyond its end. */
function pairOf(name: string, at: number): number {
  const low = at < name.length ? name.charCodeAt(at) : 0;
  // Stryker disable next-line EqualityOperator: beyond a name's end there is no number, which becomes zero as well
  const high = at + 1 < name.length ? name.charCodeAt(at + 1) : 0;
  return (low | (high << 16)) >>> 0;
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** Threefry-4x32-20. Rotations and key schedule as published. */
function mix(k0: number, k1: number, k2: number, k3: number, c0: number, c1: number, c2: number, c3: number): void {
  const k4 = PARITY ^ k0 ^ k1 ^ k2 ^ k3;
  let a = (c0 + k0) | 0;
  let b = (c1 + k1) | 0;
  let c = (c2 + k2) | 0;
  let d = (c3 + k3) | 0;
  // Five groups of four rounds; before the next group the key is added, one place further.
  let [j0, j1, j2, j3, j4] = [k1, k2, k3, k4, k0];
  for (let group = 1; group <= 5; group++) {
    const odd = (group & 1) === 1;
    a = (a + b) | 0;
    b = rotate(b, odd ? 10 : 6) ^ a;
    c = (c + d) | 0;
    d = rotate(d, odd ? 26 : 20) ^ c;
    a = (a + d) | 0;
    d = rotate(d, odd ? 11 : 17) ^ a;
    c = (c + b) | 0;
    b = rotate(b, odd ? 21 : 11) ^ c;
    a = (a + b) | 0;
    b = rotate(b, odd ? 13 : 25) ^ a;
    c = (c + d) | 0;
    d = rotate(d, odd ? 27 : 10) ^ c;
    a = (a + d) | 0;
    d = rotate(d, odd ? 23 : 18) ^ a;
    c = (c + b) | 0;
    b = rotate(b, odd ? 5 : 20) ^ c;
    a = (a + j0) | 0;
    b = (b + j1) | 0;
    c = (c + j2) | 0;
    d = (d + j3 + group) | 0;
    const first = j0;
    j0 = j1;
    j1 = j2;
    j2 = j3;
    j3 = j4;
    j4 = first;
  }
  mixed[0] = a;
  mixed[1] = b;
  mixed[2] = c;
  mixed[3] = d;
}
