/**
 * How a caller may spell a wallet, a key and a signature: base64 or base58 by default, base64 alone to the reference,
 * which takes any bytes for a wallet. Source: protocol 03 B.5, D-3; 01 §15 W11.
 */

import type { Viewer } from "../../engine/admission/door.ts";
import { isParity } from "../../engine/admission/door.ts";
import { fromBase64, toBase58 } from "../../kernel/text.ts";
import type { PeerId, Wallet } from "../../kernel/values.ts";
import { decodeEither, decodeWallet } from "../../kernel/values.ts";

/** Longest wallet under parity, in bytes: what converting to base58 costs grows with the square. Source: DESIGN L10. */
export const PARITY_WALLET_BYTES_MAX = 256;

/** The wallet that a caller named, or nothing when the text is none. */
export function walletNamed(viewer: Viewer, received: string): Wallet | undefined {
  if (!isParity(viewer)) return decodeWallet(received);
  const bytes = fromBase64(received);
  if (bytes === undefined || bytes.length > PARITY_WALLET_BYTES_MAX) return undefined;
  return { peer: toBase58(bytes) as PeerId, form: "base64" };
}

/** Bytes of a fixed length that a caller spelled. */
export function bytesSpelled(viewer: Viewer, received: string, length: number): Uint8Array | undefined {
  if (!isParity(viewer)) return decodeEither(received, length);
  const bytes = fromBase64(received);
  return bytes?.length === length ? bytes : undefined;
}
