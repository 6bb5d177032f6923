/**
 * Three arbitrators reveal to the network, and all say the same; on chain the case is open and nobody executes it.
 * The goal: every node shows the three reveals as evidence and waits for the chain, with no outcome, for as long as
 * anybody looks. A node that counts reveals pays out a trade that the chain has not decided.
 * Source: protocol 03 E S1, A.10.3; OFS-2400 §21.1.
 */
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  allKeep,
  dispute,
  disputed,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  undecided,
  votesOffChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
const everyNode = [0, 1, 2, 3];
const evidence = { status: "AwaitingChainExecution", revealed_votes: ["BuyerWins", "BuyerWins", "BuyerWins"] };

export const revealsDecideNothing = defineScenario({
  ...smallNetwork,
  name: "reveals-decide-nothing",
  description: "Three equal reveals are evidence; without an execution on chain there is no outcome.",
  source: "protocol 03 E S1, A.10.3",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOffChain(dispute, jurors),
    ...allCome(everyNode, theDispute(), { ...evidence, ...undecided }),
    ...allKeep(everyNode, theDispute(), { ...evidence, ...undecided }, { at: seconds(100), forMs: minutes(3) }),
    ...allKeep(everyNode, theSettlement(), { state: "Disputed" }, { at: seconds(100), forMs: minutes(3) }),
  ],
});
