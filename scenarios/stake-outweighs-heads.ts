/**
 * Two arbitrators with small stakes reveal for the buyer, one with a large stake for the merchant; on chain the vote
 * weighs stakes. The goal: every node that sees the chain shows the chain's decision, not that of the heads it counted,
 * and the trade goes back to the merchant; the node without an endpoint goes on waiting.
 * Source: protocol 03 E S2, A.6, D.8.
 */
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  allKeep,
  CASE_AT,
  CONNECTED,
  decided,
  dispute,
  disputed,
  executed,
  GOSSIP_ONLY,
  offered,
  participants,
  smallNetwork,
  theDispute,
  undecided,
  votesOffChain,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "MerchantWins", via: 3, stakes: 3n },
];
const evidence = { revealed_votes: ["BuyerWins", "BuyerWins", "MerchantWins"] };

export const stakeOutweighsHeads = defineScenario({
  ...smallNetwork,
  name: "stake-outweighs-heads",
  description: "Two heads against one reveal for the buyer; by stake the chain decides for the merchant.",
  source: "protocol 03 E S2, A.6, D.8",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOffChain(dispute, jurors),
    ...votesOnChain(dispute, jurors),
    executed(),
    ...allCome(CONNECTED, theDispute(), evidence),
    ...decided(dispute, "MerchantWins"),
    ...allKeep([GOSSIP_ONLY], theDispute(), undecided, { at: seconds(CASE_AT), forMs: seconds(200) }),
  ],
});
