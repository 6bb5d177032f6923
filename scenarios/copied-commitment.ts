/**
 * An arbitrator with a large stake hands in another's commitment as his own, off chain and on chain, and once the other
 * has revealed says the same. The goal: off chain both are kept and the pair is flagged on every node; on chain the
 * copy cannot be opened, so its stake does not count, and the decision is that of the others.
 * Source: protocol 03 E S17, W-14.
 */
import { defineScenario } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  decided,
  dispute,
  disputed,
  executed,
  offered,
  participants,
  smallNetwork,
  theDispute,
  votesOffChain,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "MerchantWins", via: 1, stakes: 1n },
  { name: "cleo", vote: "MerchantWins", via: 2, stakes: 1n },
  { name: "cato", vote: "BuyerWins", via: 3, stakes: 5n, copies: "ada" },
];
const kept = {
  arbitrators_seated: 4,
  commitments: 4,
  revealed_votes: ["BuyerWins", "MerchantWins", "MerchantWins", "BuyerWins"],
};

export const copiedCommitment = defineScenario({
  ...smallNetwork,
  name: "copied-commitment",
  description: "A copied commitment is kept and flagged off chain, and cannot be opened on chain.",
  source: "protocol 03 E S17, W-14",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOffChain(dispute, jurors),
    ...votesOnChain(dispute, jurors),
    executed(),
    ...allCome([0, 1, 2, 3], theDispute(), kept),
    ...decided(dispute, "MerchantWins"),
  ],
  safety: [...smallNetwork.safety, { kind: "flagged", event: "copied commitment" }],
});
