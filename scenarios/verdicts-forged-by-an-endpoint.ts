/**
 * Twelve strangers execute a case before its time, which fails; one endpoint tells each of them as a success that
 * decided the case, in another way each time, before and after the execution that is real. The goal: the node behind
 * it believes none of them, though they fill what it keeps of one escrow, and still comes to know the decision; the
 * others, to whom they are twelve failures, know it as if nobody had tried.
 * Source: protocol 03 A.10.3 R3, R4; DESIGN section 4 "A decision cannot be hidden".
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { badEndpoint } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  allKeep,
  BUYER_NODE,
  CASE_AT,
  decided,
  dispute,
  disputed,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  undecided,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
/** The third node with an endpoint: the strangers send through it. */
const OTHER = 2;
/** More than a node keeps of one escrow. */
const strangers = Array.from({ length: 12 }, (_, n) => `stranger ${n + 1}`);
const SPAM_AT = 100;
const EXECUTED_AT = 200;
const FORGES = { from: seconds(CASE_AT), until: minutes(8) };
const shown = { status: "Resolved", resolution: "BuyerWins", terminal_split: null };

export const verdictsForgedByAnEndpoint = defineScenario({
  ...smallNetwork,
  name: "verdicts-forged-by-an-endpoint",
  description: "An endpoint tells twelve failed executions as verdicts; its node believes the chain's decision alone.",
  source: "protocol 03 A.10.3 R3, R4",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    ...strangers.map((by, n) => execute(dispute, { via: OTHER, at: seconds(SPAM_AT + n) }, { by, early: true })),
    ...allKeep([0, 1, 2, 3], theDispute(), undecided, { at: seconds(CASE_AT), forMs: seconds(EXECUTED_AT - CASE_AT) }),
    execute(dispute, { via: MERCHANT_NODE, at: seconds(EXECUTED_AT) }),
    ...decided(dispute, "BuyerWins", [MERCHANT_NODE, OTHER]),
    // What told it of the execution was full of verdicts that nobody gave: the accounts say what, and not by whom.
    ...allCome([BUYER_NODE], theDispute(), { ...shown, onchain_execution_signature: null }),
    ...allCome([BUYER_NODE], theSettlement(), { state: "Completed" }),
  ],
  faults: [badEndpoint(BUYER_NODE, { forge: 1_000_000 }, FORGES)],
});
