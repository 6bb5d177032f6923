/**
 * Goal: what a wallet signs, and what its proof then reads, is what protocol 01 §16.8, 02 P.3 and 03 H.8 publish.
 * Method: every published signature made and verified; then the same calls through the ingress, with the nonce that
 * this node issued in the place of the published one, which another node drew.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { fromBase64, toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, loneNode, parityNode, person } from "../rpc/lone-node.ts";
import { allStories } from "./story.ts";

interface ProofRow {
  readonly source: string;
  readonly seed: string;
  readonly text: string;
  readonly base64?: string;
  readonly base58?: string;
}
interface Pair {
  readonly base64: readonly [string, string];
  readonly base58: readonly [string, string];
}
interface Published {
  readonly proofs: readonly ProofRow[];
  readonly challenges: Pair & { readonly nonce: string };
  readonly reads: Pair;
  readonly replay: string;
  readonly settlements: readonly [string, string];
  readonly reservations: readonly [string, string];
}

const published = JSON.parse(
  readFileSync(new URL("published/wallet-proofs.json", import.meta.url), "utf8"),
) as Published;
const [A, taker] = [person(1), person(0x22)];
const U = 1_700_000_000_000n;

test.each(published.proofs)("$source: the signature", ({ seed, text, base64, base58 }) => {
  const secret = new Uint8Array(32).fill(Number.parseInt(seed, 16));
  const signature = crypto.sign(secret, utf8(text));
  if (base64 !== undefined) expect(toBase64(signature)).toBe(base64);
  if (base58 !== undefined) expect(toBase58(signature)).toBe(base58);
  expect(crypto.verify(crypto.publicKey(secret), utf8(text), signature)).toBe(true);
});

/** The nonce that this node issues for a published challenge; the rest of the answer is the published one. */
function challenged(node: LoneNode, [request, answer]: readonly [string, string]): string {
  const parsed = node.body(request) ?? "";
  const nonce = (JSON.parse(parsed) as { result: { nonce: string } }).result.nonce;
  expect(nonce).toMatch(/^[0-9a-f]{64}$/);
  expect(parsed.replace(nonce, published.challenges.nonce)).toBe(answer);
  return nonce;
}

/** A published proof, answered anew with another nonce. */
function signedAnew(request: string, nonce: string, domain: string, by: Person, spell: (bytes: Uint8Array) => string) {
  const parsed = JSON.parse(request) as { params: { wallet: string; nonce: string; signature: string } };
  const signature = crypto.sign(by.secret, utf8(`${domain}:${parsed.params.wallet}:${nonce}`));
  return request.replace(parsed.params.nonce, nonce).replace(parsed.params.signature, spell(signature));
}

describe.each(["parity", "default"] as const)("protocol 03 H.8 under %s", (profile) => {
  test("a challenge and a proof in base64, once", () => {
    const node = profile === "parity" ? parityNode(U) : loneNode(U);
    const nonce = challenged(node, published.challenges.base64);
    const [request, answer] = published.reads.base64;
    const proof = signedAnew(request, nonce, "openfiat-my-disputes", A, toBase64);
    expect(node.body(proof)).toBe(answer);
    expect(node.body(proof.replace('"id":6', '"id":7'))).toBe(
      profile === "parity"
        ? published.replay
        : published.replay.replace('"ofsRetryable":false', '"ofsRetryable":false,"reason":"challenge-unknown"'),
    );
  });
});

test("protocol 03 H.8, default: a challenge and a proof in base58", () => {
  const node = loneNode(U);
  const nonce = challenged(node, published.challenges.base58);
  const [request, answer] = published.reads.base58;
  expect(node.body(signedAnew(request, nonce, "openfiat-my-disputes", A, toBase58))).toBe(answer);
});

test("protocol 03 D-3: under parity base58 is read as base64, and fits nobody", () => {
  const node = parityNode(U);
  const [request] = published.challenges.base58;
  const { subject } = (JSON.parse(node.body(request) ?? "") as { result: { subject: string } }).result;
  expect(fromBase64(subject)?.length).toBe(39);
  const proof = { wallet: A.peer, public_key: toBase64(crypto.publicKey(A.secret)), nonce: "", signature: "" };
  expect(node.call("getMyDisputes", proof)).toBe(2001);
  expect(node.call("getMyDisputes", { ...proof, public_key: A.key })).toBe(-32602);
});

describe.each(["parity", "default"] as const)("protocol 02 P.3 under %s", (profile) => {
  /** The state of the published reads. */
  function traded(): LoneNode {
    const stories = allStories().get("02-marketplace.json") ?? [];
    const story = stories.find((one) => one.profile === profile && one.source.startsWith("protocol 02 P.3 getTrade"));
    const node = (profile === "parity" ? parityNode : loneNode)(BigInt(story?.at ?? 0));
    for (const { at, request } of story?.steps.slice(0, -1) ?? []) {
      if (at !== undefined) node.now = BigInt(at);
      expect(node.body(request)).toContain('"result"');
    }
    return node;
  }

  test("getMySettlements", () => {
    const node = traded();
    const [request, answer] = published.settlements;
    const { wallet } = (JSON.parse(request) as { params: { wallet: string } }).params;
    const { nonce } = node.call("getWalletChallenge", { wallet }) as { nonce: string };
    expect(node.body(signedAnew(request, nonce, "openfiat-my-settlements", taker, toBase64))).toBe(answer);
  });

  test("getMyReservations", () => {
    const node = traded();
    const [request, answer] = published.reservations;
    const wallet = (JSON.parse(published.settlements[0]) as { params: { wallet: string } }).params.wallet;
    const { nonce } = node.call("getWalletChallenge", { wallet }) as { nonce: string };
    const signature = crypto.sign(taker.secret, utf8(`openfiat-my-reservations:${wallet}:${nonce}`));
    const public_key = toBase64(crypto.publicKey(taker.secret));
    const params = { wallet, public_key, nonce, signature: toBase64(signature) };
    const dated = answer.replace("1786000300020", "1786000300000");
    const ours = profile === "parity" ? answer : dated.replace('"requested_at"', '"received_at":null,"requested_at"');
    expect(node.body(JSON.stringify({ ...(JSON.parse(request) as object), params }))).toBe(ours);
  });
});
