/**
 * Goal: keys, peer ids and wallet spellings are those that were published (protocol 01 §1.2, W11).
 * Method: every published person from its seed, then every spelling of its wallet read back.
 */
import { describe, expect, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { known } from "../../core/kernel/assert.ts";
import { toHex } from "../../core/kernel/bytes.ts";
import { fromBase58, fromBase64, toBase58, toBase64 } from "../../core/kernel/text.ts";
import type { PeerId } from "../../core/kernel/values.ts";
import {
  decodeEither,
  decodeWallet,
  keyOfPeer,
  PEER_ID_BYTES,
  peerBytesOfKey,
  peerOfKey,
} from "../../core/kernel/values.ts";
import { people, secretOf } from "./fixtures.ts";

const crypto = openNativeCrypto();

describe.each(people)("$source, seed $seed", ({ seed, publicKey, publicKeyHex, peer, wallet }) => {
  const key = crypto.publicKey(secretOf(seed));

  test("key and peer id", () => {
    expect(toBase58(key)).toBe(publicKey);
    if (publicKeyHex) expect(toHex(key)).toBe(publicKeyHex);
    expect(peerOfKey(key)).toBe(peer);
    expect(peer).toMatch(/^12D3Koo.{45}$/);
    expect(toBase64(peerBytesOfKey(key))).toBe(wallet);
    expect(keyOfPeer(peer)).toEqual(key);
  });

  test("a wallet in its three spellings", () => {
    expect(decodeWallet(wallet)).toEqual({ peer, form: "base64" });
    expect(decodeWallet(peer)).toEqual({ peer, form: "base58" });
    expect(decodeWallet(publicKey)).toEqual({ peer, form: "base58" });
  });

  test("a key and a signature in either spelling", () => {
    const signature = crypto.sign(secretOf(seed), key);
    for (const bytes of [key, signature]) {
      expect(decodeEither(toBase64(bytes), bytes.length)).toEqual(bytes);
      expect(decodeEither(toBase58(bytes), bytes.length)).toEqual(bytes);
      expect(decodeEither(toBase58(bytes), bytes.length - 1)).toBeUndefined();
      expect(decodeEither(toBase64(bytes.subarray(1)), bytes.length)).toBeUndefined();
    }
  });
});

test("a published key and peer id without a seed belong together", () => {
  const key = known(fromBase58("ALLENLMtV1zEAHT3xpVryqcbdPCB8c9JhM1Jdbe5XHg5"), "key");
  expect(peerOfKey(key)).toBe("12D3KooWK9hQ7TwbfvFiaAxUbRFCkdhS7iEpAJDnewNL1anyREQ1");
});

test("what is no wallet is refused", () => {
  const peer = known(fromBase64(known(people[0], "somebody").wallet), "bytes");
  const otherPrefix = peer.slice();
  otherPrefix[5] = 0x21;
  const hashed = new Uint8Array(34).fill(7);
  hashed.set([0x12, 0x20]);
  const refused = ["", "0", "l", "not a wallet", "\u0000", toBase58(peer.subarray(1)), toBase58(peer.subarray(0, 31))];
  const bytes = [otherPrefix, hashed, ...[31, 33, 64].map((length) => new Uint8Array(length).fill(255))];
  for (const text of [...refused, ...bytes.map(toBase58), ...bytes.map(toBase64)]) {
    expect(decodeWallet(text), text).toBeUndefined();
  }
  expect(decodeWallet(toBase64(new Uint8Array(32))), "base64 of a bare key is not one of the forms").toBeUndefined();
});

test("a peer id without a key inside has none", () => {
  expect(keyOfPeer("" as PeerId)).toBeUndefined();
  expect(keyOfPeer("0OIl" as PeerId)).toBeUndefined();
  expect(keyOfPeer(toBase58(new Uint8Array(PEER_ID_BYTES)) as PeerId)).toBeUndefined();
  expect(keyOfPeer(toBase58(new Uint8Array(PEER_ID_BYTES + 1)) as PeerId)).toBeUndefined();
});
