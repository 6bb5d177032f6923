/**
 * The execution of a case is seen at the level `confirmed` while nothing becomes final; then another branch wins, on
 * which nobody ever heard of it. The goal: nodes that wait for finality never show the decision, and the one that takes
 * what is confirmed shows it, takes it back when the fork drops it, and is left with nothing of it. The case is
 * executed again, and then all of them show the chain's decision for good.
 * Source: protocol 03 E S3, A.10.3 R3, R6.
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { comesToShow } from "../sim/actions/expect.ts";
import { reorganization, stalledFinality } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  allKeep,
  BUYER_NODE,
  CASE_AT,
  CONNECTED,
  decided,
  dispute,
  disputed,
  executed,
  isSigned,
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
const PATIENT = [0, 1];
/** The node that takes what is confirmed. */
const HASTY = [2];
const SEEN = "an execution that is not final";
/** The execution is sent 125 s after the case was opened; 25 s later the fork takes the last minute's half away. */
const FORK_AT = 202;
const AGAIN_AT = 235;

export const executionLostInAFork = defineScenario({
  ...smallNetwork,
  name: "execution-lost-in-a-fork",
  description: "A fork drops an execution: nothing of it is left on any node, and a second one decides.",
  source: "protocol 03 E S3, A.10.3 R3, R6",
  confirmed: HASTY,
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    executed(),
    ...allKeep(PATIENT, theDispute(), undecided, { at: seconds(CASE_AT), forMs: seconds(AGAIN_AT - CASE_AT) }),
    ...HASTY.map((via) =>
      comesToShow(
        `reader ${via}`,
        theDispute(),
        { resolution: "BuyerWins", onchain_execution_signature: isSigned },
        { at: seconds(CASE_AT), via, news: SEEN },
      ),
    ),
    ...allCome(HASTY, theDispute(), undecided, { at: seconds(FORK_AT), after: SEEN }),
    ...allCome(HASTY, theSettlement(), { state: "Disputed" }, { at: seconds(FORK_AT), after: SEEN }),
    execute(dispute, { via: BUYER_NODE, at: seconds(AGAIN_AT) }),
    ...decided(dispute, "BuyerWins", CONNECTED, AGAIN_AT + 5),
  ],
  faults: [
    stalledFinality({ from: seconds(170), until: seconds(FORK_AT + 5) }),
    reorganization(seconds(FORK_AT), 75, { lost: 1_000_000 }),
  ],
});
