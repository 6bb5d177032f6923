/**
 * Goal: native and portable cryptography cannot be told apart by their answers (DESIGN section 3, "Crypto").
 * Method: the shared contract on each, then random, mutated and small-order signatures on both at once.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { openPortableCrypto } from "../../adapters/crypto/portable.ts";
import { fromHex } from "../../core/kernel/bytes.ts";
import { forAll } from "../property/for-all.ts";
import { describeCrypto, edgeCases } from "./crypto.contract.ts";

const native = openNativeCrypto();
const portable = openPortableCrypto();

/** The eight points of small order, and non-canonical spellings of some of them. */
const smallOrder = [
  "0100000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
].map((text) => fromHex(text) ?? new Uint8Array(0));

describeCrypto("native", openNativeCrypto);
describeCrypto("portable", openPortableCrypto);

const arbBytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("both sign alike, and both accept what either signed", () => {
  forAll(
    [arbBytes32, fc.uint8Array({ maxLength: 200 })],
    (seed, message) => {
      const signature = native.sign(seed, message);
      expect(portable.sign(seed, message)).toEqual(signature);
      expect(portable.publicKey(seed)).toEqual(native.publicKey(seed));
      expect(portable.sha256(message)).toEqual(native.sha256(message));
      expect(native.verify(native.publicKey(seed), message, signature)).toBe(true);
      expect(portable.verify(native.publicKey(seed), message, signature)).toBe(true);
    },
    {
      runs: 60,
      classes: (_seed, { length }) => [length > 119 ? "three blocks" : length > 55 ? "two blocks" : "one block"],
      shares: { "one block": 0.2, "two blocks": 0.1, "three blocks": 0.2 },
    },
  );
});

test("both judge mutated keys, messages and signatures alike", () => {
  const names = ["message", "key", "signature"];
  const arbFlip = fc.record({ part: fc.constantFrom(0, 1, 2), byte: fc.nat(63), bit: fc.nat(7) });
  const arbCase = fc.oneof(
    fc.constantFrom(...edgeCases.map((row) => row.map((text) => fromHex(text) ?? new Uint8Array(0)))),
    fc
      .tuple(arbBytes32, arbBytes32)
      .map(([seed, message]) => [message, native.publicKey(seed), native.sign(seed, message)]),
  );
  forAll(
    [arbCase, fc.array(arbFlip, { maxLength: 2 })],
    (original, flips) => {
      const parts = original.map((part) => part.slice());
      for (const { part, byte, bit } of flips) {
        const target = parts[part] ?? new Uint8Array(1);
        const index = byte % target.length;
        target[index] = (target[index] ?? 0) ^ (1 << bit);
      }
      const [message, key, signature] = parts as [Uint8Array, Uint8Array, Uint8Array];
      const verified = native.verify(key, message, signature);
      expect(portable.verify(key, message, signature)).toBe(verified);
      return [verified ? "verified" : "refused", ...new Set(flips.map(({ part }) => `flipped ${names[part]}`))];
    },
    {
      runs: 300,
      sample: 150,
      shares: {
        ...{ verified: 0.1, refused: 0.4 },
        ...{ "flipped message": 0.2, "flipped key": 0.2, "flipped signature": 0.2 },
      },
    },
  );
});

test("both judge small-order and non-canonical keys and R alike, with any small S", () => {
  const arbSmall = fc.constantFrom(...smallOrder);
  forAll(
    [arbSmall, arbSmall, arbBytes32, fc.nat(1)],
    (key, r, message, s) => {
      const signature = new Uint8Array(64);
      signature.set(r);
      signature[32] = s;
      const verified = native.verify(key, message, signature);
      expect(portable.verify(key, message, signature)).toBe(verified);
      return [verified ? "verified" : "refused", `S is ${s}`];
    },
    { runs: 400, sample: 200, shares: { verified: 0.02, refused: 0.5, "S is 0": 0.2, "S is 1": 0.2 } },
  );
});

test("what is verified on a thread is judged as here, and told later", async () => {
  const small = smallOrder.flatMap((key) =>
    smallOrder.map((r) => [new Uint8Array(3), key, Uint8Array.of(...r, ...new Uint8Array(32))] as const),
  );
  const edges = edgeCases.map((row) => row.map((text) => fromHex(text) ?? new Uint8Array(0)));
  const sizes = [[new Uint8Array(0), new Uint8Array(31), new Uint8Array(64)]];
  for (const [message, key, signature] of [...edges, ...small, ...sizes] as readonly (readonly Uint8Array[])[]) {
    let isTold = false;
    const [m, k, s] = [message as Uint8Array, key as Uint8Array, signature as Uint8Array];
    const verdict = new Promise((resolve) =>
      native.verifyLater(k, m, s, (valid) => {
        isTold = true;
        resolve(valid);
      }),
    );
    expect(isTold).toBe(false);
    expect(await verdict).toBe(native.verify(k, m, s));
  }
});

test("both see the same curve points", () => {
  forAll(
    [fc.oneof(arbBytes32, fc.constantFrom(...smallOrder))],
    (encoded) => {
      const isPoint = native.isCurvePoint(encoded);
      expect(portable.isCurvePoint(encoded)).toBe(isPoint);
      return [isPoint ? "a point" : "no point"];
    },
    { runs: 300, shares: { "a point": 0.2, "no point": 0.2 } },
  );
});
