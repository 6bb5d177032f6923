/** Source: protocol 03 A.10.3 R3, R6, R10. */
import type { Scope } from "../scope.ts";
import { advertises, BUYER, escrowTrade, initiates, opensCase, pays, reserves } from "./trade-calls.ts";

const buyer = { by: BUYER, via: 1 };

export const forkBeforeFinal: Scope = {
  name: "fork-before-final",
  description: "a release is seen, dropped by a fork, and lands again or never, while the buyer opens a case",
  nodes: 2,
  before: [advertises(0), reserves(buyer), initiates(buyer), pays(buyer)],
  clients: [[opensCase(buyer)]],
  // One node takes what is confirmed until it is undone; the other waits for what is final.
  configured: (node) => ({ chain: "RpcConnected", chainCommitment: node === 0 ? "confirmed" : "finalized" }),
  chain: {
    trade: escrowTrade,
    ways: [
      ["released", "final"],
      ["released", "dropped", "final"],
      ["released", "dropped", "landed-again", "final"],
      ["released", "dropped", "released-anew", "final"],
    ],
  },
  faults: { crashes: 1 },
  crashing: [0],
  ticks: 1,
  disk: "at once",
};
