/**
 * How callers of the reference spell wallets and keys: any base64 stands for its bytes.
 * Source: protocol 04 §0.4; 03 B.5, D-3.
 */

import { recipientNamed } from "../domains/notifications/methods.ts";
import { bytesSpelled, walletSpelled } from "../domains/wallet-proofs/spelling.ts";
import { override } from "../engine/overrides.ts";
import { fromBase64, toBase58 } from "../kernel/text.ts";
import type { PeerId, Wallet } from "../kernel/values.ts";
import { decodeWallet, PEER_ID_BYTES, walletNamed } from "../kernel/values.ts";

/**
 * Longest wallet of a proof or of a read of notifications, in bytes: what converting to base58 costs grows with the
 * square. Source: DESIGN L10.
 */
export const PARITY_WALLET_BYTES_MAX = 256;

export const walletOverrides = [
  /** Public reads. Source: protocol 04 §0.4. */
  override(walletNamed, (received) => decodeWallet(received)?.peer ?? peerOf(received, 2 * PEER_ID_BYTES)),
  /** Reads of notifications. Source: protocol 04 §0.4. */
  override(recipientNamed, (received) => decodeWallet(received)?.peer ?? peerOf(received, PARITY_WALLET_BYTES_MAX)),
  /** Proofs: base64 alone. Source: protocol 03 B.5, D-3. */
  override(walletSpelled, walletInBase64),
  override(bytesSpelled, (received, length) => {
    const bytes = fromBase64(received);
    return bytes?.length === length ? bytes : undefined;
  }),
];

function walletInBase64(received: string): Wallet | undefined {
  const peer = peerOf(received, PARITY_WALLET_BYTES_MAX);
  return peer && { peer, form: "base64" };
}

function peerOf(received: string, bytesMax: number): PeerId | undefined {
  const bytes = fromBase64(received);
  return bytes === undefined || bytes.length > bytesMax ? undefined : (toBase58(bytes) as PeerId);
}
