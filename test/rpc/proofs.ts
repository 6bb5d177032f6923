/**
 * How a read that needs a wallet proof refuses one: each code of protocol 03 B.5, on a node of its own.
 */

import { CHALLENGE_LIFETIME_MS, issueNonce } from "../../core/domains/wallet-proofs/nonce.ts";
import { SPENT_NONCES_MAX } from "../../core/domains/wallet-proofs/queries.ts";
import { SpentNonces } from "../../core/domains/wallet-proofs/schema.ts";
import { marketplace, tables } from "../../core/domains.ts";
import { step } from "../../core/engine/step.ts";
import { openStore } from "../../core/kernel/state.ts";
import { fromBase58, toBase64 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { Refusal } from "../refusals/refusal.ts";
import type { LoneNode } from "./lone-node.ts";
import { crypto, gossipOnly, loneNode, person, usualProfile } from "./lone-node.ts";

const NOW = 1_786_000_000_000n as EpochMillis;
const owner = person(0x22);
const issued = issueNonce(
  crypto,
  new Uint8Array(32),
  1,
  { ledger: "wallet", subject: fromBase58(owner.peer) ?? new Uint8Array(0) },
  NOW,
);
const inBase64 = (base58: string) => toBase64(fromBase58(base58) ?? new Uint8Array(0));
const proof = {
  wallet: inBase64(owner.peer),
  public_key: inBase64(owner.key),
  signature: toBase64(new Uint8Array(64)),
};

/** The refusals of a proof, in the declared order. */
export function proofRefusals(method: string): readonly Refusal[] {
  const asked = (nonce: string, more: object = {}) =>
    JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...proof, nonce, ...more } });
  const ask = (node: LoneNode, nonce: string, more: object = {}) => node.body(asked(nonce, more));
  const fresh = () => loneNode(NOW);
  return [
    {
      method,
      code: "INVALID_IDENTITY_CLAIM",
      provoke: () => ask(fresh(), "", { public_key: inBase64(person(0x33).key) }),
    },
    { method, code: "RESOURCE_NOT_FOUND", provoke: () => ask(fresh(), "ab".repeat(32)) },
    {
      method,
      code: "RATE_LIMIT_EXCEEDED",
      provoke: () => crowdedAnswer(asked(issued)),
    },
    {
      method,
      code: "INVALID_REQUEST",
      provoke() {
        const node = fresh();
        const nonce = challenge(node);
        node.now += BigInt(CHALLENGE_LIFETIME_MS) + 1n;
        return ask(node, nonce);
      },
    },
    {
      method,
      code: "INVALID_SIGNATURE",
      provoke() {
        const node = fresh();
        return ask(node, challenge(node));
      },
    },
  ];
}

/** A nonce for the owner, issued by the node. */
function challenge(node: LoneNode): string {
  return (node.call("getWalletChallenge", { wallet: proof.wallet }) as { readonly nonce: string }).nonce;
}

/** What a node answers that remembers as many spent nonces as it may, none of them expired. */
function crowdedAnswer(body: string): string | null {
  const store = openStore(crypto, tables);
  store.commit(
    Array.from({ length: SPENT_NONCES_MAX }, (_, n) => ({
      table: SpentNonces.name,
      key: `${n}`,
      record: { expires_at: NOW },
    })),
  );
  const context = {
    ...{ store, crypto, configuration: gossipOnly(usualProfile()) },
    ...{ bootSeed: new Uint8Array(32), network: marketplace },
  };
  const { effects } = step(context, { type: "rpc.called", replyTo: "1", body, now: NOW, number: 1 });
  return effects.find((effect) => effect.type === "rpc.reply")?.body ?? null;
}
