/**
 * How the refusals of wallet-proof reads come about: the same five for every surface. Source: protocol 03 B.5.
 */
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person, usualProfile } from "../rpc/lone-node.ts";
import type { Proof } from "../wallet-proofs/caller.ts";
import { nodeWithFullLedger, nonceFor, proofFor } from "../wallet-proofs/caller.ts";
import type { Refusal } from "./refusal.ts";

const T = 1_786_000_000_000n;
const [wallet, other] = [person(7), person(8)];
const surfaces = ["getMyReservations", "getMySettlements", "getMyDisputes", "getMyTrades", "getCounterparties"];

const ask = (node: LoneNode, method: string, params: Proof) =>
  node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));

const full = new Map<boolean, LoneNode>();

/** One node of a profile for every surface: a refused proof leaves its ledger as full as it was. */
function fullNode(): LoneNode {
  const { parity } = usualProfile();
  const node = full.get(parity) ?? nodeWithFullLedger(T);
  full.set(parity, node);
  return node;
}

const refusalsOf = (method: string): readonly Refusal[] => [
  {
    method,
    code: "INVALID_IDENTITY_CLAIM",
    provoke() {
      const node = loneNode(T);
      const { public_key } = proofFor(node, method, other);
      return ask(node, method, { ...proofFor(node, method, wallet), public_key });
    },
  },
  {
    method,
    code: "RESOURCE_NOT_FOUND",
    provoke() {
      const node = loneNode(T);
      const proof = proofFor(node, method, wallet);
      ask(node, method, proof);
      return ask(node, method, proof);
    },
  },
  {
    method,
    code: "RATE_LIMIT_EXCEEDED",
    provoke: () => ask(fullNode(), method, proofFor(fullNode(), method, wallet)),
  },
  {
    method,
    code: "INVALID_REQUEST",
    provoke() {
      const node = loneNode(T);
      const proof = proofFor(node, method, wallet);
      node.now = T + 300_001n;
      return ask(node, method, proof);
    },
  },
  {
    method,
    code: "INVALID_SIGNATURE",
    provoke() {
      const node = loneNode(T);
      const nonce = nonceFor(node, wallet);
      return ask(node, method, { ...proofFor(node, method, wallet, nonce), ...signedBy(node, method, nonce) });
    },
  },
];

/** The signature of somebody else over the same nonce. */
function signedBy(node: LoneNode, method: string, nonce: string) {
  const { signature } = proofFor(node, method, other, nonce);
  return { signature };
}

export const refusals: readonly Refusal[] = surfaces.flatMap(refusalsOf);
