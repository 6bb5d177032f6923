/**
 * Sealed boxes by the runtime's own cryptography: what the portable form is compared with. Source: protocol 04 §6.4.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
} from "node:crypto";
import type { SealedBytes } from "../../adapters/crypto/sealed-box.ts";

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
