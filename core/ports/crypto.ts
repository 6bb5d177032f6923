/**
 * What the core expects of cryptography: hashing and Ed25519, given from outside.
 * Every adapter passes test/ports/crypto.contract.ts. Source: protocol 01 §3.2.
 */

/** Everything cryptographic the core asks of the outside. Verdicts must equal protocol 01 §3.2 on every input. */
export interface CryptoPort {
  sha256(bytes: Uint8Array): Uint8Array;
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  sign(secretKey: Uint8Array, message: Uint8Array): Uint8Array; // secretKey = 32-byte seed
  publicKey(secretKey: Uint8Array): Uint8Array;
  isCurvePoint(bytes: Uint8Array): boolean; // decompresses, non-canonical y included
}
