/**
 * Every way a key can be spelled in an answer, and the search for it: base58 of the key and of its peer id; the bytes
 * of either, and of those texts once more, in base64 of both alphabets and in base32 at any alignment, in hexadecimal
 * of either case, and as arrays of integers. Source: protocol 01 §1.1; DESIGN L4.
 */
import { fromBase58, utf8 } from "../core/index.ts";
import type { Wallet } from "./wallet.ts";

/** Finds the wallets that a value names. */
export interface Spotter {
  add(wallet: Wallet): void;
  has(wallet: Wallet): boolean;
  /** The wallets spelled anywhere in a text. */
  inText(text: string): readonly Wallet[];
  /** The wallets whose key stands in an array of integers. */
  inBytes(values: readonly unknown[]): readonly Wallet[];
}

/** Shortest spelling of a key: 32 zero bytes are 32 base58 digits; nothing shorter names anyone. */
const TOKEN_LEAST = 32;
const TOKENS = /[A-Za-z0-9+/_-]{32,}/g;
/**
 * Words whose wallets are remembered, since answers repeat ids and hashes; past it all are forgotten. Source: DESIGN
 * "Simulated world".
 */
const REMEMBERED_MAX = 65_536;

interface Alphabet {
  readonly digits: string;
  readonly bits: number;
}
const BASE64: Alphabet = { digits: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6 };
const BASE32: Alphabet = { digits: "abcdefghijklmnopqrstuvwxyz234567", bits: 5 };
const BASE16: Alphabet = { digits: "0123456789abcdef", bits: 4 };

/** Spellings of one wallet: those that keep their case, those that do not, and integers between commas. */
interface Spelled {
  readonly wallet: Wallet;
  readonly exact: readonly string[];
  readonly folded: readonly string[];
  readonly integers: readonly string[];
}

export function createSpotter(): Spotter {
  const all = new Map<Wallet, Spelled>();
  const remembered = new Map<string, readonly Wallet[]>();

  function inToken(token: string): readonly Wallet[] {
    const known = remembered.get(token);
    if (known !== undefined) return known;
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const standard = token.replaceAll("-", "+").replaceAll("_", "/");
    const lower = token.toLowerCase();
    const found = [...all.values()]
      .filter(
        ({ exact, folded }) =>
          exact.some((part) => standard.includes(part)) || folded.some((part) => lower.includes(part)),
      )
      .map(({ wallet }) => wallet);
    remembered.set(token, found);
    return found;
  }

  return {
    add(wallet) {
      if (all.has(wallet)) return;
      all.set(wallet, spelledOut(wallet));
      remembered.clear();
    },
    has: (wallet) => all.has(wallet),
    inText(text) {
      if (text.length < TOKEN_LEAST) return [];
      const found = new Set<Wallet>();
      for (const [token] of text.matchAll(TOKENS)) for (const wallet of inToken(token)) found.add(wallet);
      return [...found];
    },
    inBytes(values) {
      if (values.length < TOKEN_LEAST) return [];
      const text = `,${values.join(",")},`;
      return [...all.values()]
        .filter(({ integers }) => integers.some((part) => text.includes(part)))
        .map(({ wallet }) => wallet);
    },
  };
}

/** The key stands in the peer id, so whatever spells the peer id's bytes spells the key's. */
function spelledOut(wallet: Wallet): Spelled {
  const texts = [wallet.publicKey, wallet.peer];
  const values = [fromBase58(wallet.publicKey) ?? new Uint8Array(32), ...texts.map(utf8)];
  return {
    wallet,
    exact: [...texts, ...values.flatMap((bytes) => coresOf(bytes, BASE64))],
    folded: values.flatMap((bytes) => [...coresOf(bytes, BASE32), ...coresOf(bytes, BASE16).slice(0, 1)]),
    integers: values.map((bytes) => `,${bytes.join(",")},`),
  };
}

/** The digits that some bytes alone decide, wherever among other bytes they begin. */
function coresOf(bytes: Uint8Array, { digits, bits }: Alphabet): readonly string[] {
  return Array.from({ length: bits }, (_, before) => {
    const skipped = (bits - ((before * 8) % bits)) % bits;
    let core = "";
    let held = 0;
    let value = 0;
    let drop = skipped;
    for (const byte of bytes) {
      value = (value << 8) | byte;
      held += 8;
      if (drop > 0) {
        held -= drop;
        drop = 0;
        value &= (1 << held) - 1;
      }
      for (; held >= bits; held -= bits) core += digits.charAt((value >> (held - bits)) & ((1 << bits) - 1));
      value &= (1 << held) - 1;
    }
    return core;
  }).filter((core, place, cores) => cores.indexOf(core) === place);
}
