/**
 * Values that every domain shares: keys, peer ids, signatures, instants, amounts, mints, currencies.
 * Source: protocol 01 §1; 02 A.2.
 */

import type { Brand } from "./brand.ts";
import { equalBytes } from "./bytes.ts";
import { U64_MAX } from "./compact.ts";
import type { Infer, Schema } from "./schema.ts";
import { struct } from "./schema-composites.ts";
import { byteText, plainText, text, u8, u64 } from "./schema-scalars.ts";
import { fromBase58, fromBase64, toBase58 } from "./text.ts";

/** An Ed25519 public key, in base58. */
export type PublicKey = Brand<string, "PublicKey">;
/** A peer by its libp2p id, in base58. */
export type PeerId = Brand<string, "PeerId">;
/** An Ed25519 signature, in base58. */
export type Signature = Brand<string, "Signature">;
/** An instant: milliseconds since 1970 began, UTC. */
export type EpochMillis = Brand<bigint, "EpochMillis">;
/** SHA-256 of a statement's tagged preimage, as lower-case hex, so that text order is byte order. */
export type Identity = Brand<string, "Identity">;
/** The address of a token's mint, in base58. */
export type MintAddress = Brand<string, "MintAddress">;
/** A currency by its ISO 4217 code. */
export type FiatCurrency = Brand<string, "FiatCurrency">;

/** Bytes of an Ed25519 public key. Source: protocol 01 §1.1. */
export const PUBLIC_KEY_BYTES = 32;
/** What stands before the key in a peer id. Source: protocol 01 §1.2. */
export const PEER_ID_PREFIX: Uint8Array = Uint8Array.of(0x00, 0x24, 0x08, 0x01, 0x12, 0x20);
/** Bytes of a peer id. Source: protocol 01 §1.2. */
export const PEER_ID_BYTES = 38;
/** Bytes of an Ed25519 signature. Source: protocol 01 §3.1. */
export const SIGNATURE_BYTES = 64;

const BASE58 = { toBytes: fromBase58, toText: toBase58 } as const;

export const PublicKey: Schema<PublicKey> = byteText("public-key", PUBLIC_KEY_BYTES, BASE58);
/** Not length-checked while parsing: a wrong peer id must fail the key binding (protocol 01 §1.1 rule 3). */
export const PeerId: Schema<PeerId> = byteText("peer-id", null, BASE58);
/** Not length-checked while parsing: a wrong length must fail verification (protocol 01 §1.1 rule 3). */
export const Signature: Schema<Signature> = byteText("signature", null, BASE58);
export const EpochMillis = u64 as unknown as Schema<EpochMillis>;
/** Any text. */
export const Text = plainText;

/** `base_units` of the asset's smallest unit; `decimals` places the point. Source: protocol 01 §1.4. */
export const Amount = struct("Amount", { base_units: u64, decimals: u8 });
export type Amount = Infer<typeof Amount>;

/** A Solana mint, kept as text. Source: protocol 02 A.2. */
export const MintAddress: Schema<MintAddress> = text("mint", "a mint address", (received) =>
  received.length >= 32 && received.length <= 44 && fromBase58(received)?.length === 32
    ? (received as MintAddress)
    : undefined,
);

/** Three letters between Unicode white space, which differs from what `trim` takes by U+0085 and U+FEFF. */
const CURRENCY = /^[\p{White_Space}]*([A-Za-z]{3})[\p{White_Space}]*$/u;

/** Three letters, kept in upper case. Source: protocol 01 §1.6. */
export const FiatCurrency: Schema<FiatCurrency> = text("currency", "a three-letter currency", (received) => {
  const letters = CURRENCY.exec(received)?.[1];
  return letters === undefined ? undefined : (letters.toUpperCase() as FiatCurrency);
});

/** The key that a peer id carries, or nothing when it carries none. */
export function keyOfPeer(peer: PeerId): Uint8Array | undefined {
  const bytes = fromBase58(peer);
  if (bytes === undefined || bytes.length !== PEER_ID_BYTES) return undefined;
  return equalBytes(bytes.subarray(0, PEER_ID_PREFIX.length), PEER_ID_PREFIX)
    ? bytes.subarray(PEER_ID_PREFIX.length)
    : undefined;
}

/** The peer id that belongs to a public key. */
export function peerOfKey(key: Uint8Array): PeerId {
  return toBase58(peerBytesOfKey(key)) as PeerId;
}

/** A public key as text. */
export function publicKeyText(key: Uint8Array): PublicKey {
  return toBase58(key) as PublicKey;
}

/** The bytes of the peer id that belongs to a public key. */
export function peerBytesOfKey(key: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(PEER_ID_BYTES);
  bytes.set(PEER_ID_PREFIX);
  bytes.set(key, PEER_ID_PREFIX.length);
  return bytes;
}

/** How a caller spelled a wallet. */
export type WalletForm = "base64" | "base58";
export interface Wallet {
  readonly peer: PeerId;
  readonly form: WalletForm;
}

/** A wallet parameter in any of its three spellings. Source: protocol 01 §15 W11. */
export function decodeWallet(received: string): Wallet | undefined {
  const base64 = fromBase64(received);
  if (base64 !== undefined && isPeerBytes(base64)) return { peer: toBase58(base64) as PeerId, form: "base64" };
  const base58 = shortBase58(received, PEER_ID_BYTES);
  if (base58 === undefined) return undefined;
  if (isPeerBytes(base58)) return { peer: received as PeerId, form: "base58" };
  return base58.length === PUBLIC_KEY_BYTES ? { peer: peerOfKey(base58), form: "base58" } : undefined;
}

/** Whom a `wallet` parameter of a public read names. Source: protocol 04 §0.4. */
export function walletNamed(received: string): PeerId | undefined {
  return decodeWallet(received)?.peer;
}

/** Bytes of a fixed length, spelled in base64 or else in base58. Source: protocol 01 §15 W11. */
export function decodeEither(received: string, length: number): Uint8Array | undefined {
  const base64 = fromBase64(received);
  if (base64?.length === length) return base64;
  const base58 = shortBase58(received, length);
  return base58?.length === length ? base58 : undefined;
}

/** An instant some milliseconds after another, at most the largest one. */
export function later(instant: EpochMillis, byMs: number): EpochMillis {
  const sum = instant + BigInt(byMs);
  return (sum > U64_MAX ? U64_MAX : sum) as EpochMillis;
}

export function latest(instants: Iterable<EpochMillis>): EpochMillis {
  let newest = 0n as EpochMillis;
  for (const instant of instants) if (instant > newest) newest = instant;
  return newest;
}

/** The minute of an instant, counted from 1970: rows that leave by a date are found by it. */
export function minuteOf(instant: bigint): bigint {
  return instant / 60_000n;
}

/** Base58 of at most some bytes, so of fewer than twice as many digits: converting costs the square of the length. */
function shortBase58(received: string, bytesMax: number): Uint8Array | undefined {
  return received.length > 2 * bytesMax ? undefined : fromBase58(received);
}

function isPeerBytes(bytes: Uint8Array): boolean {
  return bytes.length === PEER_ID_BYTES && equalBytes(bytes.subarray(0, PEER_ID_PREFIX.length), PEER_ID_PREFIX);
}
