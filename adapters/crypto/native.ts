/**
 * Cryptography of the runtime itself: OpenSSL's Ed25519 and SHA-256 through node:crypto. Where versions of the runtime
 * disagree, about points of small order, the portable equation decides. Source: protocol 01 §3.2.
 */

import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey, hash, sign, verify } from "node:crypto";
import { Point } from "@noble/ed25519";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { verifyCofactorless } from "./portable.ts";
import { spellsSmallOrder } from "./small-order.ts";

/** How many parsed keys are kept. Parsing costs about as much as a verification. Source: DESIGN "Bounds". */
export const KEYS_CACHED_MAX = 4096;
/** How many verdicts on points are kept: nodes derive the same few addresses again and again, at 100 µs a point. */
export const POINTS_CACHED_MAX = 4096;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** A JSON web key of this kind: read and written in a tenth of the time that DER takes. Source: RFC 8037 §2. */
const KEY_KIND = { kty: "OKP", crv: "Ed25519" };
/** DER around a 32-byte Ed25519 seed. Source: RFC 8410 §7. */
const PKCS8_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
/**
 * Node.js 20 takes 310 µs for a seed in DER and 25 as a web key, whose public half it works out whatever is said of it.
 * Later ones read DER as fast, and 26 refuses a web key with another half.
 */
const READS_DER_SLOWLY = Number.parseInt(process.versions.node, 10) < 22;

/** Cryptography that also verifies on a thread of the runtime's, beside the one that asks. */
export interface NativeCrypto extends CryptoPort {
  /** The same verdict as `verify`, later, never before this returns. */
  verifyLater(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array, done: (valid: boolean) => void): void;
}

/** The runtime's cryptography, with a bounded memory of parsed keys. Source: protocol 01 §3.2. */
export function openNativeCrypto(): NativeCrypto {
  const publicKeys = new Map<string, KeyObject>();
  const secretKeys = new Map<string, KeyObject>();
  const points = new Map<string, boolean>();
  const privateKeyOf = (seed: Uint8Array) => remembered(secretKeys, KEYS_CACHED_MAX, seed, parseSecretKey);
  const publicKeyOf = (bytes: Uint8Array) => remembered(publicKeys, KEYS_CACHED_MAX, bytes, parsePublicKey);
  return {
    sha256: (bytes) => new Uint8Array(hash("sha256", bytes, "buffer")),
    verify: (publicKey, message, signature) =>
      verdictHere(publicKey, message, signature) ?? verify(null, message, publicKeyOf(publicKey), signature),
    verifyLater(publicKey, message, signature, done) {
      const here = verdictHere(publicKey, message, signature);
      if (here !== undefined) return void setImmediate(done, here);
      verify(null, message, publicKeyOf(publicKey), signature, (error, valid) => done(error === null && valid));
    },
    sign: (secretKey, message) => new Uint8Array(sign(null, message, privateKeyOf(secretKey))),
    publicKey: (secretKey) => {
      const { x = "" } = privateKeyOf(secretKey).export({ format: "jwk" });
      return new Uint8Array(Buffer.from(x, "base64url"));
    },
    isCurvePoint: (bytes) => bytes.length === KEY_BYTES && remembered(points, POINTS_CACHED_MAX, bytes, decompresses),
  };
}

/** The verdict where the runtime is not asked: sizes that are none, and points of small order. */
function verdictHere(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean | undefined {
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  if (!spellsSmallOrder(publicKey) && !spellsSmallOrder(signature)) return undefined;
  return verifyCofactorless(publicKey, message, signature);
}

/** What was made of some bytes is forgotten when as many younger ones have come as are kept. */
function remembered<Made>(
  cache: Map<string, Made>,
  max: number,
  bytes: Uint8Array,
  make: (bytes: Uint8Array) => Made,
): Made {
  const name = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  const known = cache.get(name);
  if (known !== undefined) return known;
  const made = make(bytes);
  if (cache.size >= max) {
    const oldest = cache.keys().next();
    if (oldest.done !== true) cache.delete(oldest.value);
  }
  cache.set(name, made);
  return made;
}

function parsePublicKey(bytes: Uint8Array): KeyObject {
  return createPublicKey({ key: { ...KEY_KIND, x: base64url(bytes) }, format: "jwk" });
}

function parseSecretKey(seed: Uint8Array): KeyObject {
  if (seed.length !== KEY_BYTES) throw new RangeError("an Ed25519 seed is 32 bytes");
  return READS_DER_SLOWLY
    ? createPrivateKey({ key: { ...KEY_KIND, d: base64url(seed), x: "" }, format: "jwk" })
    : createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: "der", type: "pkcs8" });
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64url");
}

/** OpenSSL has no call for this; the decoder accepts what OpenSSL's does (non-canonical y, signed zero x). */
function decompresses(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
