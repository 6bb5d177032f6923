/** Source: protocol 02 D; 03 A. */
import type { Scope } from "../scope.ts";
import { advertises, approves, BUYER, initiates, opensCase, pays, reserves } from "./trade-calls.ts";

const buyer = { by: BUYER, via: 1 };

export const disputedTrade: Scope = {
  name: "disputed-trade",
  description: "the buyer pays and opens a case while the merchant approves; one message is lost and one comes twice",
  nodes: 2,
  before: [advertises(0), reserves({ by: BUYER, via: 0 }), initiates({ by: BUYER, via: 0 })],
  clients: [[pays(buyer), opensCase(buyer)], [approves(0)]],
  faults: { drops: 1, duplicates: 1 },
  ticks: 1,
  disk: "at once",
};
