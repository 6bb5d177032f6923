/**
 * The network is cut in halves for two hours, and people trade on. Mara's offer of 100 USDC is known on both sides:
 * here Tobi buys 80 of it and Mara confirms, there Uma reserves 80, and each half is right as far as it knows. On Uma's
 * side Otto, whose node stands there, sells to Vera, and Mara's half never hears of it. When the cut is over the halves
 * compare what they have. The goal: all nodes come to hold the same, agree that Tobi, whom Mara confirmed, has the 80
 * and Uma nothing, and Otto's deal, which collides with nothing, is as it was.
 * Source: CONVERGENCE "Allocation", "Reconciliation"; protocol 02 C.3.
 */
import { advertise, reserve } from "../sim/actions/trade.ts";
import { partition } from "../sim/fault-plans.ts";
import { defineScenario, hours, minutes, seconds } from "../sim/scenario.ts";
import { allCome, theReservation, theSettlement } from "./parts/disputed-trade.ts";
import { dealOf, offChain, sells, trades } from "./parts/off-chain-market.ts";

const HERE = [0, 1];
const THERE = [2, 3];
const everyNode = [...HERE, ...THERE];
const CUT = { from: minutes(5), until: hours(2) };
const maras = sells("mara", 100n);
const ottos = sells("otto", 500n);
const tobi = dealOf(maras, "tobi", 301n, 80n);
const uma = dealOf(maras, "uma", 302n, 80n);
const vera = dealOf(ottos, "vera", 303n, 200n);

export const longPartition = defineScenario({
  ...offChain,
  name: "long-partition",
  description: "Both halves of a network that is cut for two hours sell the same dollars; afterwards one sale stands.",
  source: "CONVERGENCE Allocation, Reconciliation",
  nodes: 4,
  nodesMin: 4,
  actions: [
    advertise(maras, { at: seconds(10), via: 0 }),
    advertise(ottos, { at: seconds(11), via: 3 }),
    ...trades(tobi, { at: minutes(110), via: 1 }, 0),
    reserve(uma, { at: minutes(105), via: 2 }),
    ...trades(vera, { at: minutes(40), via: 2 }, 3),
    ...allCome(HERE, theSettlement(tobi), { state: "Approved" }, { at: minutes(112) }),
    ...allCome(THERE, theReservation(uma), { state: "EscrowLocked" }, { at: minutes(112) }),
    ...allCome(HERE, theSettlement(vera), { result: null }, { at: minutes(100) }),
    ...allCome(everyNode, theSettlement(vera), { state: "Approved" }, { at: CUT.until }),
    ...allCome(everyNode, theReservation(tobi), { state: "Settled" }, { at: CUT.until }),
    ...allCome(everyNode, theReservation(uma), { state: "Cancelled" }, { at: CUT.until }),
  ],
  faults: [partition([HERE, THERE], CUT)],
});
