/**
 * Ann's phone is stolen while the network is cut. On one side she ends its session; on the other, where nobody knows,
 * the phone prolongs it and moves it to another node, twice, with ever greater versions. Bob does both at once to a
 * session of his own, prolonging here and moving there. The goal: when the cut is over Ann's session is ended
 * everywhere, whatever came after by date or version; Bob's shows the newer end and the newer place on all nodes; and
 * nobody revives an ended session.
 * Source: protocol 04 §5.5, §5.11; CONVERGENCE "Small folds".
 */
import { establishSession, migrateSession, renewSession, revokeSession } from "../sim/actions/session.ts";
import { partition } from "../sim/fault-plans.ts";
import { defineScenario, hours, seconds } from "../sim/scenario.ts";
import { allCome, allKeep } from "./parts/disputed-trade.ts";
import { offChain } from "./parts/off-chain-market.ts";

const [HERE, THERE] = [
  [0, 1],
  [2, 3],
];
const everyNode = [...HERE, ...THERE];
const CUT = { from: seconds(20), until: seconds(90) };
const anns = { method: "getSession", params: { id: "anns-phone" } } as const;
const bobs = { method: "getSession", params: { id: "bobs-desk" } } as const;
const later = { at: CUT.until };

export const sessionRace = defineScenario({
  ...offChain,
  name: "session-race",
  description: "A session is ended on one side of a cut and prolonged on the other: it is ended.",
  source: "protocol 04 §5.5, §5.11",
  nodes: 4,
  nodesMin: 4,
  actions: [
    establishSession(
      "ann",
      { session: "anns-phone", client: "phone", host: 0, lastsMs: hours(1) },
      { at: seconds(2), via: 0 },
    ),
    establishSession(
      "bob",
      { session: "bobs-desk", client: "desk", host: 1, lastsMs: hours(1) },
      { at: seconds(3), via: 1 },
    ),
    ...allCome(everyNode, anns, { revoked: false, version: 0 }, { at: seconds(5) }),
    renewSession("ann", "anns-phone", { version: 7n, lastsMs: hours(20) }, { at: seconds(30), via: 2 }),
    revokeSession("ann", "anns-phone", { at: seconds(35), via: 0 }),
    migrateSession("ann", "anns-phone", { version: 9n, host: 3 }, { at: seconds(40), via: 3 }),
    ...allKeep(THERE, anns, { revoked: false }, { at: seconds(45), forMs: seconds(30) }),
    ...allKeep(HERE, anns, { revoked: true, version: 0 }, { at: seconds(45), forMs: seconds(30) }),
    renewSession("bob", "bobs-desk", { version: 2n, lastsMs: hours(30) }, { at: seconds(31), via: 1 }),
    migrateSession("bob", "bobs-desk", { version: 2n, host: 2 }, { at: seconds(32), via: 2 }),
    renewSession("bob", "bobs-desk", { version: 3n, lastsMs: hours(10) }, { at: seconds(50), via: 3 }),
    ...allCome(everyNode, anns, { revoked: true, version: 9 }, later),
    ...allCome(everyNode, bobs, { revoked: false, version: 3 }, later),
    ...allKeep(everyNode, anns, { revoked: true }, { at: seconds(130), forMs: seconds(20) }),
  ],
  faults: [partition([HERE, THERE], CUT)],
});
