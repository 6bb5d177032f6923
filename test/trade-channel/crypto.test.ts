/**
 * Goal: what clients seal and encrypt is byte for byte what was published, opens for whom it is meant, and for nobody
 * else. Source: protocol 02 J.5, P.6, P.2.21, P.2.22.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, toHex } from "../../core/kernel/bytes.ts";
import { fromBase58, fromBase64 } from "../../core/kernel/text.ts";
import { arbCharacter } from "../../sim/arbitraries/texts.ts";
import type { Binding, Sealed } from "../../sim/trade-channel-crypto.ts";
import {
  boxOf,
  decryptEntry,
  encryptEntry,
  encryptionSecret,
  entryAad,
  keyId,
  openSealedKey,
  sealKey,
  sharedSecret,
  x25519Public,
} from "../../sim/trade-channel-crypto.ts";
import { forAll } from "../property/for-all.ts";
import { merchant } from "../rpc/node-with-settlement.ts";

const of32 = (byte: number) => new Uint8Array(32).fill(byte);
const [channelKey, recipientSecret, ephemeralSecret] = [of32(0x44), of32(0x55), of32(0x66)];
const author = fromBase58(merchant.peer) as Uint8Array;
const binding: Binding = { settlement: "set-1", author, sequence: 0n, kind: "PaymentDetails" };
const nonce = new Uint8Array(12).fill(0x77);

/** The signed words of a published send. */
function published(number: number): { readonly grant: unknown; readonly post: unknown } {
  const stories = JSON.parse(readFileSync(new URL("../examples/02-trade-channel.json", import.meta.url), "utf8")) as {
    readonly steps: readonly { readonly request: string }[];
  }[];
  const request = JSON.parse(stories[0]?.steps[number]?.request ?? "{}") as { readonly params: { data: string } };
  const wire: unknown = JSON.parse(new TextDecoder().decode(fromBase64(request.params.data)));
  return wire as { readonly grant: unknown; readonly post: unknown };
}

describe("the published values", () => {
  test("a recipient's secret comes of the name that the paper gives it", () => {
    const signature = new Uint8Array(64).fill(9);
    const hash = createHash("sha512").update("openfiat/encryptionkey/v1/x25519").update(signature).digest();
    expect(toHex(encryptionSecret(signature))).toBe(hash.subarray(0, 32).toString("hex"));
  });

  test("keys", () => {
    expect([...keyId(channelKey)]).toEqual([212, 159, 163, 238, 101, 138, 137, 24]);
    expect(toHex(x25519Public(recipientSecret))).toBe(
      "38ab664bd86f77d7e66bdd9ae0792913a94fd8b33a1260027e4b46c1f4884c67",
    );
    expect(toHex(x25519Public(ephemeralSecret))).toBe(
      "219e4d800da968d2a5fcb009c784f4746c7138edb9ee4844b739e830b05cf424",
    );
    const shared = sharedSecret(ephemeralSecret, x25519Public(recipientSecret)) as Uint8Array;
    expect(toHex(shared)).toBe("559ed2171b98fa0c0f417b78b5c5a43e971990d7605860038d940284d3245142");
    const box = boxOf(x25519Public(ephemeralSecret), x25519Public(recipientSecret), shared);
    expect(toHex(box.key)).toBe("a1907ee19d8d7fb56b3d60b47b6ec1885944b22ae56e1cd07760c9f79a4ce8fd");
    expect(toHex(box.nonce)).toBe("83b5dc65ea2a6432399aea23");
  });

  test("a sealed channel key, which is the one of P.2.21", () => {
    const sealed = sealKey(channelKey, x25519Public(recipientSecret), ephemeralSecret) as Sealed;
    expect(toHex(sealed.ciphertext)).toBe(
      "f645c8ec32132d71dfb9fe70fc3d9306491f20947a80cb1e74dd34da9128d47f53c50d3742554585c7add63d1ba8be32",
    );
    const { sealed_key, key_id } = published(3).grant as {
      readonly sealed_key: Readonly<Record<keyof Sealed, readonly number[]>>;
      readonly key_id: readonly number[];
    };
    expect(key_id).toEqual([...keyId(channelKey)]);
    for (const member of ["ephemeral_public", "nonce", "ciphertext"] as const) {
      expect(sealed_key[member]).toEqual([...sealed[member]]);
    }
    expect(openSealedKey(sealed, recipientSecret)).toEqual(channelKey);
  });

  test("what an entry is bound to, and the entry of P.2.22", () => {
    expect(toHex(entryAad(binding))).toBe(
      "200000006f70656e666961742f74726164656368616e6e656c2f62696e64696e672f7631050000007365742d3126000000002408011220" +
        "d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c97787370800000000000000000000000e000000" +
        "5061796d656e7444657461696c73",
    );
    const entry = encryptEntry(channelKey, binding, "Paybill 400200 account 7781", nonce);
    const bytes = entry?.ciphertext as Uint8Array;
    expect(bytes.length).toBe(272);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(
      "eb2d41e79607c471aef1caf62b42d8bee582a598167a644bac7f5eca702a32b4",
    );
    expect(bytes.subarray(-16)).toEqual(fromHex("ea78d64be55390fd76cce60bdce5ca64"));
    const { payload } = published(4).post as { readonly payload: { readonly ciphertext: number[] } };
    expect(payload.ciphertext).toEqual([...bytes]);
  });
});

describe("opening", () => {
  test("a text comes back, whatever it is; a longer one than 4096 bytes is not made", () => {
    const text = fc.oneof(
      fc.string({ unit: arbCharacter(), maxLength: 2_000 }),
      fc
        .tuple(fc.constantFrom(0, 251, 252, 253, 508, 4_095, 4_096, 4_097), fc.constantFrom("x", "\u0000"))
        .map(([length, letter]) => letter.repeat(length)),
      fc.string({ unit: fc.constantFrom("\ufeff", "\ufffd", "é", "\u{1f600}"), maxLength: 40 }),
    );
    const bytesOf = (text: string) => Buffer.byteLength(text);
    /** Its length before it, filled up to a multiple of 256. */
    const paddedLength = (length: number) => Math.ceil((4 + length) / 256) * 256;
    forAll(
      [text, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })],
      (text, n) => {
        const place = { ...binding, sequence: n, kind: "Message" as const };
        const entry = encryptEntry(channelKey, place, text, nonce);
        if (bytesOf(text) > 4_096) return expect(entry).toBeUndefined();
        expect(entry?.ciphertext.length).toBe(16 + paddedLength(bytesOf(text)));
        expect(entry && decryptEntry(channelKey, place, entry)).toBe(text);
      },
      {
        runs: 200,
        classes: (text) => {
          const length = bytesOf(text);
          const room = paddedLength(length) - length - 4;
          return [
            length > 4_096
              ? "too long"
              : length === 4_096
                ? "at its longest"
                : length > 512
                  ? "several blocks"
                  : "short",
            ...(length > 0 && length <= 4_096 && room === 0 ? ["fills its blocks"] : []),
            ...(text.endsWith("\u0000") ? ["ends in zeros"] : []),
            ...(text.startsWith("\ufeff") ? ["begins with a byte-order mark"] : []),
          ];
        },
        shares: {
          ...{ "too long": 0.1, "at its longest": 0.02, "several blocks": 0.1, short: 0.1 },
          ...{ "fills its blocks": 0.05, "ends in zeros": 0.1, "begins with a byte-order mark": 0.05 },
        },
      },
    );
    const marked = encryptEntry(channelKey, binding, "\ufeffPaybill", nonce);
    expect(marked && decryptEntry(channelKey, binding, marked), "a byte-order mark stays").toBe("\ufeffPaybill");
    expect(encryptEntry(channelKey, binding, "x".repeat(4_096), nonce)?.ciphertext.length).toBe(4_368);
    expect(encryptEntry(channelKey, binding, "x".repeat(4_097), nonce)).toBeUndefined();
  });

  test("fails under another key, at another place, and after any change", () => {
    const entry = encryptEntry(channelKey, binding, "Paybill", nonce) as NonNullable<ReturnType<typeof encryptEntry>>;
    expect(decryptEntry(of32(0x45), binding, entry)).toBeUndefined();
    for (const other of [
      { settlement: "set-2" },
      { author: author.map((byte) => byte ^ 1) },
      { sequence: 1n },
      { kind: "Message" as const },
    ]) {
      expect(decryptEntry(channelKey, { ...binding, ...other }, entry)).toBeUndefined();
    }
    for (let at = 0; at < entry.ciphertext.length; at += 17) {
      const ciphertext = entry.ciphertext.map((byte, i) => (i === at ? byte ^ 1 : byte));
      expect(decryptEntry(channelKey, binding, { ...entry, ciphertext })).toBeUndefined();
    }
    expect(decryptEntry(channelKey, binding, { ...entry, ciphertext: new Uint8Array(3) })).toBeUndefined();
    expect(decryptEntry(channelKey, binding, { ...entry, nonce: new Uint8Array(3) })).toBeUndefined();
  });

  test("a sealed key opens for its recipient alone, and no key of low order is sealed to or opened", () => {
    const secret = encryptionSecret(new Uint8Array(64).fill(9));
    const sealed = sealKey(channelKey, x25519Public(secret), ephemeralSecret) as Sealed;
    expect(openSealedKey(sealed, secret)).toEqual(channelKey);
    expect(openSealedKey(sealed, recipientSecret)).toBeUndefined();
    expect(openSealedKey({ ...sealed, nonce: new Uint8Array(12) }, secret)).toBeUndefined();
    for (const low of [new Uint8Array(32), Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))]) {
      expect(sealKey(channelKey, low, ephemeralSecret)).toBeUndefined();
      expect(openSealedKey({ ...sealed, ephemeral_public: low }, secret)).toBeUndefined();
    }
  });
});
