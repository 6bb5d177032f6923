/**
 * The merchant executes the case that he lost through a program of his own: no instruction of the message names case or
 * escrow program. The goal: every node with an endpoint finds the call among the inner instructions, and the decision.
 * Source: protocol 03 A.10.3 R3; DESIGN section 4 "A decision cannot be hidden".
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  CASE_AT,
  decided,
  dispute,
  disputed,
  MERCHANT,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];

export const executionByAnotherProgram = defineScenario({
  ...smallNetwork,
  name: "execution-by-another-program",
  description: "another program executes the case; every node finds the call among the inner instructions.",
  source: "protocol 03 A.10.3 R3",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    execute(dispute, { via: MERCHANT_NODE, at: seconds(CASE_AT + 1) }, { by: MERCHANT, disguise: "call" }),
    ...decided(dispute, "BuyerWins"),
  ],
});
