/**
 * Goal: generators reach the values that break things, and what they make is what they say.
 * Method: many samples of a fixed seed, and the kinds of values that must be among them.
 */
import { expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { marketplace } from "../../core/domains.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { decodeJson, TRANSCRIPT } from "../../core/kernel/schema.ts";
import { extend, struct } from "../../core/kernel/schema-composites.ts";
import { byteArray, i32, small, text } from "../../core/kernel/schema-scalars.ts";
import { codePoints, fromBase58, fromBase64, isWellFormed } from "../../core/kernel/text.ts";
import { Amount, keyOfPeer, PeerId, PublicKey, Signature } from "../../core/kernel/values.ts";
import { verify } from "../../core/kernel/verification.ts";
import { arbFloat, arbU64 } from "../../sim/arbitraries/numbers.ts";
import { arbitraryOf } from "../../sim/arbitraries/of-schema.ts";
import { arbSigner } from "../../sim/arbitraries/people.ts";
import { arbSigned } from "../../sim/arbitraries/signed.ts";
import { arbCid, arbPaymentMethod, arbPlainText, arbText } from "../../sim/arbitraries/texts.ts";
import { samples } from "../property/for-all.ts";

const crypto = openNativeCrypto();

test("64-bit integers reach their edges", () => {
  const values = new Set(samples(arbU64(), 2_000));
  for (const edge of [0n, 127n, 128n, (1n << 53n) - 1n, 1n << 53n, (1n << 53n) + 1n, (1n << 64n) - 1n]) {
    expect(values.has(edge), `${edge}`).toBe(true);
  }
  for (const value of values) expect(value >= 0n && value < 1n << 64n).toBe(true);
});

test("floats are finite, of every layout, and both zeros are among them", () => {
  const values = samples(arbFloat(), 2_000);
  expect(values.every(Number.isFinite)).toBe(true);
  expect(values.some((value) => Object.is(value, -0))).toBe(true);
  for (const [low, high] of [
    [0, 1e-307],
    [1e-7, 1e-6],
    [1e-6, 1e-5],
    [1, 1e3],
    [1e14, 1e16],
    [1e16, 1e21],
    [1e21, 1e22],
  ] as const) {
    expect(
      values.some((value) => value > low && value <= high),
      `${low} to ${high}`,
    ).toBe(true);
  }
  expect(values.some((value) => Number.isInteger(value) && value > 0)).toBe(true);
  expect(values.some((value) => value < 0)).toBe(true);
});

test("plain texts are well formed, and hold what trips readers", () => {
  const texts = samples(arbPlainText(), 2_000);
  expect(texts.every(isWellFormed)).toBe(true);
  const all = texts.join("");
  for (const piece of ["\u0000", '"', "\\", "\u2028", "\ufeff", "\uffff", "😀"]) expect(all).toContain(piece);
  expect(texts).toContain("");
  expect(texts).toContain("__proto__");
  expect(texts.some((each) => codePoints(each) < each.length)).toBe(true);
});

test("keys, peer ids and signatures are real, and some people come up again", () => {
  const signers = samples(arbSigner(), 200);
  for (const { peer, publicKey, secretKey } of signers) {
    expect(keyOfPeer(peer)).toEqual(fromBase58(publicKey));
    expect(crypto.publicKey(secretKey)).toEqual(fromBase58(publicKey));
  }
  const different = new Set(signers.map((signer) => signer.peer)).size;
  expect(different).toBeGreaterThan(10);
  expect(different).toBeLessThan(100);
  for (const key of samples(arbitraryOf(PublicKey), 50))
    expect(crypto.isCurvePoint(fromBase58(key) as Uint8Array)).toBe(true);
  for (const peer of samples(arbitraryOf(PeerId), 50)) expect(peer).toMatch(/^12D3Koo/);
  for (const signature of samples(arbitraryOf(Signature), 50)) expect(fromBase58(signature)?.length).toBe(64);
});

test("texts with a form have it", () => {
  for (const cid of samples(arbCid(), 100)) expect(cid).toMatch(/^b(afkrei|afybei)[a-z2-7]{52}$/);
  for (const method of samples(arbPaymentMethod(), 100)) expect(method.split(":").length).toBe(2);
  for (const mint of samples(arbText("mint"), 100)) expect(fromBase58(mint)?.length).toBe(32);
  for (const currency of samples(arbText("currency"), 100)) expect(currency).toMatch(/^[A-Z]{3}$/);
  for (const base64 of samples(arbText("base64"), 100)) expect(fromBase64(base64)).toBeDefined();
});

test("ranges, lengths and narrower texts are kept", () => {
  const Short = text("plain", "a short text", (received) => (received.length <= 3 ? received : undefined));
  const Mixed = extend("Mixed", struct("Base", { n: small(16, { least: 3, most: 300 }), i: i32 }), {
    s: Short,
    b: byteArray(8),
  });
  const values = samples(arbitraryOf(Mixed), 400);
  expect(Math.min(...values.map((value) => value.n))).toBe(3);
  expect(Math.max(...values.map((value) => value.n))).toBe(300);
  expect(Math.min(...values.map((value) => value.i))).toBe(-2_147_483_648);
  expect(values.every((value) => value.s.length <= 3 && value.b.length === 8)).toBe(true);
  expect(Object.keys(values[0] ?? {})).toEqual(["n", "i", "s", "b"]);
  for (const amount of samples(arbitraryOf(Amount), 20)) expect(typeof amount.base_units).toBe("bigint");
});

test("signed payloads verify in both forms, and survive the way a client sends them", () => {
  for (const type of marketplace.types) {
    const forms = new Set<string>();
    for (const { payload, signature, form, signer } of samples(arbSigned(crypto, type), 16)) {
      forms.add(form);
      expect(type.signerOf(payload)).toBe(signer.peer);
      expect(verify(crypto, type, payload, signature)).toEqual({ bound: true, point: true, form });
      const parsed = parseJson(
        `{"${type.outer}":${type.payload.write(payload, TRANSCRIPT)},"signature":"${signature}"}`,
      );
      const decoded = decodeJson(type.wire, parsed.ok ? parsed.value : null);
      expect(decoded.ok && decoded.value.value).toStrictEqual({ [type.outer]: payload, signature });
    }
    expect(
      [...forms].sort((a, b) => (a < b ? -1 : 1)),
      type.name,
    ).toEqual(type.forms === "both" ? ["bare", "tagged"] : ["tagged"]);
  }
});
