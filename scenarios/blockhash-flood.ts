/**
 * Three liars announce blocks that are not there, each under twenty names, in slots that the chain may well have
 * reached, twice within half a minute. Mara and Tobi, whose nodes ask the chain themselves, trade meanwhile: they get
 * true blockhashes, and their transactions go through. Nodes without an endpoint believe the crowd while it lasts; a
 * minute and a quarter after its last word they hand out true blockhashes again, and Mara releases Uma's dollars
 * through one of them. The goal: lies about the head of the chain cost some people a while, and nobody a trade.
 * Source: protocol 03 C.3, C.7, C.8 C6-C9; 05 §6.9.
 */

import { release } from "../sim/actions/chain-trade.ts";
import { approve } from "../sim/actions/trade.ts";
import { attacker } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import {
  allCome,
  allKeep,
  BUYER_NODE,
  MERCHANT_NODE,
  offered,
  paid,
  participants,
  smallNetwork,
  theSettlement,
  trade,
  tradeOf,
} from "./parts/disputed-trade.ts";

const CONNECTED_HERE = [0, 1];
const BLIND = [2, 3];
const FLOOD = { from: seconds(10), until: seconds(40), times: 2 };
/** When what was announced last is no longer fresh. */
const OVER = 120;
const status = { method: "getChainStatus", params: {} } as const;
/** A slot lasts 400 ms: at ten seconds the chain is at 25 or so. */
const slots = [300n, 400n, 500n];
const isTrueLater = { matches: "range", least: OVER * 2, most: 299 } as const;
const isPossible = { matches: "range", most: 299, orNone: true } as const;
const isTooHigh = { matches: "range", least: 300 } as const;
const uma = tradeOf(2002n, { buyer: "uma" });

export const blockhashFlood = defineScenario({
  ...smallNetwork,
  name: "blockhash-flood",
  description: "Sixty names announce blocks that are not there; whoever asks the chain trades on.",
  source: "protocol 03 C.3, C.7, C.8",
  gossipOnly: BLIND,
  participants: participants(),
  actions: [
    ...offered,
    ...paid(trade, BUYER_NODE),
    approve(trade, { at: seconds(5), via: MERCHANT_NODE }),
    release(trade, { at: seconds(5), via: MERCHANT_NODE }),
    ...allCome(CONNECTED_HERE, theSettlement(), { state: "Completed" }, { at: seconds(20) }),
    ...allKeep(CONNECTED_HERE, status, { slot: isPossible }, { at: seconds(1), forMs: seconds(100) }),
    ...allCome(BLIND, status, { slot: isTooHigh }, { at: seconds(20) }),
    ...allCome(BLIND, status, { slot: isTrueLater }, { at: seconds(OVER) }),
    ...paid(uma, 2, OVER),
    approve(uma, { at: seconds(OVER), via: MERCHANT_NODE }),
    release(uma, { at: seconds(OVER), via: 2 }),
    ...allCome(CONNECTED_HERE, theSettlement(uma), { state: "Completed" }, { at: seconds(OVER) }),
  ],
  faults: slots.map((slot, n) => attacker(`liar-${n}`, { kind: "forged-slots", slot, origins: 20 }, FLOOD)),
});
