/**
 * Every way a key can be spelled in an answer, and the search for it: base58 of the key and of its peer id, base64 at
 * any alignment, hexadecimal in either case, arrays of integers. Source: protocol 01 §1.1; DESIGN L4 (ours).
 */
import { fromBase58, toBase64 } from "../core/index.ts";
import type { Wallet } from "./wallet.ts";

/** Finds the wallets that a value names. */
export interface Spotter {
  add(wallet: Wallet): void;
  has(wallet: Wallet): boolean;
  /** The wallets spelled anywhere in a text. */
  inText(text: string): readonly Wallet[];
  /** The wallet whose key stands in an array of integers. */
  inBytes(values: readonly unknown[]): readonly Wallet[];
}

/** Shortest spelling of a key: 32 zero bytes are 32 base58 digits; nothing shorter names anyone. */
const TOKEN_LEAST = 32;
const TOKENS = /[A-Za-z0-9+/_-]{32,}=*/g;

export function createSpotter(): Spotter {
  const whole = new Map<string, Wallet>();
  const parts: { readonly text: string; readonly wallet: Wallet }[] = [];
  const numbers: { readonly text: string; readonly wallet: Wallet }[] = [];
  const wallets = new Set<Wallet>();

  return {
    add(wallet) {
      if (wallets.has(wallet)) return;
      wallets.add(wallet);
      const key = fromBase58(wallet.publicKey) ?? new Uint8Array(32);
      for (const text of [wallet.publicKey, wallet.peer]) whole.set(text, wallet);
      for (const text of [wallet.publicKey, wallet.peer, ...base64Cores(key), hexOf(key)]) parts.push({ text, wallet });
      numbers.push({ text: `,${key.join(",")},`, wallet });
    },
    has: (wallet) => wallets.has(wallet),
    inText(text) {
      if (text.length < TOKEN_LEAST) return [];
      const found = new Set<Wallet>();
      for (const [token] of text.matchAll(TOKENS)) {
        const exact = whole.get(token);
        if (exact !== undefined) found.add(exact);
        else for (const part of parts) if (holds(token, part.text)) found.add(part.wallet);
      }
      return [...found];
    },
    inBytes(values) {
      if (values.length < TOKEN_LEAST) return [];
      const text = `,${values.join(",")},`;
      return numbers.filter((spelled) => text.includes(spelled.text)).map((spelled) => spelled.wallet);
    },
  };
}

/** Whether a run of letters and digits spells a key: URL-safe base64 and capital hexadecimal included. */
function holds(token: string, part: string): boolean {
  if (token.includes(part)) return true;
  if (token.includes("-") || token.includes("_")) return token.replaceAll("-", "+").replaceAll("_", "/").includes(part);
  return /^[0-9a-f]{64}$/.test(part) && token.toLowerCase().includes(part);
}

/** The characters of base64 that a key alone decides, for each of the three places it can begin at. */
function base64Cores(key: Uint8Array): readonly string[] {
  return [0, 1, 2].map((offset) => {
    const padded = new Uint8Array(offset + key.length);
    padded.set(key, offset);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + key.length) * 8) / 6);
    return toBase64(padded).slice(first, last);
  });
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
