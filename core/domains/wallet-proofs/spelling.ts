/**
 * How a caller may spell a wallet, a key and a signature: base64 or base58. Source: protocol 03 B.5, D-3; 01 §15 W11.
 */

import type { Wallet } from "../../kernel/values.ts";
import { decodeEither, decodeWallet } from "../../kernel/values.ts";

/** The wallet that a caller who proves it named, or nothing when the text is none. */
export function walletSpelled(received: string): Wallet | undefined {
  return decodeWallet(received);
}

/** Bytes of a fixed length that a caller spelled. */
export function bytesSpelled(received: string, length: number): Uint8Array | undefined {
  return decodeEither(received, length);
}
