/**
 * Sealed boxes: an address that only one gateway, or a text that only one wallet, can read. Clients seal, recipients
 * open; no node does either. Source: protocol 04 §6.4; RFC 7748 is X25519, RFC 8439 ChaCha20-Poly1305, the map from
 * Ed25519 keys RFC 7748 §4.1.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
} from "node:crypto";

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
const TAG_BYTES = 16;
const CIPHER = "chacha20-poly1305";
const PRIVATE_HEADER = Buffer.from("302e020100300506032b656e04220420", "hex");
const PUBLIC_HEADER = Buffer.from("302a300506032b656e032100", "hex");

/** Seals to an X25519 key with 32 fresh random bytes; nothing when the key would make the secret known to all. */
export function sealBox(recipient: Uint8Array, plaintext: Uint8Array, ephemeral: Uint8Array): SealedBytes | undefined {
  const ephemeral_public = montgomeryPublicKey(ephemeral);
  const shared = agree(ephemeral, recipient);
  if (shared === undefined) return undefined;
  const parts = [ephemeral_public, recipient, shared];
  const nonce = digest(NONCE_DOMAIN, parts).subarray(0, 12);
  const cipher = createCipheriv(CIPHER, digest(KEY_DOMAIN, parts), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(ephemeral_public, { plaintextLength: plaintext.length });
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
  return { ephemeral_public, nonce: new Uint8Array(nonce), ciphertext: new Uint8Array(ciphertext) };
}

/** Opens a box with an X25519 secret; every failure is the same nothing. */
export function openBox(secret: Uint8Array, box: SealedBytes): Uint8Array | undefined {
  const { ephemeral_public, nonce, ciphertext } = box;
  if (ciphertext.length < TAG_BYTES || nonce.length !== 12 || ephemeral_public.length !== 32) return undefined;
  const shared = agree(secret, ephemeral_public);
  if (shared === undefined) return undefined;
  const key = digest(KEY_DOMAIN, [ephemeral_public, montgomeryPublicKey(secret), shared]);
  const end = ciphertext.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(ephemeral_public, { plaintextLength: end });
  decipher.setAuthTag(ciphertext.subarray(end));
  try {
    return new Uint8Array(Buffer.concat([decipher.update(ciphertext.subarray(0, end)), decipher.final()]));
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
  return new Uint8Array(createHash("sha512").update(secretKey).digest().subarray(0, 32));
}

function montgomeryPublicKey(secret: Uint8Array): Uint8Array {
  const encoded = createPublicKey(privateKey(secret)).export({ format: "der", type: "spki" });
  return new Uint8Array(encoded.subarray(PUBLIC_HEADER.length));
}

/** The shared secret; nothing when it is all zero. */
function agree(secret: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  const theirs = createPublicKey({ key: Buffer.concat([PUBLIC_HEADER, publicKey]), format: "der", type: "spki" });
  try {
    const shared = diffieHellman({ privateKey: privateKey(secret), publicKey: theirs });
    return shared.every((byte) => byte === 0) ? undefined : shared;
  } catch {
    return undefined;
  }
}

function privateKey(secret: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([PRIVATE_HEADER, secret]), format: "der", type: "pkcs8" });
}

function digest(domain: string, parts: readonly Uint8Array[]): Buffer {
  return createHash("sha256")
    .update(Buffer.concat([Buffer.from(domain), ...parts]))
    .digest();
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
