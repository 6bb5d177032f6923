/**
 * Goal: every CryptoPort has exactly the verdicts of protocol 01 §3.2.
 * Method: the twelve published edge cases, known answers, refused shapes; each adapter runs the same suite.
 */
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { utf8 } from "../../core/kernel/text.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";

/** Message, public key, signature: the published edge cases of Ed25519 verification, 0 to 11. */
export const edgeCases: readonly (readonly [string, string, string])[] = [
  [
    "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a" +
      "0000000000000000000000000000000000000000000000000000000000000000",
  ],
  [
    "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43" +
      "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
  ],
  [
    "aebf3f2601a0c8c5d39cc7d8911642f740b78168218da8471772b35f9d35b9ab",
    "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa" +
      "8c4bd45aecaca5b24fb97bc10ac27ac8751a7dfe1baff8b953ec9f5833ca260e",
  ],
  [
    "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
    "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
    "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f" +
      "87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009",
  ],
  [
    "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
    "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
    "160a1cb0dc9c0258cd0a7d23e94d8fa878bcb1925f2c64246b2dee1796bed512" +
      "5ec6bc982a269b723e0668e540911a9a6a58921d6925e434ab10aa7940551a09",
  ],
  [
    "e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec4011eaccd55b53f56c",
    "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
    "21122a84e0b5fca4052f5b1235c80a537878b38f3142356b2c2384ebad4668b7" +
      "e40bc836dac0f71076f9abe3a53f9c03c1ceeeddb658d0030494ace586687405",
  ],
  [
    "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
    "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
    "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e" +
      "547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514",
  ],
  [
    "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
    "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
    "8ce5b96c8f26d0ab6c47958c9e68b937104cd36e13c33566acd2fe8d38aa1942" +
      "7e71f98a473474f2f13f06f97c20d58cc3f54b8bd0d272f42b695dd7e89a8c22",
  ],
  [
    "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
    "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" +
      "03be9678ac102edcd92b0210bb34d7428d12ffc5df5f37e359941266a4e35f0f",
  ],
  [
    "9bedc267423725d473888631ebf45988bad3db83851ee85c85e241a07d148b41",
    "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff" +
      "ca8c5b64cd208982aa38d4936621a4775aa233aa0505711d8fdcfdaa943d4908",
  ],
  [
    "e96b7021eb39c1a163b6da4e3093dcd3f21387da4cc4572be588fafae23c155b",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dc" +
      "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
  ],
  [
    "39a591f5321bbe07fd5a23dc2f39d025d74526615746727ceefd6e82ae65c06f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "a9d55260f765261eb9b84e106f665e00b867287a761990d7135963ee0a7d59dc" +
      "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
  ],
];

/** Encodings, and whether a point decompresses from them. Source: protocol 01 §3.2. */
const pointCases: readonly (readonly [string, string, boolean])[] = [
  ["base point", "5866666666666666666666666666666666666666666666666666666666666666", true],
  ["no square root", "0200000000000000000000000000000000000000000000000000000000000000", false],
  ["y = p: zero, spelled above the field", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", true],
  ["y = p + 1: one, spelled above the field", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f", true],
  ["x = 0 with a sign", "0100000000000000000000000000000000000000000000000000000000000080", true],
];

const ACCEPTED = [0, 1, 2, 3, 11];
/** Order of the base point, little-endian. */
const ORDER = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");

/** The suite that every adapter passes. */
export function describeCrypto(name: string, open: () => CryptoPort): void {
  describe(`crypto port: ${name}`, () => {
    const crypto = open();
    const seed = new Uint8Array(32).fill(1);

    test.each(edgeCases.map((row, index) => [index, ...row] as const))(
      "edge case %i",
      (index, message, key, signature) => {
        const verdict = crypto.verify(bytes(key), bytes(message), bytes(signature));
        expect(verdict).toBe(ACCEPTED.includes(index));
      },
    );

    test("known answers: RFC 8032 test 1, key A of protocol 01 §1.2, SHA-256 of nothing", () => {
      const secret = bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
      expect(toHex(crypto.publicKey(secret))).toBe("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
      expect(toHex(crypto.sign(secret, new Uint8Array(0)))).toBe(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
      );
      expect(toHex(crypto.publicKey(seed))).toBe("8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c");
      expect(toHex(crypto.sha256(new Uint8Array(0)))).toBe(
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      );
    });

    test("a signature with S + L in the place of S is refused", () => {
      const signature = crypto.sign(seed, utf8("trade"));
      expect(crypto.verify(crypto.publicKey(seed), utf8("trade"), signature)).toBe(true);
      const raised = signature.slice();
      let carry = 0;
      for (let index = 0; index < 32; index += 1) {
        const sum = (signature[32 + index] ?? 0) + (ORDER[index] ?? 0) + carry;
        raised[32 + index] = sum & 255;
        carry = sum >> 8;
      }
      expect(crypto.verify(crypto.publicKey(seed), utf8("trade"), raised)).toBe(false);
    });

    test.each([[0], [31], [33], [63], [64], [65]])("a key or signature of %i bytes never throws", (length) => {
      const key = crypto.publicKey(seed);
      const signature = crypto.sign(seed, utf8("trade"));
      if (length !== 32) expect(crypto.verify(new Uint8Array(length), utf8("trade"), signature)).toBe(false);
      if (length !== 64) expect(crypto.verify(key, utf8("trade"), new Uint8Array(length))).toBe(false);
      expect(crypto.isCurvePoint(new Uint8Array(length))).toBe(false);
    });

    test.each(pointCases)("curve point: %s", (_, encoded, expected) => {
      expect(crypto.isCurvePoint(bytes(encoded))).toBe(expected);
    });
  });
}

function bytes(text: string): Uint8Array {
  const decoded = fromHex(text);
  if (decoded === undefined) throw new Error(`not hexadecimal: ${text}`);
  return decoded;
}
