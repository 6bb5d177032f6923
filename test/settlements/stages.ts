/**
 * One trade on a node, brought by its own RPC ingress to every stage that a settlement can come to.
 * Source: CONVERGENCE "Settlement" (ours); protocol 02 D.5.
 */
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { observed } from "../rpc/observed.ts";
import { buyer, merchant, signedSends } from "../rpc/signed-sends.ts";
import type { Profile, Sends } from "../rpc/step-table.ts";
import { decision } from "./decision.ts";

export const NOW = 1_786_000_000_000n;
export const DECIDED_AT = NOW + 60_000n;
/** What a node's clock shows when a stage is reached. */
export const READ_AT = NOW + 120_000n;

type Send = (sends: Sends) => string;

const create: Send = (sends) => sends.create();
const reserve: Send = (sends) => sends.reserve();
const initiate: Send = (sends) => sends.initiate();
const pay: Send = (sends) => sends.pay({ payment_reference: "M-1" });
const reverse: Send = (sends) => sends.reverse();
const approve: Send = (sends) => sends.approve();
const reject: Send = (sends) => sends.reject();
const cancel: Send = (sends) => sends.cancel();
const cancelBySeller: Send = (sends) => sends.cancel({ canceller: merchant.peer }, merchant);
const open: Send = (sends) => sends.open();

/** What is said to come to each stage, each a second after the one before; the chain's part is `facts`. */
const scripts = {
  begun: [initiate],
  paid: [initiate, pay],
  reversed: [initiate, pay, reverse],
  approved: [initiate, pay, approve],
  rejected: [initiate, pay, reject],
  cancelled: [initiate, cancel],
  "cancelled by the seller": [initiate, cancelBySeller],
  disputed: [initiate, pay, open],
  "disputed before a payment": [initiate, open],
  released: [initiate, pay, approve],
  "won by the buyer": [initiate, pay, open],
  "won by the merchant": [initiate, pay, open],
  split: [initiate, pay, open],
} as const satisfies Record<string, readonly Send[]>;
export type Stage = keyof typeof scripts;
export const stages = Object.keys(scripts) as readonly Stage[];

const decided = decision(buyer.key, merchant.key, DECIDED_AT);

const facts: Partial<Record<Stage, ChainFact>> = {
  released: { ...decided, kind: "released", resolution: null },
  "won by the buyer": decided,
  "won by the merchant": { ...decided, resolution: "MerchantWins" },
  split: { ...decided, resolution: null, terminal_split: "NoConsensus" },
};

/** A node whose trade has come to a stage. */
export function staged(stage: Stage, profile: Profile): LoneNode {
  const live = (node: LoneNode) => {
    for (const send of [create, reserve, ...scripts[stage]]) {
      node.now += 1_000n;
      send(signedSends(node));
    }
    node.now = READ_AT;
  };
  return observed(NOW, profile, live, facts[stage] ?? { ...decided, reservation: 999n });
}
