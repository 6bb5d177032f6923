/**
 * An intruder announces slot 2^63 under three names, before anybody heard a true one and again and again after.
 * The goal: no node ever shows that slot, nodes without an endpoint go on learning true slots from their peers, and a
 * trade's transactions, which need a blockhash, go through everywhere.
 * Source: protocol 03 E S12, C.8 C6-C9, W-11.
 */
import { attacker } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import {
  allCome,
  allKeep,
  offered,
  paid,
  participants,
  smallNetwork,
  theSettlement,
  trade,
} from "./parts/disputed-trade.ts";

const BLIND = [2, 3];
const everyNode = [0, 1, 2, 3];
const status = { method: "getChainStatus", params: {} } as const;
const IMPOSSIBLE = 1n << 63n;
const FORGING = { from: 400, until: seconds(110), times: 20 };
/** A slot lasts 400 ms, and none is shown long before it is. */
const SLOTS_MAX = 1_000;
const isPossible = { matches: "range", most: SLOTS_MAX, orNone: true } as const;
const isLate = { matches: "range", least: 151, most: SLOTS_MAX } as const;

export const slotFromTheFarFuture = defineScenario({
  ...smallNetwork,
  name: "slot-from-the-far-future",
  description: "Forged announcements of an impossible slot move no view, and true slots are still learned.",
  source: "protocol 03 E S12, W-11",
  gossipOnly: BLIND,
  participants: participants(),
  actions: [
    ...allKeep(everyNode, status, { slot: isPossible }, { at: seconds(1), forMs: seconds(110) }),
    ...allCome(everyNode, status, { slot: isLate }, { at: seconds(75) }),
    ...offered,
    ...paid(trade, 2),
    ...allCome(everyNode, theSettlement(), { state: "PaymentSubmitted" }),
  ],
  faults: [attacker("forger", { kind: "forged-slots", slot: IMPOSSIBLE, origins: 3 }, FORGING)],
});
