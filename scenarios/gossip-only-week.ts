/**
 * A week without the chain: three nodes and not one endpoint. Every day somebody buys from Mara at another node, who
 * confirms the money; each night one of the nodes is switched off. The goal: nobody ever learns a slot, hands out a
 * blockhash or shows an outcome of the chain, the trades of all days are on all nodes, and after a week of idling and
 * restarts nothing was lost and nothing grew. A week takes minutes of a processor, so tests play the first six hours.
 * Source: protocol 03 A.10.3 R9, C.2; CONVERGENCE "Reconciliation".
 */
import { advertise } from "../sim/actions/trade.ts";
import { crash } from "../sim/fault-plans.ts";
import { defineScenario, hours, minutes, seconds } from "../sim/scenario.ts";
import { allCome, allKeep, theSettlement } from "./parts/disputed-trade.ts";
import { dealOf, offChain, sells, trades } from "./parts/off-chain-market.ts";

const everyNode = [0, 1, 2];
const DAYS = [0, 1, 2, 3, 4, 5, 6];
const offer = sells("mara", 700n);
const buyers = ["tobi", "uma", "vera"] as const;
const status = { method: "getChainStatus", params: {} } as const;
const blockhash = { method: "getLatestBlockhash", params: {} } as const;

/** At one in the afternoon of a day, at another node each day. */
function dealsOf(day: number) {
  const deal = dealOf(offer, buyers[day % buyers.length] ?? "tobi", 200n + BigInt(day), 50n);
  const at = hours(24 * day + 1);
  return [
    ...trades(deal, { at, via: day % everyNode.length }, 0),
    ...allCome(everyNode, theSettlement(deal), { state: "Approved" }, { at: at + minutes(2) }),
    ...allKeep(everyNode, status, { mode: "GossipOnly", slot: null }, { at: at + minutes(3), forMs: seconds(3) }),
    ...allKeep(everyNode, blockhash, { refused: "CHAIN_UNAVAILABLE" }, { at: at + minutes(3), forMs: seconds(3) }),
  ];
}

/** Hours of a day between which one node is off. */
const NIGHT = { from: 4, until: 5 };

export const gossipOnlyWeek = defineScenario({
  ...offChain,
  name: "gossip-only-week",
  description: "A week of trade on three nodes of which none sees the chain and one is off every night.",
  source: "protocol 03 A.10.3 R9, C.2",
  nodes: 3,
  nodesMin: 3,
  actions: [advertise(offer, { at: minutes(1), via: 0 }), ...DAYS.flatMap(dealsOf)],
  faults: DAYS.map((day) =>
    crash(day % everyNode.length, { from: hours(24 * day + NIGHT.from), until: hours(24 * day + NIGHT.until) }),
  ),
  lasts: hours(24 * DAYS.length),
  excerpt: { nodes: 3, lasts: hours(6) },
});
