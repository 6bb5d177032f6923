/**
 * A small market trades for five minutes; node 0 makes a file of all it knows every minute. Then somebody switches on a
 * node that has never heard anything. Its line is bad at first: each file that it fetches is cut short. The goal: it
 * takes no part of a damaged file and its checkpoint from a whole one, of a slot that was really seen; it shows the
 * same trades as the others, whether peers or the file were faster, and of the chain nothing: a file brings none of it.
 * Source: protocol 05 §6.3, §6.9, §6.11; DESIGN L7.
 */
import { askFiles } from "../sim/actions/snapshot.ts";
import { badFiles, crash } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import { allCome, offered, paid, participants, smallNetwork, theSettlement, trade } from "./parts/disputed-trade.ts";

const MAKER = 0;
const FRESH = 4;
const checkpoint = { method: "getCheckpointSlot", params: {} } as const;
const ON = seconds(300);

export const freshNodeBySnapshot = defineScenario({
  ...smallNetwork,
  name: "fresh-node-by-snapshot",
  description: "A node that never heard anything starts from another one's file, though the first ones come damaged.",
  source: "protocol 05 §6.3, §6.9, §6.11",
  nodes: 5,
  nodesMin: 5,
  gossipOnly: [3, FRESH],
  fileMakers: [MAKER],
  participants: participants(),
  safety: [...smallNetwork.safety, { kind: "snapshots-keep-slots" }],
  actions: [
    ...offered,
    ...paid(trade),
    askFiles("tobi", { at: seconds(250), via: 1 }),
    ...allCome([FRESH], theSettlement(), { state: "PaymentSubmitted" }, { at: ON + seconds(2) }),
    ...allCome([FRESH], checkpoint, { result: { matches: "range", least: 1 } }, { at: ON + seconds(2) }),
    askFiles("tobi", { at: ON + seconds(100), via: FRESH }),
  ],
  faults: [
    // It starts, has heard nobody yet, and is switched off.
    crash(FRESH, { from: 500, until: ON }),
    badFiles(FRESH, { cut: 1_000_000 }, { from: ON, until: ON + seconds(45) }),
  ],
});
