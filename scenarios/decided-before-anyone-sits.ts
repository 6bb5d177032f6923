/**
 * On chain arbitrators commit, reveal and decide; off chain nobody ever takes a seat, so nodes show the dispute as
 * `Open`. The goal: the chain's decision is taken in that state as in any other, and the dispute goes from `Open` to
 * `Resolved` on every node that sees the chain.
 * Source: protocol 03 E S8, A.6.
 */
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allKeep,
  CASE_AT,
  decided,
  dispute,
  disputed,
  executed,
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

export const decidedBeforeAnyoneSits = defineScenario({
  ...smallNetwork,
  name: "decided-before-anyone-sits",
  description: "The chain decides while nodes still show an open dispute without arbitrators.",
  source: "protocol 03 E S8, A.6",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    ...allKeep(
      [0, 1, 2, 3],
      theDispute(),
      { status: "Open", ...undecided },
      { at: seconds(CASE_AT), forMs: seconds(115) },
    ),
    executed(),
    ...decided(dispute, "BuyerWins"),
  ],
});
