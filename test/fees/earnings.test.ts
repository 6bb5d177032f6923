/**
 * Goal: earnings are read with one proof of the service's key for one challenge (protocol 05 §2.3).
 * Method: challenge and read on one node; what spends a nonce, what does not, and the boundary of its life.
 */
import { expect, test } from "vitest";
import { proofBytes } from "../../core/domains/fees/earnings.ts";
import { Registration } from "../../core/domains/providers/schema.ts";
import { toBase58, toBase64 } from "../../core/kernel/text.ts";
import * as fixtures from "../providers/fixtures.ts";
import { crypto, loneNode, person } from "../rpc/lone-node.ts";

const T = 1_753_800_000_000n;
const one = person(1);

function opened() {
  const node = loneNode(T);
  node.gossip(Registration, fixtures.registration(one, T, { payout_wallet: one.key }), one);
  const challenge = (id = "svc-1") => node.call("getProviderEarningsChallenge", { id }) as { readonly nonce: string };
  const read = (nonce: string, text = toBase64, id = "svc-1", by = one) =>
    node.call("getProviderEarnings", { id, nonce, signature: text(crypto.sign(by.secret, proofBytes(id, nonce))) });
  return { node, challenge, read };
}

const statement = { service_id: "svc-1", payout_wallet: one.key, entries: [] };

test("a challenge names its service and lives five minutes; no root moves", () => {
  const { node } = opened();
  const before = node.roots();
  expect(node.call("getProviderEarningsChallenge", { id: "svc-1" })).toEqual({
    service_id: "svc-1",
    nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
    expires_at: Number(T + 300_000n),
  });
  expect(node.roots()).toEqual(before);
});

test.each([
  ["base64", toBase64],
  ["base58", toBase58],
])("a proof in %s reads the statement once", (_, text) => {
  const { challenge, read } = opened();
  const { nonce } = challenge();
  expect(read(nonce, text)).toEqual(statement);
  expect(read(nonce, text)).toBe(6);
});

test("challenges do not take each other's place", () => {
  const { challenge, read } = opened();
  const [first, second] = [challenge().nonce, challenge().nonce];
  expect(first).not.toBe(second);
  expect(read(first)).toEqual(statement);
  expect(read(second)).toEqual(statement);
});

test("another key spends the nonce and reads nothing", () => {
  const { challenge, read } = opened();
  const { nonce } = challenge();
  expect(read(nonce, toBase64, "svc-1", person(2))).toBe(1003);
  expect(read(nonce)).toBe(6);
});

test("a signature that is none is a misfit, after the nonce was spent", () => {
  const { node, challenge, read } = opened();
  const { nonce } = challenge();
  expect(node.call("getProviderEarnings", { id: "svc-1", nonce, signature: "AAAA" })).toBe(-32602);
  expect(read(nonce)).toBe(6);
});

test("a nonce of another service or of a wallet is unknown", () => {
  const { node, challenge, read } = opened();
  node.gossip(Registration, fixtures.registration(one, T, { service_id: "svc-2" }), one);
  expect(read(challenge("svc-2").nonce)).toBe(6);
  const wallet = node.call("getWalletChallenge", { wallet: one.peer }) as { readonly nonce: string };
  expect(read(wallet.nonce)).toBe(6);
});

test("the last instant of a challenge still counts", () => {
  const { node, challenge, read } = opened();
  const [last, late] = [challenge().nonce, challenge().nonce];
  node.now = T + 300_000n;
  expect(read(last)).toEqual(statement);
  node.now = T + 300_001n;
  expect(read(late)).toBe(2);
});
