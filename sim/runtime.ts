/**
 * What a simulated world asks of the runtime that it is in, beyond the language. In the playground's bundle
 * portable-runtime.ts stands in its place. Source: DESIGN section 5, section 6 "playground".
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { openNativeCrypto } from "../adapters/crypto/native.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";

/** The cryptography that nodes, wallets and chain have. */
export function openCrypto(): CryptoPort {
  return openNativeCrypto();
}

/** SHA-256 over bytes, one after another. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Whether an Ed25519 signature is good, asked beside the core's own cryptography. */
export function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key).toString("base64url") };
  return verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
}

/** Whether two plain values are the same, member by member; keys of maps are texts and numbers. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}

/** Lets everybody else on this process, or this page, go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
