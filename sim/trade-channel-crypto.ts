/**
 * What clients do to a trade channel before a node sees it: its key, sealed to a person, and entries under that key.
 * Nodes only carry the results. Randomness is the caller's. Source: protocol 02 J.5.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
} from "node:crypto";
import { concat, equalBytes, utf8 } from "../core/index.ts";

/** Bytes of a channel key, and of X25519 keys. Source: protocol 02 J.5. */
export const KEY_BYTES = 32;
/** Longest text of an entry, and the step to which it is padded, in bytes. Source: protocol 02 J.5. */
export const TEXT_BYTES_MAX = 4_096;
const PADDED_TO = 256;

/** A byte-order mark is a letter like any other: a decoder that drops it gives another text than was encrypted. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "chacha20-poly1305";
/** What stands before 32 raw bytes in PKCS #8 and SPKI documents of X25519 keys. Source: RFC 8410. */
const PKCS8_X25519 = Buffer.from("302e020100300506032b656e04220420", "hex");
const SPKI_X25519 = Buffer.from("302a300506032b656e032100", "hex");

export interface Sealed {
  readonly ephemeral_public: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

export interface Encrypted {
  readonly key_id: Uint8Array;
  readonly nonce: Uint8Array;
  readonly ciphertext: Uint8Array;
}

/** What an entry's ciphertext is bound to. */
export interface Binding {
  readonly settlement: string;
  /** Bytes of the author's peer id. */
  readonly author: Uint8Array;
  readonly sequence: bigint;
  readonly kind: "PaymentDetails" | "Message";
}

/** Which channel key a message is under. Source: protocol 02 J.5. */
export function keyId(channelKey: Uint8Array): Uint8Array {
  return sha256(utf8("openfiat/tradechannel/keyid/v1"), channelKey).subarray(0, 8);
}

/** The X25519 secret that a wallet's signature over the derivation message gives. Source: protocol 02 J.5. */
export function encryptionSecret(walletSignature: Uint8Array): Uint8Array {
  const hash = createHash("sha512").update(utf8("openfiat/encryptionkey/v1/x25519")).update(walletSignature).digest();
  return new Uint8Array(hash.subarray(0, KEY_BYTES));
}

export function x25519Public(secret: Uint8Array): Uint8Array {
  const spki = createPublicKey(privateKey(secret)).export({ format: "der", type: "spki" });
  return new Uint8Array(spki.subarray(SPKI_X25519.length));
}

/** The secret that two keys share; nothing for a key of low order, with which everybody shares the same. */
export function sharedSecret(secret: Uint8Array, theirs: Uint8Array): Uint8Array | undefined {
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_X25519, theirs]), format: "der", type: "spki" });
  try {
    const shared = new Uint8Array(diffieHellman({ privateKey: privateKey(secret), publicKey }));
    return shared.every((byte) => byte === 0) ? undefined : shared;
  } catch {
    return undefined;
  }
}

/** Seals a channel key to a person; nothing when their public key is of low order. Source: protocol 02 J.5. */
export function sealKey(
  channelKey: Uint8Array,
  recipient: Uint8Array,
  ephemeralSecret: Uint8Array,
): Sealed | undefined {
  const shared = sharedSecret(ephemeralSecret, recipient);
  if (shared === undefined) return undefined;
  const ephemeral_public = x25519Public(ephemeralSecret);
  const { key, nonce } = boxOf(ephemeral_public, recipient, shared);
  return { ephemeral_public, nonce, ciphertext: encrypt(key, nonce, ephemeral_public, channelKey) };
}

/** Opens a sealed channel key; nothing when it was sealed to somebody else, or changed. */
export function openSealedKey(sealed: Sealed, secret: Uint8Array): Uint8Array | undefined {
  const shared = sharedSecret(secret, sealed.ephemeral_public);
  if (shared === undefined) return undefined;
  const { key, nonce } = boxOf(sealed.ephemeral_public, x25519Public(secret), shared);
  return equalBytes(nonce, sealed.nonce) ? decrypt(key, nonce, sealed.ephemeral_public, sealed.ciphertext) : undefined;
}

/** Encrypts an entry; nothing when its text is too long. Source: protocol 02 J.5. */
export function encryptEntry(
  channelKey: Uint8Array,
  binding: Binding,
  text: string,
  nonce: Uint8Array,
): Encrypted | undefined {
  const bytes = utf8(text);
  if (bytes.length > TEXT_BYTES_MAX) return undefined;
  const padded = new Uint8Array(Math.ceil((4 + bytes.length) / PADDED_TO) * PADDED_TO);
  padded.set(u32le(bytes.length));
  padded.set(bytes, 4);
  return { key_id: keyId(channelKey), nonce, ciphertext: encrypt(channelKey, nonce, entryAad(binding), padded) };
}

/** The text of an entry; nothing when it is under another key, bound to another place, or changed. */
export function decryptEntry(channelKey: Uint8Array, binding: Binding, entry: Encrypted): string | undefined {
  if (!equalBytes(entry.key_id, keyId(channelKey))) return undefined;
  const padded = decrypt(channelKey, entry.nonce, entryAad(binding), entry.ciphertext);
  if (padded === undefined || padded.length < 4) return undefined;
  const length = new DataView(padded.buffer, padded.byteOffset).getUint32(0, true);
  return length > padded.length - 4 ? undefined : decoder.decode(padded.subarray(4, 4 + length));
}

/** Source: protocol 02 J.5. */
export function entryAad({ settlement, author, sequence, kind }: Binding): Uint8Array {
  const number = new Uint8Array(8);
  new DataView(number.buffer).setBigUint64(0, sequence);
  const parts = [utf8("openfiat/tradechannel/binding/v1"), utf8(settlement), author, number, utf8(kind)];
  return concat(...parts.flatMap((part) => [u32le(part.length), part]));
}

/** Key and nonce of a sealed box. Source: protocol 02 J.5. */
export function boxOf(ephemeral: Uint8Array, recipient: Uint8Array, shared: Uint8Array) {
  return {
    key: sha256(utf8("openfiat/sealedbox/v1/key"), ephemeral, recipient, shared),
    nonce: sha256(utf8("openfiat/sealedbox/v1/nonce"), ephemeral, recipient, shared).subarray(0, NONCE_BYTES),
  };
}

function encrypt(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(aad, { plaintextLength: plaintext.length });
  return concat(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
}

function decrypt(key: Uint8Array, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
  if (sealed.length < TAG_BYTES || nonce.length !== NONCE_BYTES) return undefined;
  const body = sealed.subarray(0, sealed.length - TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad, { plaintextLength: body.length });
  decipher.setAuthTag(sealed.subarray(body.length));
  try {
    return concat(decipher.update(body), decipher.final());
  } catch {
    return undefined;
  }
}

function privateKey(secret: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([PKCS8_X25519, secret]), format: "der", type: "pkcs8" });
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(
    createHash("sha256")
      .update(concat(...parts))
      .digest(),
  );
}

function u32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
