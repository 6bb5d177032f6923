/**
 * Cryptography in plain JavaScript, for browsers and as a second opinion on the native one.
 * Verification is cofactorless: the encoding of S·B − k·A is compared byte for byte with R.
 * Source: protocol 01 §3.2 (neither of the library's own two verification modes has this set).
 */
import { getPublicKey, hashes, Point, sign } from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import type { CryptoPort } from "../../core/ports/crypto.ts";

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** Order of the base point. Source: RFC 8032 §5.1. */
const GROUP_ORDER = Point.CURVE().n;

/** The same verdicts as the native adapter, without node:crypto. Source: protocol 01 §3.2. */
export function openPortableCrypto(): CryptoPort {
  hashes.sha512 = sha512;
  return {
    sha256: (bytes) => sha256(bytes),
    verify: verifyCofactorless,
    sign: (secretKey, message) => sign(message, secretKey),
    publicKey: (secretKey) => getPublicKey(secretKey),
    isCurvePoint: (bytes) => bytes.length === KEY_BYTES && decompress(bytes) !== undefined,
  };
}

/** The one verdict on a signature, whatever the runtime. Source: protocol 01 §3.2. */
export function verifyCofactorless(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const encodedR = signature.subarray(0, KEY_BYTES);
  const s = littleEndian(signature.subarray(KEY_BYTES));
  if (s >= GROUP_ORDER) return false;
  const a = decompress(publicKey);
  if (a === undefined) return false;
  const digest = sha512.create().update(encodedR).update(publicKey).update(message).digest();
  const k = littleEndian(digest) % GROUP_ORDER;
  const expected = Point.BASE.multiply(s, false).add(a.negate().multiply(k, false)).toBytes();
  return expected.every((byte, index) => byte === encodedR[index]);
}

/** The point, non-canonical y and a signed zero x included; undefined when there is none. */
function decompress(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined;
  }
}

function littleEndian(bytes: Uint8Array): bigint {
  let value = 0n;
  for (let index = bytes.length - 1; index >= 0; index -= 1) value = (value << 8n) | BigInt(bytes[index] ?? 0);
  return value;
}
