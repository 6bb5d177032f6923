/**
 * Six hours at a small market, from opening to close. Mara sells 300 USDC for euros, and Olga says twice what they cost
 * elsewhere. Tobi buys and all goes well. Uma reserves and thinks better of it. Vera pays, Mara finds no money, and
 * after a quarrel both agree to settle. Willi reserves and is never heard of again: after half an hour his part is
 * free. Xenia takes all that is left, and the offer is sold out. The goal: all nodes keep the same books all day, what
 * was given up can be bought again, and nothing is sold twice.
 * Source: protocol 02 B, C, D; 05 §3; CONVERGENCE "Availability".
 */
import { openDispute } from "../sim/actions/dispute.ts";
import { askRates, publishRate, registerOracle } from "../sim/actions/oracle.ts";
import { advertise, initiate, pay, reserve } from "../sim/actions/trade.ts";
import { agree, cancelReservation } from "../sim/actions/trade-ends.ts";
import { defineScenario, hours, minutes, seconds } from "../sim/scenario.ts";
import { allCome, caseOf, theDispute, theReservation, theSettlement } from "./parts/disputed-trade.ts";
import { dealOf, offChain, sells, trades } from "./parts/off-chain-market.ts";

const everyNode = [0, 1, 2];
const MARA_AT = 0;
const pair = { base: "USDC", quote: "EUR" };
const offer = sells("mara", 300n);
const tobi = dealOf(offer, "tobi", 101n, 50n);
const uma = dealOf(offer, "uma", 102n, 100n);
const vera = dealOf(offer, "vera", 103n, 100n);
const willi = dealOf(offer, "willi", 104n, 150n);
const xenia = dealOf(offer, "xenia", 105n, 150n);
const quarrel = caseOf(vera);
const rate = (id: string, value: number, version: bigint) => ({
  ...pair,
  id,
  rate: value,
  version,
  lifetime: hours(3),
});

export const tradingDay = defineScenario({
  ...offChain,
  name: "trading-day",
  description: "Six hours of ordinary trade: deals, a change of mind, a quarrel, a no-show, and a sold-out offer.",
  source: "protocol 02 B, C, D",
  nodes: 3,
  nodesMin: 3,
  actions: [
    registerOracle("olga", { at: seconds(1), via: 1 }),
    publishRate("olga", rate("morning", 0.92, 1n), { at: seconds(30), via: 1 }),
    advertise(offer, { at: minutes(1), via: MARA_AT }),
    ...trades(tobi, { at: minutes(30), via: 1 }, MARA_AT),
    ...allCome(everyNode, theSettlement(tobi), { state: "Approved" }, { at: minutes(31) }),
    reserve(uma, { at: minutes(60), via: 2 }),
    cancelReservation(uma, { at: minutes(65), via: 1 }),
    ...allCome(everyNode, theReservation(uma), { state: "Cancelled" }, { at: minutes(66) }),
    reserve(vera, { at: minutes(120), via: 2 }),
    initiate(vera, { at: minutes(121), via: 2 }),
    pay(vera, { at: minutes(125), via: 1 }),
    openDispute(quarrel, { at: minutes(140), via: 2 }),
    agree(quarrel, "vera", { at: minutes(150), via: 2 }),
    agree(quarrel, "mara", { at: minutes(155), via: MARA_AT }),
    ...allCome(everyNode, theDispute(quarrel), { resolution: null }, { at: minutes(156) }),
    askRates("willi", pair, { at: minutes(200), via: 2 }),
    publishRate("olga", rate("afternoon", 0.93, 2n), { at: hours(4), via: 1 }),
    reserve(willi, { at: minutes(245), via: 2 }),
    ...allCome(everyNode, theReservation(willi), { state: "Expired" }, { at: minutes(280) }),
    ...trades(xenia, { at: hours(5), via: 1 }, MARA_AT),
    ...allCome(everyNode, theSettlement(xenia), { state: "Approved" }, { at: minutes(302) }),
    ...allCome(
      everyNode,
      { method: "getAdvertisement", params: { id: offer.id } },
      { status: "Disabled" },
      { at: minutes(305) },
    ),
  ],
  lasts: hours(6),
});
