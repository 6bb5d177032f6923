/**
 * One trade on a node, brought by its own door to every stage that a settlement can come to.
 * Source: CONVERGENCE "Settlement" (ours); protocol 02 D.5.
 */
import type { ChainFact } from "../../core/domains/trade/settlements/schema.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { observed } from "../rpc/observed.ts";
import { buyer, merchant, speech } from "../rpc/signed-sends.ts";
import type { Profile, Said } from "../rpc/step-table.ts";
import { decision } from "./decision.ts";

export const NOW = 1_786_000_000_000n;
export const DECIDED_AT = NOW + 60_000n;
/** What a node's clock shows when a stage is reached. */
export const READ_AT = NOW + 120_000n;

type Say = (said: Said) => string;

const create: Say = (said) => said.create();
const reserve: Say = (said) => said.reserve();
const initiate: Say = (said) => said.initiate();
const pay: Say = (said) => said.pay({ payment_reference: "M-1" });
const reverse: Say = (said) => said.reverse();
const approve: Say = (said) => said.approve();
const reject: Say = (said) => said.reject();
const cancel: Say = (said) => said.cancel();
const cancelBySeller: Say = (said) => said.cancel({ canceller: merchant.peer }, merchant);
const open: Say = (said) => said.open();

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
  released: [initiate, pay, approve],
  "won by the buyer": [initiate, pay, open],
  "won by the merchant": [initiate, pay, open],
  split: [initiate, pay, open],
} as const satisfies Record<string, readonly Say[]>;
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
    for (const say of [create, reserve, ...scripts[stage]]) {
      node.now += 1_000n;
      say(speech(node));
    }
    node.now = READ_AT;
  };
  return observed(NOW, profile, live, facts[stage] ?? { ...decided, reservation: 999n });
}
