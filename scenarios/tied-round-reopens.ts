/**
 * The votes of the first round weigh alike on both sides, so the execution opens another round and decides nothing; in
 * the second one arbitrator votes differently. The goal: between the rounds no node records anything of the first
 * execution, its signature included, and every node that sees the chain shows the later decision.
 * Source: protocol 03 E S7, A.10.3 R5, D.8.
 */
import { execute, executionNews } from "../sim/actions/chain-dispute.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allKeep,
  BUYER_NODE,
  CASE_AT,
  decided,
  dispute,
  disputed,
  executed,
  offered,
  participants,
  smallNetwork,
  theDispute,
  undecided,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 2n },
  { name: "ben", vote: "MerchantWins", via: 1, stakes: 1n },
  { name: "cleo", vote: "MerchantWins", via: 2, stakes: 1n },
];
const secondRound = jurors.map((juror) => (juror.name === "cleo" ? { ...juror, vote: "BuyerWins" as const } : juror));
/** The second execution cannot come sooner than this after the first. */
const BETWEEN = seconds(120);

export const tiedRoundReopens = defineScenario({
  ...smallNetwork,
  name: "tied-round-reopens",
  description: "A tie opens another round and leaves no trace on the dispute; the second round decides.",
  source: "protocol 03 E S7, A.10.3 R5",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    executed(),
    ...allKeep([0, 1, 2, 3], theDispute(), undecided, {
      at: seconds(CASE_AT),
      after: executionNews(dispute),
      forMs: BETWEEN,
    }),
    ...votesOnChain(dispute, secondRound, 1),
    execute(dispute, { via: BUYER_NODE, at: seconds(CASE_AT) }, { round: 1 }),
    ...decided(dispute, "BuyerWins"),
  ],
});
