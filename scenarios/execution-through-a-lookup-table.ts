/**
 * The merchant executes the case that he lost through a lookup table: his message names neither escrow nor case, and
 * one of the endpoints keeps nothing of a transaction but what was signed. The goal: every node with an endpoint knows
 * the decision, by the addresses that were looked up or by the accounts, and all of them know the same.
 * Source: protocol 03 A.10.3 R3, R4, R11; DESIGN section 4 "A decision cannot be hidden".
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { badEndpoint } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  BUYER_NODE,
  CASE_AT,
  decided,
  dispute,
  disputed,
  MERCHANT,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  trade,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
/** A third node with an endpoint. */
const OTHER = 2;
const shown = { status: "Resolved", resolution: "BuyerWins", terminal_split: null };
const KEEPS_NOTHING = { from: seconds(CASE_AT), until: minutes(8) };

export const executionThroughALookupTable = defineScenario({
  ...smallNetwork,
  name: "execution-through-a-lookup-table",
  description: "a lookup table names case and escrow; every node knows the decision, whatever its endpoint keeps.",
  source: "protocol 03 A.10.3 R3, R4, R11",
  participants: participants(...jurors),
  lookupTables: [trade.reservation],
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    execute(dispute, { via: MERCHANT_NODE, at: seconds(CASE_AT + 1) }, { by: MERCHANT, disguise: "table" }),
    ...decided(dispute, "BuyerWins", [MERCHANT_NODE, OTHER]),
    // Nobody told it which transaction closed what it saw closed.
    ...allCome([BUYER_NODE], theDispute(), { ...shown, onchain_execution_signature: null }),
    ...allCome([BUYER_NODE], theSettlement(), { state: "Completed" }),
  ],
  faults: [badEndpoint(BUYER_NODE, { withhold: 1_000_000 }, KEEPS_NOTHING)],
});
