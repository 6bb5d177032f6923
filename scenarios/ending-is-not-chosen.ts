/**
 * One arbitrator stays silent, so too few votes count and too few arbitrators are left for another round: the case
 * is to end in a split. The merchant would rather have another round, and executes first, without the account that
 * says how many could still vote. The goal: his execution fails, whoever executes with all accounts gets the one ending
 * that there is, and every node with an endpoint shows it.
 * Source: protocol 03 D.4, D.8; DESIGN section 4 "Staking".
 */
import { commitOnChain, execute } from "../sim/actions/chain-dispute.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  BUYER_NODE,
  CASE_AT,
  CONNECTED,
  dispute,
  disputed,
  isSigned,
  MERCHANT,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const ada: Sitting = { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n };
const ben: Sitting = { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n };
const cleo: Sitting = { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n };
/** Some seconds after the merchant's attempt, which comes as soon as the windows are over. */
const EXECUTED_AT = 190;
const split = {
  status: "Resolved",
  resolution: null,
  terminal_split: "PoolExhausted",
  onchain_execution_signature: isSigned,
};

export const endingIsNotChosen = defineScenario({
  ...smallNetwork,
  name: "ending-is-not-chosen",
  description: "Who executes a case without the account that decides on another round gets none; the case is split.",
  source: "protocol 03 D.4, D.8",
  participants: participants(ada, ben, cleo),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, [ada, ben]),
    commitOnChain(dispute, cleo, { via: cleo.via, at: seconds(CASE_AT + 2) }),
    execute(dispute, { via: MERCHANT_NODE, at: seconds(CASE_AT + 1) }, { by: MERCHANT, disguise: "short" }),
    execute(dispute, { via: BUYER_NODE, at: seconds(EXECUTED_AT) }),
    ...allCome(CONNECTED, theDispute(), split),
    ...allCome(CONNECTED, theSettlement(), { state: "Completed", escrow_release_signature: isSigned }),
  ],
});
