/**
 * The merchant executes the case that he lost behind 45 empty memos: the log is cut before the event, so no transaction
 * says what was decided. The goal: every node with an endpoint reads the decision from the
 * finalized accounts, and none shows it before.
 * Source: protocol 03 A.10.3 R3, R4; DESIGN section 4 "A decision cannot be hidden".
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

export const executionBehindMemos = defineScenario({
  ...smallNetwork,
  name: "execution-behind-memos",
  description: "45 memos push a decision out of its log; every node reads it from the accounts.",
  source: "protocol 03 A.10.3 R3, R4",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    execute(dispute, { via: MERCHANT_NODE, at: seconds(CASE_AT + 1) }, { by: MERCHANT, disguise: "memos" }),
    ...decided(dispute, "BuyerWins"),
  ],
});
