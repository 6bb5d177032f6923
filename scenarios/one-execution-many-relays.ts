/**
 * A wallet sends one and the same execution three times through every node, the one without an endpoint included, which
 * asks its peers to relay it; all of them hand it to the chain. The goal: the chain executes it once, no node submits
 * it twice, and all nodes show the one transaction.
 * Source: protocol 03 E S15, C.8 C1-C3.
 */
import { executeThroughMany } from "../sim/actions/relays.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  BUYER_NODE,
  CASE_AT,
  decided,
  dispute,
  disputed,
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

export const oneExecutionManyRelays = defineScenario({
  ...smallNetwork,
  name: "one-execution-many-relays",
  description: "One execution is relayed by every node, and it happens once.",
  source: "protocol 03 E S15, C.8 C3",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    executeThroughMany(dispute, { via: BUYER_NODE, at: seconds(CASE_AT) }, { vias: [3, 0, 1, 2], times: 3 }),
    ...decided(dispute, "BuyerWins"),
  ],
  safety: [...smallNetwork.safety, { kind: "one-execution" }, { kind: "submits-once" }],
});
