/** Source: protocol 05 §6.5, §6.9, §6.11; CONVERGENCE "Snapshots". */
import { nodeBase } from "../../node-names.ts";
import type { Scope } from "../scope.ts";
import { advertises, approves, BUYER, escrowTrade, initiates, pays, reserves } from "./trade-calls.ts";

const buyer = { by: BUYER, via: 0 };

export const snapshotJoin: Scope = {
  name: "snapshot-join",
  description: "a new node takes a file that was made before the buyer paid, while the trade goes on",
  nodes: 2,
  before: [advertises(0), reserves(buyer), initiates(buyer)],
  clients: [[pays(buyer)], [approves(1)]],
  // One file is made 40 s after the first start, and so before the walk; its maker needs a slot of its own.
  configured(node, walletOf) {
    if (node === 1) return { snapshots: { anchors: [walletOf("node/0").publicKey], searchEveryMs: 100 } };
    const listing = { snapshotUrls: [nodeBase(0)] };
    return { chain: "RpcConnected", listing, snapshots: { produceEveryMs: 40_000 } };
  },
  chain: { trade: escrowTrade, ways: [[]] },
  joining: [1],
  beginsWith: "fetch",
  faults: { drops: 1, crashes: 1 },
  crashing: [1],
  ticks: 1,
  disk: "at once",
};
