/**
 * What a simulated world asks of the runtime that it is in, as a browser has it: stands in the place of runtime.ts in
 * the playground's bundle, and comes to the same on every input. Source: DESIGN section 5, section 6 "playground".
 */
import { sha256 as hashing } from "@noble/hashes/sha2.js";
import { openPortableCrypto, verifyCofactorless } from "../adapters/crypto/portable.ts";
import type { CryptoPort } from "../core/ports/crypto.ts";

/** The cryptography that nodes, wallets and chain have. */
export function openCrypto(): CryptoPort {
  return openPortableCrypto();
}

/** SHA-256 over bytes, one after another. */
export function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  const hash = hashing.create();
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Whether an Ed25519 signature is good. */
export function isSigned(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return verifyCofactorless(key, message, signature);
}

/** Whether two plain values are the same, member by member; keys of maps are texts and numbers. */
export function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  if (one instanceof Map && other instanceof Map)
    return one.size === other.size && [...one].every(([key, value]) => other.has(key) && isSame(value, other.get(key)));
  if (one instanceof Set && other instanceof Set)
    return one.size === other.size && [...one].every((value) => other.has(value));
  const names = Object.keys(one);
  const values = other as Readonly<Record<string, unknown>>;
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame((one as typeof values)[name], values[name]))
  );
}

/** Lets everybody else on this process, or this page, go first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const told = () => {
      port1.close();
      resolve();
    };
    port1.addEventListener("message", told, { once: true });
    port1.start();
    port2.postMessage(null);
  });
}
