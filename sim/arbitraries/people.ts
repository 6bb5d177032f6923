/**
 * People for property tests: seeds and the keys, peer ids and signatures that really belong to them, so that a binding
 * between key and peer id can hold. A few people come up again and again, which is what makes statements collide.
 * Source: protocol 01 §1.1, §1.2, §3.1.
 */
import fc from "fast-check";
import type { PeerId, PublicKey, Signature } from "../../core/index.ts";
import { peerOfKey, toBase58 } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import { openCrypto } from "../runtime.ts";

/**
 * Seeds of the people who come up often: 32 equal bytes, as published examples have them. Source: DESIGN "Simulated
 * world".
 */
const USUAL_PEOPLE = 8;

/** Somebody who can sign. */
export interface Signer {
  readonly secretKey: Uint8Array;
  readonly publicKey: PublicKey;
  readonly peer: PeerId;
}

const crypto = openCrypto();
const usual = Array.from({ length: USUAL_PEOPLE }, (_, index) => signerOf(crypto, new Uint8Array(32).fill(index + 1)));

/** The signer of a 32-byte seed. */
export function signerOf(port: CryptoPort, secretKey: Uint8Array): Signer {
  const key = port.publicKey(secretKey);
  return { secretKey, publicKey: toBase58(key) as PublicKey, peer: peerOfKey(key) };
}

/** Somebody: mostly one of a few, sometimes a stranger. */
export function arbSigner(): fc.Arbitrary<Signer> {
  const stranger = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((seed) => signerOf(crypto, seed));
  return fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: stranger });
}

/** Any public key. */
export function arbPublicKey(): fc.Arbitrary<PublicKey> {
  return arbSigner().map((signer) => signer.publicKey);
}

/** Any peer id. */
export function arbPeerId(): fc.Arbitrary<PeerId> {
  return arbSigner().map((signer) => signer.peer);
}

/** 64 bytes in base58. Signatures that verify come from `arbSigned`. */
export function arbSignatureText(): fc.Arbitrary<Signature> {
  return fc.uint8Array({ minLength: 64, maxLength: 64 }).map((bytes) => toBase58(bytes) as Signature);
}
