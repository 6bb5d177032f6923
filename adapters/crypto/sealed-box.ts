/**
 * Sealed boxes: an address that only one gateway, or a text that only one wallet, can read. Clients seal, recipients
 * open; no node does either. Plain JavaScript, so that wallets in browsers do both. Source: protocol 04 §6.4; RFC 7748
 * is X25519, RFC 8439 ChaCha20-Poly1305, the map from Ed25519 keys RFC 7748 §4.1.
 */
import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { montgomery } from "@noble/curves/abstract/montgomery.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";

/** What is published; the byte members of a sealed destination. */
export interface SealedBytes {
  readonly ephemeral_public: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** The prime of Curve25519. Source: RFC 7748 §4.1. */
const P = 2n ** 255n - 19n;
const KEY_DOMAIN = "openfiat/sealedbox/v1/key";
const NONCE_DOMAIN = "openfiat/sealedbox/v1/nonce";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Made of the library's parts: its ready one brings its Edwards curve along, 20 kB. Source: RFC 7748 §5. */
const x25519 = /* @__PURE__ */ montgomery({ P, type: "x25519", adjustScalarBytes: clamped, powPminus2: inverse });

/**
 * Seals to an X25519 key with 32 fresh random bytes; nothing when the key would make the secret known to all, and when
 * either is not of 32 bytes.
 */
export function sealBox(recipient: Uint8Array, plaintext: Uint8Array, ephemeral: Uint8Array): SealedBytes | undefined {
  const shared = agree(ephemeral, recipient);
  if (shared === undefined) return undefined;
  const ephemeral_public = x25519.getPublicKey(ephemeral);
  const parts = [ephemeral_public, recipient, shared];
  const nonce = digest(NONCE_DOMAIN, parts).slice(0, NONCE_BYTES);
  const cipher = chacha20poly1305(digest(KEY_DOMAIN, parts), nonce, ephemeral_public);
  return { ephemeral_public, nonce, ciphertext: cipher.encrypt(plaintext) };
}

/** Opens a box with an X25519 secret; every failure is the same nothing. */
export function openBox(secret: Uint8Array, box: SealedBytes): Uint8Array | undefined {
  const { ephemeral_public, nonce, ciphertext } = box;
  if (ciphertext.length < TAG_BYTES || nonce.length !== NONCE_BYTES) return undefined;
  const shared = agree(secret, ephemeral_public);
  if (shared === undefined) return undefined;
  const key = digest(KEY_DOMAIN, [ephemeral_public, x25519.getPublicKey(secret), shared]);
  try {
    return chacha20poly1305(key, nonce, ephemeral_public).decrypt(ciphertext);
  } catch {
    return undefined;
  }
}

/** The X25519 key of an Ed25519 key: what a gateway's registered key is sealed to. */
export function montgomeryOfEdwards(publicKey: Uint8Array): Uint8Array {
  const y = littleEndian(publicKey) & (2n ** 255n - 1n);
  const u = ((1n + y) * inverse((((1n - y) % P) + P) % P)) % P;
  const bytes = new Uint8Array(32);
  for (let i = 0, rest = u; i < 32; i++, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

/** The X25519 secret of an Ed25519 secret key. */
export function montgomerySecretOfEdwards(secretKey: Uint8Array): Uint8Array {
  return sha512(secretKey).slice(0, KEY_BYTES);
}

/** The shared secret; nothing when it is all zero, and when either key is none. */
function agree(secret: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  if (secret.length !== KEY_BYTES || publicKey.length !== KEY_BYTES) return undefined;
  try {
    return x25519.getSharedSecret(secret, publicKey);
  } catch {
    return undefined;
  }
}

/** Source: RFC 7748 §5. */
function clamped(scalar: Uint8Array): Uint8Array {
  scalar[0] = (scalar[0] ?? 0) & 248;
  scalar[31] = ((scalar[31] ?? 0) & 127) | 64;
  return scalar;
}

function digest(domain: string, parts: readonly Uint8Array[]): Uint8Array {
  const hash = sha256.create().update(new TextEncoder().encode(domain));
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/** By Fermat: a^(p-2). */
function inverse(a: bigint): bigint {
  let result = 1n;
  for (let base = a, rest = P - 2n; rest > 0n; rest >>= 1n, base = (base * base) % P) {
    if ((rest & 1n) === 1n) result = (result * base) % P;
  }
  return result;
}
