/**
 * Goal: addresses are written and read where they stand, and only 32 bytes are one.
 * Method: random and extreme 32-byte values, leading zeros above all; texts of other lengths and letters.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { concat } from "../../core/kernel/bytes.ts";
import { fromBase58, toBase58 } from "../../core/kernel/text.ts";
import { addressText, parseAddress } from "../../core/solana/address-text.ts";
import { forAll } from "../property/for-all.ts";

const arbAddress = fc.tuple(fc.nat(32), fc.uint8Array({ minLength: 32, maxLength: 32 })).map(([zeros, bytes]) => {
  return bytes.map((byte, index) => (index < zeros ? 0 : byte));
});

const zerosLabel = (bytes: Uint8Array) =>
  bytes[0] !== 0 ? "no zero" : bytes.every((byte) => byte === 0) ? "all zeros" : "some zeros";

test("equal texts, both ways", () => {
  const holds = (bytes: Uint8Array, before: Uint8Array) => {
    const text = toBase58(bytes);
    expect(addressText(concat(before, bytes), before.length)).toBe(text);
    expect(parseAddress(text)).toEqual(bytes);
  };
  forAll([arbAddress, fc.uint8Array({ maxLength: 5 })], holds, {
    runs: 1_000,
    classes: (bytes, before) => [zerosLabel(bytes), before.length === 0 ? "at the start" : "further on"],
    shares: { "no zero": 0.02, "some zeros": 0.7, "all zeros": 0.01, "at the start": 0.1, "further on": 0.6 },
  });
});

test.each([
  [new Uint8Array(32), "11111111111111111111111111111111"],
  [new Uint8Array(32).fill(255), "JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG"],
])("published texts", (bytes, text) => {
  expect(addressText(bytes)).toBe(text);
  expect(parseAddress(text)).toEqual(bytes);
});

test("a text is an address exactly when the general codec reads 32 bytes", () => {
  const arbLetter = fc.constantFrom(
    ..."123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "1",
    "1",
    "0",
    "l",
    "é",
  );
  const arbText = fc.oneof(
    fc.string({ unit: arbLetter, maxLength: 46 }),
    fc
      .tuple(fc.uint8Array({ minLength: 30, maxLength: 34 }), fc.nat(2))
      .map(([bytes, ones]) => "1".repeat(ones) + toBase58(bytes)),
    fc.tuple(arbAddress, fc.nat(43), arbLetter).map(([bytes, at, letter]) => {
      const text = toBase58(bytes);
      return text.slice(0, at) + letter + text.slice(at + 1);
    }),
  );
  const holds = (text: string) => {
    const general = fromBase58(text);
    expect(parseAddress(text)).toEqual(general?.length === 32 ? general : undefined);
  };
  forAll([arbText], holds, {
    runs: 2_000,
    classes: (text) => {
      const bytes = fromBase58(text)?.length;
      return [bytes === undefined ? "no base58" : bytes === 32 ? "32 bytes" : bytes < 32 ? "shorter" : "longer"];
    },
    shares: { "no base58": 0.2, "32 bytes": 0.15, shorter: 0.2, longer: 0.15 },
  });
});
