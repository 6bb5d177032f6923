/**
 * Two executions of a case fail on chain: one comes before the reveal window is over, one is spoiled by the runtime.
 * The goal: no node changes anything or records their signatures, and no node gives the case up: the execution that
 * succeeds afterwards decides it everywhere.
 * Source: protocol 03 E S4, A.10.3 R3, R5.
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { badSubmissions } from "../sim/fault-plans.ts";
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
  MERCHANT,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  theDispute,
  undecided,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
const EARLY_AT = 130;
/** The first timely execution is sent 125 s after the case was opened. */
const SPOILED = { from: seconds(174), until: seconds(184) };
const AGAIN_AT = 215;

export const executionThatFails = defineScenario({
  ...smallNetwork,
  name: "execution-that-fails",
  description: "Failed executions change nothing and end no watch; the one that succeeds decides.",
  source: "protocol 03 E S4, A.10.3 R3",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    execute(dispute, { via: MERCHANT_NODE, at: seconds(EARLY_AT) }, { by: MERCHANT, early: true }),
    executed(),
    ...allKeep([0, 1, 2, 3], theDispute(), undecided, { at: seconds(CASE_AT), forMs: seconds(AGAIN_AT - CASE_AT) }),
    execute(dispute, { via: BUYER_NODE, at: seconds(AGAIN_AT) }),
    ...decided(dispute, "BuyerWins"),
  ],
  faults: [badSubmissions({ fail: 1_000_000 }, SPOILED)],
});
