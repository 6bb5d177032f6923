/**
 * Twenty-four nodes know a paid trade and are then cut off from each other. A courier brings each of them the events of
 * a case in another order: all orders of open, joins, commits and reveals, forwards and backwards inside. No node heard
 * them in an order that makes sense, save one or two. The goal: each of them, on its own, comes to show the same
 * dispute; once they are whole again they hold the same statements and are in the same state.
 * Source: protocol 03 E S13, W-4; CONVERGENCE "Dispute".
 */

import { comesToShow } from "../sim/actions/expect.ts";
import { advertise, initiate, pay, publishFunded, reserve } from "../sim/actions/trade.ts";
import { attacker, partition } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import {
  allCome,
  dispute,
  offer,
  smallNetwork,
  theDispute,
  theSettlement,
  trade,
  undecided,
} from "./parts/disputed-trade.ts";

const ORDERS = 24;
const alone = Array.from({ length: ORDERS }, (_, node) => node);
const CUT = { from: seconds(15), until: seconds(60) };
/** An open, and three times a join, a commit and a reveal. */
const EVENTS = 10;
const whole = {
  status: "AwaitingChainExecution",
  arbitrators_seated: 3,
  commitments: 3,
  reveals: 3,
  revealed_votes: { matches: "length", length: 3 },
  ...undecided,
} as const;
const arbitrators = [
  { name: "ada", vote: "BuyerWins" },
  { name: "ben", vote: "MerchantWins" },
  { name: "cleo", vote: "Invalid" },
] as const;
/** Nothing that the courier brings is forged. */
const PANEL = {
  kind: "every-order",
  dispute: dispute.id,
  settlement: trade.settlement,
  opener: trade.buyer,
  arbitrators,
} as const;

export const everyOrderOfEvents = defineScenario({
  ...smallNetwork,
  name: "every-order-of-events",
  description: "Every node gets the events of a case in another order, and all show the same dispute.",
  source: "protocol 03 E S13, W-4",
  nodes: ORDERS,
  nodesMin: ORDERS,
  chain: "none",
  gossipOnly: [],
  actions: [
    advertise(offer, { via: 0, at: seconds(1) }),
    reserve(trade, { via: 1, at: seconds(2) }),
    initiate(trade, { via: 1, at: seconds(2) }),
    publishFunded(trade, { via: 0, at: seconds(2) }),
    pay(trade, { via: 1, at: seconds(2) }),
    ...allCome(alone, theSettlement(), { state: "PaymentSubmitted" }, { at: seconds(3) }),
    ...alone.map((via) =>
      comesToShow(`reader ${via}`, theDispute(), whole, { at: CUT.from, via, within: CUT.until - CUT.from }),
    ),
  ],
  faults: [
    partition(
      alone.map((node) => [node]),
      CUT,
    ),
    attacker("courier", PANEL, { from: seconds(20), until: seconds(31), times: EVENTS }),
  ],
});
