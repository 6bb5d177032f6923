// Goal: wallets sign as the protocol's clients do. Method: the published worked examples, byte for byte; every signed
// payload type through the core's own verification.
import { assert, describe, test } from "vitest";
import { openNativeCrypto } from "../../adapters/crypto/native.ts";
import { ReservationCancel } from "../../core/domains/trade/reservations/schema.ts";
import { identityOf } from "../../core/kernel/signed.ts";
import type { EpochMillis, Signature } from "../../core/kernel/values.ts";
import { verify } from "../../core/kernel/verification.ts";
import { shareCrypto } from "../../sim/verdict-memory.ts";
import { openWallet, walletOfSecret } from "../../sim/wallet.ts";

const crypto = openNativeCrypto();
const keyA = walletOfSecret(crypto, "A", new Uint8Array(32).fill(1));
const cancel = { id: "res-1", requester: keyA.peer, timestamp: 1_700_000_000_000n as EpochMillis };

describe("wallets", () => {
  // Source: protocol 01 §1.2, vector A.
  test("derive key, peer id and parameter as published", () => {
    assert.equal(keyA.publicKey, "AKnL4NNf3DGWZJS6cPknBuEGnVsV4A4m5tgebLHaRSZ9");
    assert.equal(keyA.address, keyA.publicKey);
    assert.equal(keyA.peer, "12D3KooWK99VoVxNE7XzyBwXEzW7xhK7Gpv85r9F3V3fyKSUKPH5");
    assert.equal(keyA.parameter("base58"), keyA.peer);
    assert.equal(keyA.parameter("base64"), "ACQIARIgiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w=");
  });

  // Source: protocol 01 §16.1.
  test("sign bare as published", () => {
    const data =
      "eyJjYW5jZWwiOnsiaWQiOiJyZXMtMSIsInJlcXVlc3RlciI6IjEyRDNLb29XSzk5Vm9WeE5FN1h6eUJ3WEV6Vzd4aEs3R3B2ODVyOUYzVjNmeUtTVUtQSDUiLCJ0aW1lc3RhbXAiOjE3MDAwMDAwMDAwMDB9LCJzaWduYXR1cmUiOiIzclB6SnlOTlB5RkhqUTZOQ0JMYmZaQ0hVc2UzaFdWVks2dEU1ZWpDdXRiNUJMNkVmQzY1d0RzS3N3alJITUY1WmtlM2MzQk4zdUJ0VEplZjRGcGlhNkFrIn0=";
    assert.equal(keyA.data(ReservationCancel, cancel, "bare"), data);
  });

  // Source: protocol 01 §16.2.
  test("sign tagged as published, and by default", () => {
    const signature = "2fLe4SwKyer28Yghw9mev71rSExKZiqDVCET8RXdXnpmR7NZ3ZMoqHurwaiPvU1BEcp6VVv381VTgJzw994JTSeZ";
    const read = (data: string) => JSON.parse(Buffer.from(data, "base64").toString("utf8")) as { signature: Signature };
    assert.equal(read(keyA.data(ReservationCancel, cancel, "tagged")).signature, signature);
    assert.equal(read(keyA.data(ReservationCancel, cancel)).signature, signature);
    assert.equal(verify(crypto, ReservationCancel, cancel, signature as Signature).form, "tagged");
    const identity = "31f09a548045e23a8eca9e16f980e77735413fdbbd4ee6fdc361551e43d5b549";
    assert.equal(identityOf(crypto, ReservationCancel, cancel), identity);
  });

  // Source: protocol 01 §16.8.
  test("prove themselves as published, in either spelling", () => {
    const nonce = "0".repeat(64);
    const base64 = keyA.prove("openfiat-my-settlements", { subject: keyA.parameter("base64"), nonce }, "base64");
    assert.equal(base64.wallet, keyA.parameter("base64"));
    assert.equal(
      base64.signature,
      "Uf/ma9/FI/Jfp1ioTQlwzzijAw7P+u9QP9Ya8ureJVW/j6NCAW582KMvTY2l6JLbAnE+CboxC0sP7RkNT6ooDg==",
    );
    const base58 = keyA.prove("openfiat-my-settlements", { subject: keyA.peer, nonce }, "base58");
    assert.equal(
      base58.signature,
      "GN7mkQ4rTszeRNV23fnRkMUcNW6xtB8rQRkkPbiyPmort7yJumzRhR8AjHkC3eVM2JV5eQs19zF2npxdfgvprCX",
    );
    assert.equal(base58.public_key, keyA.publicKey);
  });

  test("are a function of seed and name", () => {
    assert.equal(openWallet(crypto, 1n, "alice").peer, openWallet(crypto, 1n, "alice").peer);
    const peers = [openWallet(crypto, 1n, "alice"), openWallet(crypto, 1n, "bob"), openWallet(crypto, 2n, "alice")];
    assert.equal(new Set(peers.map((wallet) => wallet.peer)).size, 3);
  });
});

describe("shared cryptography", () => {
  test("asks once per key, message and signature, and never mixes them up", () => {
    let asked = 0;
    const counting = shareCrypto({
      ...crypto,
      verify(...question) {
        asked += 1;
        return crypto.verify(...question);
      },
    });
    const message = Uint8Array.of(1, 2, 3);
    const signature = keyA.sign(message);
    const key = keyA.keypair.publicKey;
    const other = openWallet(crypto, 1n, "bob").keypair.publicKey;
    for (let times = 0; times < 3; times++) assert.equal(counting.verify(key, message, signature), true);
    assert.equal(asked, 1);
    assert.equal(counting.verify(key, Uint8Array.of(1, 2, 4), signature), false);
    assert.equal(counting.verify(other, message, signature), false);
    assert.equal(counting.verify(key, message, signature), true);
    assert.equal(counting.verify(key, message, signature.slice(0, 63)), false);
  });

  test("does not remember bytes that their owner wrote over", () => {
    const shared = shareCrypto(crypto);
    const message = Uint8Array.of(1, 2, 3);
    const signature = keyA.sign(message);
    const buffer = message.slice();
    assert.equal(shared.verify(keyA.keypair.publicKey, buffer, signature), true);
    buffer[0] = 9;
    assert.equal(shared.verify(keyA.keypair.publicKey, buffer, signature), false);
  });
});
