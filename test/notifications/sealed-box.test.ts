/**
 * Goal: what a client seals to a gateway's registered key only that gateway opens, byte for byte as published
 * (protocol 04 §6.4), in browsers too. Method: the published vector; random boxes; one flipped byte anywhere; keys that
 * every secret would agree with; the runtime's own cryptography beside it; a bundle that resolves nothing of Node.js.
 */
import { build } from "esbuild";
import fc from "fast-check";
import { expect, test } from "vitest";
import { montgomeryOfEdwards, montgomerySecretOfEdwards, openBox, sealBox } from "../../adapters/crypto/sealed-box.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "../rpc/lone-node.ts";
import * as model from "./sealed-box-model.ts";

const secretKey = new Uint8Array(32).fill(8);
const recipient = montgomeryOfEdwards(crypto.publicKey(secretKey));
const secret = montgomerySecretOfEdwards(secretKey);
const sealed = (plaintext = utf8("user@example.com"), ephemeral = new Uint8Array(32).fill(5)) =>
  known(sealBox(recipient, plaintext, ephemeral), "a box");

/** Each u of small order, on the curve or its twist; spellings past the prime and with the top bit. */
const smallOrder = [
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
  `${"00".repeat(31)}80`,
  `ed${"ff".repeat(31)}`,
].map((text) => known(fromHex(text), "key"));

test("the published vector, both ways", () => {
  expect(toHex(recipient)).toBe("899abcb61e203a8c03613c9f7524d4efcf609db0c80d8e8d0fbabd93430c5323");
  const box = sealed();
  expect(Object.values(box).map(toHex)).toEqual([
    "50a61409b1ddd0325e9b16b700e719e9772c07000b1bd7786e907c653d20495d",
    "dcdd3d43c40ea372be3223ad",
    "fc7643fcc5b9686d442c5c33b8f2f0bf080aeaed23c2abecd63e1dcf68f2d0a8",
  ]);
  expect(openBox(secret, box)).toEqual(utf8("user@example.com"));
});

test("what was sealed opens, and nothing else does", () => {
  const arbSecret = fc.uint8Array({ minLength: 32, maxLength: 32 });
  forAll(
    [fc.uint8Array({ maxLength: 100 }), arbSecret, arbSecret, fc.nat()],
    (plaintext, ephemeral, other, at) => {
      const box = sealed(plaintext, ephemeral);
      expect(box.ciphertext.length).toBe(plaintext.length + 16);
      expect(openBox(secret, box)).toEqual(plaintext);
      expect(openBox(montgomerySecretOfEdwards(other), box)).toBeUndefined();
      for (const member of ["nonce", "ciphertext"] as const) {
        const spoiled = box[member].slice();
        spoiled[at % spoiled.length] = (spoiled[at % spoiled.length] ?? 0) ^ 1;
        expect(openBox(secret, { ...box, [member]: spoiled })).toBeUndefined();
      }
    },
    {
      runs: 50,
      classes: (plaintext, _, __, at) => [
        plaintext.length === 0 ? "empty" : plaintext.length > 64 ? "more than one block" : "one block",
        at % (plaintext.length + 16) < plaintext.length ? "the text spoiled" : "the tag spoiled",
      ],
      shares: {
        empty: 0.01,
        "one block": 0.3,
        "more than one block": 0.2,
        "the text spoiled": 0.3,
        "the tag spoiled": 0.1,
      },
    },
  );
});

test("a key of small order is refused, to seal to and to open from", () => {
  const box = sealed();
  for (const small of smallOrder) {
    expect(sealBox(small, utf8("x"), new Uint8Array(32).fill(5))).toBeUndefined();
    expect(openBox(secret, { ...box, ephemeral_public: small })).toBeUndefined();
  }
});

test("a box that is too short is no box", () => {
  const box = sealed();
  expect(openBox(secret, { ...box, ciphertext: box.ciphertext.subarray(0, 15) })).toBeUndefined();
  expect(openBox(secret, { ...box, nonce: box.nonce.subarray(1) })).toBeUndefined();
  expect(openBox(secret, { ...box, ephemeral_public: box.ephemeral_public.subarray(1) })).toBeUndefined();
});

test("a key that is not of 32 bytes seals nothing and opens nothing", () => {
  const box = sealed();
  const bytes = new Uint8Array(64).fill(5);
  for (const length of [0, 31, 33, 64]) {
    expect(sealBox(bytes.subarray(0, length), utf8("x"), bytes.subarray(0, 32))).toBeUndefined();
    expect(sealBox(recipient, utf8("x"), bytes.subarray(0, length))).toBeUndefined();
    expect(openBox(bytes.subarray(0, length), box)).toBeUndefined();
    expect(openBox(secret, { ...box, ephemeral_public: bytes.subarray(0, length) })).toBeUndefined();
  }
});

test("the runtime's own cryptography seals the same boxes and opens the same ones, spoiled ones included", () => {
  const arbKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const members = ["ephemeral_public", "nonce", "ciphertext"] as const;
  const arbSpoiler = fc.record({ member: fc.constantFrom(...members), at: fc.nat(), bit: fc.nat(7), cut: fc.nat(9) });
  forAll(
    [
      fc.record({ plaintext: fc.uint8Array({ maxLength: 300 }), to: arbKey, ephemeral: arbKey }),
      fc.array(arbSpoiler, { maxLength: 2 }),
      fc.option(fc.constantFrom(...smallOrder)),
    ],
    ({ plaintext, to, ephemeral }, spoilers, small) => {
      const key = montgomeryOfEdwards(crypto.publicKey(to));
      const toSecret = montgomerySecretOfEdwards(to);
      for (const target of [key, to, ...(small === null ? [] : [small])])
        expect(sealBox(target, plaintext, ephemeral)).toEqual(model.sealBox(target, plaintext, ephemeral));
      const box = { ...known(sealBox(key, plaintext, ephemeral), "a box") };
      for (const { member, at, bit, cut } of spoilers) {
        const spoiled = box[member].slice(cut === 0 ? 1 : 0);
        if (spoiled.length > 0) spoiled[at % spoiled.length] = (spoiled[at % spoiled.length] ?? 0) ^ (1 << bit);
        box[member] = spoiled;
      }
      if (small !== null && spoilers.length > 0) box.ephemeral_public = small;
      const opened = openBox(toSecret, box);
      expect(opened).toEqual(model.openBox(toSecret, box));
      return [
        opened === undefined ? "opens not" : "opens",
        ...(small === null ? [] : ["a key of small order"]),
        ...spoilers.map(({ member }) => `${member} spoiled`),
        ...(spoilers.some(({ cut }) => cut === 0) ? ["cut short"] : []),
      ];
    },
    {
      runs: 60,
      sample: 100,
      shares: {
        ...{ opens: 0.1, "opens not": 0.3, "a key of small order": 0.05, "cut short": 0.03 },
        ...{ "ephemeral_public spoiled": 0.1, "nonce spoiled": 0.1, "ciphertext spoiled": 0.1 },
      },
    },
  );
});

test("it needs nothing of Node.js: bundled for browsers, it seals and opens the same", async () => {
  const { outputFiles } = await build({
    ...{ entryPoints: [new URL("../../adapters/crypto/sealed-box.ts", import.meta.url).pathname], bundle: true },
    ...{ format: "esm", platform: "browser", target: "es2022", write: false, logLevel: "silent" },
  });
  const text = outputFiles[0]?.text ?? "";
  expect(text).not.toMatch(/\bimport\s*[{*"(]|\brequire\(|\bprocess\.|\bBuffer\b/);
  const bundled = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  const box = bundled.sealBox(recipient, utf8("user@example.com"), new Uint8Array(32).fill(5));
  expect(box).toEqual(sealed());
  expect(bundled.openBox(secret, box)).toEqual(utf8("user@example.com"));
});
