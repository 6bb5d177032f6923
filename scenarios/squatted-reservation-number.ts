/**
 * A stranger makes an escrow under the number of somebody's reservation before its merchant does, with an accomplice as
 * its buyer, over the same mint and amount, and has his own arbitrators decide its case. The victims' trade is
 * disputed. The goal: the chain's decision about the squatted number is seen and binds to nobody here: the victims'
 * dispute stays undecided on every node.
 * Source: protocol 03 E S16, A.10.3 R1b.
 */
import { execute, openCase } from "../sim/actions/chain-dispute.ts";
import { fundEscrow, provideLiquidity } from "../sim/actions/chain-trade.ts";
import { openDispute } from "../sim/actions/dispute.ts";
import { initiate, pay, reserve } from "../sim/actions/trade.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allKeep,
  BUYER_NODE,
  CASE_AT,
  caseOf,
  DISPUTE_AT,
  dispute,
  offer,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  trade,
  tradeOf,
  undecided,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 1, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
const SQUATTER = "mallory";
/** The same number and amount under other names; the case goes by the victims' id, so that its actors wait for it. */
const squatted = tradeOf(trade.reservation, { offer: { ...offer, merchant: SQUATTER }, buyer: "eve" });
const theirs = { ...caseOf(squatted), id: dispute.id };
const via = 2;

export const squattedReservationNumber = defineScenario({
  ...smallNetwork,
  name: "squatted-reservation-number",
  description: "A case decided on an escrow that a stranger made under the same number binds to nobody.",
  source: "protocol 03 E S16, A.10.3 R1b",
  participants: [...participants(...jurors), { name: SQUATTER, merchant: true }],
  actions: [
    ...offered,
    provideLiquidity(squatted.offer, { via, at: seconds(1) }),
    reserve(trade, { via: BUYER_NODE, at: seconds(4) }),
    initiate(trade, { via: BUYER_NODE, at: seconds(4) }),
    fundEscrow(squatted, { via, at: seconds(4) }),
    pay(trade, { via: BUYER_NODE, at: seconds(4) }),
    openDispute(dispute, { via: BUYER_NODE, at: seconds(DISPUTE_AT) }),
    openCase(theirs, { via, at: seconds(CASE_AT) }),
    ...votesOnChain(theirs, jurors),
    execute(theirs, { via, at: seconds(CASE_AT) }),
    ...allKeep([0, 1, 2, 3], theDispute(), undecided, { at: seconds(CASE_AT), forMs: minutes(4) }),
    ...allKeep([0, 1, 2, 3], theSettlement(), { state: "Disputed" }, { at: seconds(CASE_AT), forMs: minutes(4) }),
  ],
  safety: [...smallNetwork.safety, { kind: "decision-observed", reservation: trade.reservation }],
});
