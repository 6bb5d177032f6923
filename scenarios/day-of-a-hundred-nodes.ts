/**
 * One day of a hundred nodes. Four merchants at four nodes sell; every half hour somebody at another node buys, and the
 * merchant confirms. In the night twenty nodes are cut off for an hour, in the morning the network is slow and loses
 * one message in fifty, and all day single nodes are switched off for a while and come back. The goal: a network of
 * this size keeps one set of books all day. It takes some ten minutes of a processor, so tests play the first hour of
 * the first ten nodes.
 * Source: DESIGN section 5 "Phases"; CONVERGENCE "Reconciliation".
 */
import { advertise } from "../sim/actions/trade.ts";
import { crash, networkConditions, partition } from "../sim/fault-plans.ts";
import { defineScenario, hours, minutes, seconds } from "../sim/scenario.ts";
import { allCome, theSettlement } from "./parts/disputed-trade.ts";
import { dealOf, offChain, sells, trades } from "./parts/off-chain-market.ts";

const NODES = 100;
const HALF_HOURS = 46;
const everyNode = Array.from({ length: NODES }, (_, node) => node);
const CUT_OFF = everyNode.filter((node) => node >= 60 && node < 80);
const merchants = ["mara", "otto", "nils", "rosa"].map((name, at) => ({ offer: sells(name, 5_000n), at }));

/** Somebody buys in every half hour, at a node that is neither cut off nor switched off then. */
function dealIn(halfHour: number) {
  const seller = merchants[halfHour % merchants.length] ?? merchants[0];
  if (seller === undefined) return [];
  const deal = dealOf(seller.offer, `buyer-${halfHour}`, 1_000n + BigInt(halfHour), 100n);
  const at = minutes(10 + 30 * halfHour);
  const via = (5 + 2 * halfHour) % NODES;
  return [
    ...trades(deal, { at, via }, seller.at),
    ...allCome(
      [(via + 1) % NODES, (via + 2) % NODES],
      theSettlement(deal),
      { state: "Approved" },
      { at: at + minutes(1) },
    ),
  ];
}

export const dayOfAHundredNodes = defineScenario({
  ...offChain,
  name: "day-of-a-hundred-nodes",
  description: "A hundred nodes keep one set of books for a day of trade, cuts, loss and nodes that come and go.",
  source: "DESIGN section 5; CONVERGENCE Reconciliation",
  nodes: NODES,
  nodesMin: NODES,
  actions: [
    ...merchants.map(({ offer, at }) => advertise(offer, { at: minutes(1) + seconds(at), via: at })),
    ...Array.from({ length: HALF_HOURS }, (_, halfHour) => dealIn(halfHour)).flat(),
  ],
  faults: [
    partition([everyNode.filter((node) => !CUT_OFF.includes(node)), CUT_OFF], { from: hours(3), until: hours(4) }),
    networkConditions({ loss: 20_000 }, { from: hours(8), until: hours(10) }),
    ...Array.from({ length: 12 }, (_, n) =>
      crash(4 + 8 * n, { from: minutes(15) + hours(2 * n), until: minutes(45) + hours(2 * n) }),
    ),
  ],
  lasts: hours(24),
  excerpt: { nodes: 10, lasts: hours(1) },
});
