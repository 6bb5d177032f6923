// Goal: a proof is refused at the first row of its validation order that fails, burns the nonce from the row at which
// it is looked up, changes no root, and never narrows (protocol 03 B.5).
// Method: each row on a node of its own, then the same nonce again, properly signed.
import { describe, expect, test } from "vitest";
import { methods } from "../../core/index.ts";
import { fromBase64, toBase58, toBase64 } from "../../core/kernel/text.ts";
import { disputedTrade } from "../laws/laws.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person } from "../rpc/lone-node.ts";
import type { Proof } from "./caller.ts";
import { nodeWithFullLedger, nonceFor, proofFor, signText, walletOf } from "./caller.ts";

const T = 1_786_000_000_000n;
const [wallet, other, merchant, buyer] = [person(7), person(8), person(0x11), person(0x22)];
const METHOD = "getMySettlements";
const surfaces = Object.keys(methods).filter(
  (name) => methods[name]?.access === "proof" && !("id" in (methods[name]?.params.fields ?? {})),
);

function fresh(): { readonly node: LoneNode; readonly proof: Proof } {
  const node = loneNode(T);
  return { node, proof: proofFor(node, METHOD, wallet) };
}
/** A signature in base64 with one byte flipped. */
const spoiled = (signature: string) => {
  const bytes = fromBase64(signature) ?? new Uint8Array(0);
  return toBase64(bytes.map((byte, i) => (i === 40 ? byte ^ 1 : byte)));
};

describe("rows, and whether the nonce is burned", () => {
  test.each<[string, (proof: Proof) => Record<string, unknown>, number, boolean]>([
    ["a member is missing", ({ wallet: w, public_key, nonce }) => ({ wallet: w, public_key, nonce }), -32602, false],
    ["the wallet is no peer id", (proof) => ({ ...proof, wallet: "AAAA" }), -32602, false],
    ["the key is short", (proof) => ({ ...proof, public_key: "AAAA" }), -32602, false],
    ["the key is another's", (proof) => ({ ...proof, public_key: other.key }), 2001, false],
    ["the nonce is unknown", (proof) => ({ ...proof, nonce: "0".repeat(64) }), 6, false],
    ["the nonce is no text of this node", (proof) => ({ ...proof, nonce: proof.nonce.toUpperCase() }), 6, false],
    ["the signature is short", (proof) => ({ ...proof, signature: "AAAA" }), -32602, true],
    ["the signature is wrong", (proof) => ({ ...proof, signature: spoiled(proof.signature) }), 1003, true],
  ])("%s", (_, change, answer, burned) => {
    const { node, proof } = fresh();
    expect(node.call(METHOD, change(proof))).toBe(answer);
    expect(node.call(METHOD, proof)).toEqual(burned ? 6 : []);
  });

  test("a nonce issued for another wallet is unknown, and that wallet's own still", () => {
    const node = loneNode(T);
    const theirs = nonceFor(node, other);
    expect(node.call(METHOD, proofFor(node, METHOD, wallet, theirs))).toBe(6);
    expect(node.call(METHOD, proofFor(node, METHOD, other, theirs))).toEqual([]);
  });

  test("a challenge lives through its last millisecond, then is refused and burned", () => {
    const { node, proof } = fresh();
    node.now = T + 300_000n;
    expect(node.call(METHOD, proof)).toEqual([]);
    const late = proofFor(node, METHOD, wallet);
    node.now += 300_001n;
    expect([node.call(METHOD, late), node.call(METHOD, late)]).toEqual([2, 6]);
  });

  test("a nonce that this process did not issue is unknown", () => {
    const { node, proof } = fresh();
    const last = proof.nonce.endsWith("0") ? "1" : "0";
    expect(node.call(METHOD, { ...proof, nonce: proof.nonce.slice(0, -1) + last })).toBe(6);
    const longer = `ff${proof.nonce.slice(2)}`;
    expect(node.call(METHOD, { ...proof, nonce: longer })).toBe(6);
  });

  test("a full ledger refuses even a good proof, until what it remembers has expired", () => {
    const node = nodeWithFullLedger(T);
    expect(node.call(METHOD, proofFor(node, METHOD, wallet))).toBe(9);
    node.now = T + 300_000n;
    expect(node.call(METHOD, proofFor(node, METHOD, wallet))).toBe(9);
    node.now += 1n;
    expect(node.call(METHOD, proofFor(node, METHOD, wallet))).toEqual([]);
  });
});

describe("surfaces", () => {
  test("every surface signs a domain of its own", () => {
    const domains = surfaces.map((name) => methods[name]?.proof?.domain);
    expect(domains.every((domain) => domain?.startsWith("openfiat-"))).toBe(true);
    expect(new Set(domains).size).toBe(surfaces.length);
  });

  test.each(surfaces)("%s: one nonce answers it once, and then nothing else", (method) => {
    const node = loneNode(T);
    const nonce = nonceFor(node, wallet);
    expect(node.call(method, proofFor(node, method, wallet, nonce))).toEqual([]);
    for (const next of surfaces) expect(node.call(next, proofFor(node, next, wallet, nonce))).toBe(6);
  });

  test.each(surfaces)("%s: a signature for another surface proves nothing", (method) => {
    const node = loneNode(T);
    const next = surfaces[(surfaces.indexOf(method) + 1) % surfaces.length] ?? "";
    expect(node.call(method, proofFor(node, next, wallet))).toBe(1003);
  });
});

test("the subject verifies in either spelling, and each member in base64 or base58", () => {
  const node = loneNode(T);
  const base64 = walletOf(wallet);
  for (const given of [base64, wallet.peer, wallet.key]) {
    for (const signed of [base64, wallet.peer]) {
      const nonce = nonceFor(node, wallet);
      const signature = toBase58(signText(wallet, "openfiat-my-settlements", signed, nonce));
      expect(node.call(METHOD, { wallet: given, public_key: wallet.key, nonce, signature })).toEqual([]);
    }
  }
});

test("issuing and proving change no root and publish nothing", () => {
  const node = disputedTrade();
  const before = [node.roots(), node.published.length];
  for (const method of surfaces) node.call(method, proofFor(node, method, buyer));
  expect([node.roots(), node.published.length]).toEqual(before);
});

test.each([
  ["getMyReservations", buyer],
  ["getMySettlements", merchant],
  ["getMyDisputes", merchant],
  ["getMyTrades", merchant],
  ["getCounterparties", merchant],
] as const)("%s names the people of a trade to its party alone", (method, named) => {
  const node = disputedTrade();
  const { peer } = named;
  expect(JSON.stringify(node.call(method, proofFor(node, method, buyer)))).toContain(peer);
  expect(node.call(method, proofFor(node, method, wallet))).toEqual([]);
});

test("two challenges of one batch have nonces of their own", () => {
  const node = loneNode(T);
  const one = { jsonrpc: "2.0", id: 1, method: "getWalletChallenge", params: { wallet: walletOf(wallet) } };
  const answers = JSON.parse(node.body(JSON.stringify([one, { ...one, id: 2 }])) ?? "[]");
  expect(answers[0].result.nonce).not.toBe(answers[1].result.nonce);
});
