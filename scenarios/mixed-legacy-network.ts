/**
 * Four nodes of four kinds: one asks the chain and waits until things are final, one takes what is confirmed, two speak
 * to their clients as older nodes do, of which one has no endpoint. Mara sells through the first, Tobi buys through an
 * older one, others read through the rest. The goal: clients of older nodes can do a whole trade, what they send means
 * the same everywhere, each node shows what its kind may show, and all hold the same statements.
 * Source: protocol 01 §6, §10; 03 A.10.3 R3, C.2.
 */
import { release } from "../sim/actions/chain-trade.ts";
import { approve } from "../sim/actions/trade.ts";
import { networkConditions } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import {
  allCome,
  allKeep,
  MERCHANT_NODE,
  offered,
  paid,
  participants,
  smallNetwork,
  theSettlement,
  trade,
} from "./parts/disputed-trade.ts";

const CONFIRMED = 1;
const OLDER = [2, 3];
const GOSSIP_ONLY = 3;
const status = { method: "getChainStatus", params: {} } as const;

export const mixedLegacyNetwork = defineScenario({
  ...smallNetwork,
  name: "mixed-legacy-network",
  description: "A sale in a network of four kinds of node, the buyer at one that speaks as older ones do.",
  source: "protocol 01 §6, §10; 03 A.10.3 R3",
  gossipOnly: [GOSSIP_ONLY],
  confirmed: [CONFIRMED],
  older: OLDER,
  participants: participants(),
  actions: [
    ...offered,
    ...paid(trade, 2),
    approve(trade, { at: seconds(5), via: MERCHANT_NODE }),
    release(trade, { at: seconds(5), via: MERCHANT_NODE }),
    ...allCome([0, CONFIRMED, 2], theSettlement(), { state: "Completed" }, { at: seconds(10) }),
    ...allCome([GOSSIP_ONLY], theSettlement(), { state: "Approved" }, { at: seconds(10) }),
    ...allKeep([GOSSIP_ONLY], status, { mode: "GossipOnly" }, { at: seconds(60), forMs: minutes(1) }),
  ],
  faults: [networkConditions({ loss: 50_000, duplication: 100_000 }, { from: seconds(2), until: seconds(100) })],
});
