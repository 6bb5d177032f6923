/**
 * Goal: what a client seals to a gateway's registered key only that gateway opens, byte for byte as published
 * (protocol 04 §6.4). Method: the published vector; random boxes; one flipped byte anywhere; keys that every secret
 * would agree with.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { montgomeryOfEdwards, montgomerySecretOfEdwards, openBox, sealBox } from "../../adapters/crypto/sealed-box.ts";
import { known } from "../../core/kernel/assert.ts";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { utf8 } from "../../core/kernel/text.ts";
import { forAll } from "../property/for-all.ts";
import { crypto } from "../rpc/lone-node.ts";

const secretKey = new Uint8Array(32).fill(8);
const recipient = montgomeryOfEdwards(crypto.publicKey(secretKey));
const secret = montgomerySecretOfEdwards(secretKey);
const sealed = (plaintext = utf8("user@example.com"), ephemeral = new Uint8Array(32).fill(5)) =>
  known(sealBox(recipient, plaintext, ephemeral), "a box");

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
  for (const key of ["00".repeat(32), `01${"00".repeat(31)}`]) {
    const small = known(fromHex(key), "key");
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
