/**
 * Two cases end without a winner. In the first an arbitrator stays silent, too few votes count, and too few arbitrators
 * are left for another round, so the chain splits the trade and gives no verdict. In the second all vote for a mutual
 * settlement. The goal: nodes show the first as resolved without a resolution and say why, the second as a mutual
 * settlement, and both trades as completed; neither stays disputed for ever.
 * Source: protocol 03 E S9, A.6, W-3.
 */
import { commitOnChain } from "../sim/actions/chain-dispute.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  allKeep,
  CASE_AT,
  CONNECTED,
  caseOf,
  decided,
  dispute,
  disputed,
  executed,
  GOSSIP_ONLY,
  isSigned,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theReservation,
  theSettlement,
  tradeOf,
  undecided,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
const agreeing = jurors.map((juror) => ({ ...juror, chainVote: "MutualSettlement" as const }));
const mutual = caseOf(tradeOf(2002n, { buyer: "uma" }));
const [ada, ben, cleo] = jurors as readonly [Sitting, Sitting, Sitting];
const split = {
  status: "Resolved",
  resolution: null,
  terminal_split: "PoolExhausted",
  onchain_execution_signature: isSigned,
};

export const splitWithoutAVerdict = defineScenario({
  ...smallNetwork,
  name: "split-without-a-verdict",
  description: "A terminal split and a mutual settlement on chain both close their cases, and say how.",
  source: "protocol 03 E S9, W-3",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(dispute),
    ...disputed(mutual, 2),
    ...votesOnChain(dispute, [ada, ben]),
    commitOnChain(dispute, cleo, { via: cleo.via, at: seconds(CASE_AT + 2) }),
    ...votesOnChain(mutual, agreeing),
    executed(dispute),
    executed(mutual, 2),
    ...allCome(CONNECTED, theDispute(), split),
    ...allCome(CONNECTED, theSettlement(), { state: "Completed", escrow_release_signature: isSigned }),
    ...allCome(CONNECTED, theReservation(), { state: "Settled" }),
    ...decided(mutual, "MutualSettlement"),
    ...allKeep([GOSSIP_ONLY], theDispute(), undecided, { at: seconds(CASE_AT), forMs: seconds(200) }),
  ],
});
