/**
 * What a griefer costs a merchant: Mara offers 2,400 USDC for a day, and twenty-four people come to buy a hundred each,
 * one every quarter of an hour. A griefer reserves a quarter of the offer, never pays, and reserves it again as soon as
 * half an hour has set it free. Mara and her buyers are the first actions, and then each griefer's follow, so that a
 * sweep says by `actions` how many griefers there are. The question: how many trades are left?
 * Source: protocol 02 C.2, C.3; CONVERGENCE "Availability".
 */
import type { Action } from "../../sim/action-kinds.ts";
import { advertise, reserve } from "../../sim/actions/trade.ts";
import { defineScenario, hours, minutes, seconds } from "../../sim/scenario.ts";
import { dealOf, offChain, sells, trades } from "../parts/off-chain-market.ts";

const NODES = 4;
const MARA_AT = 0;
const BUYERS = 24;
const GRIEFERS = 4;
/** Reservations of a griefer, one after another; the last ends after the last buyer came. */
const GRIEFS = 13;
const offer = sells("mara", 2_400n);

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

function buyer(place: number): readonly Action[] {
  const deal = dealOf(offer, `buyer-${place}`, BigInt(1_001 + place), 100n);
  return trades(deal, { at: minutes(10 + 15 * place), via: place % NODES }, MARA_AT);
}

function griefer(place: number): readonly Action[] {
  return numbers(GRIEFS).map((time) => {
    const deal = dealOf(offer, `griefer-${place}`, BigInt(2_001 + 100 * place + time), 600n);
    // A second after what was reserved before is free again.
    const at = minutes(2 + 30 * time) + seconds(place + 2 * time);
    return reserve(deal, { at, via: (place + 1) % NODES });
  });
}

export const costOfAGriefer = defineScenario({
  ...offChain,
  name: "cost-of-a-griefer",
  description: "Twenty-four people buy of one offer, and griefers reserve a quarter of it each and never pay.",
  source: "protocol 02 C.2, C.3",
  nodes: NODES,
  nodesMin: NODES,
  // Whoever finds nothing left goes away.
  provesActions: false,
  actions: [
    advertise(offer, { at: minutes(1), via: MARA_AT }),
    ...numbers(BUYERS).flatMap(buyer),
    ...numbers(GRIEFERS).flatMap(griefer),
  ],
  lasts: hours(7),
});
