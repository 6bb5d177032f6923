/**
 * The node through which the execution is sent loses power a moment later, before its block is final; another one loses
 * power just when it would read the decision. The goal: both come back, watch the case again from what their disks
 * held, and show the chain's decision like the rest.
 * Source: protocol 03 E S14, A.10.3 R8.
 */
import { crash } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  BUYER_NODE,
  decided,
  dispute,
  disputed,
  executed,
  offered,
  participants,
  smallNetwork,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 1, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];

export const restartBeforeFinality = defineScenario({
  ...smallNetwork,
  name: "restart-before-finality",
  description: "Nodes restart between an execution and its finality, and still learn the decision.",
  source: "protocol 03 E S14, A.10.3 R8",
  participants: participants(...jurors),
  actions: [...offered, ...disputed(), ...votesOnChain(dispute, jurors), executed(), ...decided(dispute, "BuyerWins")],
  faults: [
    // The execution is sent 125 s after the case was opened, and final 13 s later.
    crash(BUYER_NODE, { from: seconds(178), until: seconds(184) }),
    crash(2, { from: seconds(188), until: seconds(196) }),
  ],
});
