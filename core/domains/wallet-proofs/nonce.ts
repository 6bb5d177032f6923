/**
 * Challenge nonces that need no ledger: expiry, salt, and a keyed digest over the subject. Issuing one
 * changes nothing; only spent ones are remembered, node-local, until they expire.
 * Source: protocol 03 W-12; HMAC is RFC 2104 over SHA-256.
 */

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bigEndian, concat, equalBytes, fromHex, toHex, u64be } from "../../kernel/bytes.ts";
import { utf8 } from "../../kernel/text.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import type { CryptoPort } from "../../ports/crypto.ts";

/** How long a challenge lives, in milliseconds. Source: protocol 03 B.6. */
export const CHALLENGE_LIFETIME_MS = 300_000;
/** What of an HMAC a nonce carries: 128 bits, which nobody guesses in the lifetime of one. */
const DIGEST_BYTES = 16;

/** Who asks, for what: ledgers keep wallets and service ids apart. */
export interface Issue {
  readonly ledger: "wallet" | "earnings";
  readonly subject: Uint8Array;
}

/** A nonce for a subject: 64 lower-case hexadecimal digits. */
export function issueNonce(
  crypto: CryptoPort,
  bootSeed: Uint8Array,
  number: number,
  issue: Issue,
  expiresAt: EpochMillis,
): string {
  const salt = crypto.sha256(concat(utf8("salt"), bootSeed, u64be(BigInt(number)))).subarray(0, 8);
  const expiry = u64be(expiresAt);
  return toHex(concat(expiry, salt, digestOf(crypto, bootSeed, issue, expiry, salt)));
}

/** When a nonce that this process issued for this subject expires; nothing for any other text. */
export function expiryOfNonce(
  crypto: CryptoPort,
  bootSeed: Uint8Array,
  nonce: string,
  issue: Issue,
): EpochMillis | undefined {
  const bytes = fromHex(nonce);
  if (bytes?.length !== 32) return undefined;
  const [expiry, salt, digest] = [bytes.subarray(0, 8), bytes.subarray(8, 16), bytes.subarray(16)];
  return equalBytes(digest, digestOf(crypto, bootSeed, issue, expiry, salt))
    ? (bigEndian(expiry) as EpochMillis)
    : undefined;
}

function digestOf(
  crypto: CryptoPort,
  bootSeed: Uint8Array,
  issue: Issue,
  expiry: Uint8Array,
  salt: Uint8Array,
): Uint8Array {
  const secret = crypto.sha256(concat(utf8("challenge secret"), bootSeed));
  const zero = Uint8Array.of(0);
  const message = concat(utf8(issue.ledger), zero, issue.subject, zero, expiry, salt);
  return hmac(sha256, secret, message).subarray(0, DIGEST_BYTES);
}
