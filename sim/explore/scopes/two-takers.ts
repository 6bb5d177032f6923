/** Source: protocol 02 C; CONVERGENCE "Small folds". */
import type { Scope } from "../scope.ts";
import { advertises, BUYER, reserves } from "./trade-calls.ts";

export const twoTakers: Scope = {
  name: "two-takers",
  description: "two takers reserve the same liquidity at two nodes; one message is lost and one comes twice",
  nodes: 3,
  before: [advertises(0)],
  clients: [[reserves({ by: BUYER, via: 1 })], [reserves({ by: "ulla", via: 2 }, "3002")]],
  faults: { drops: 1, duplicates: 1 },
  ticks: 0,
  disk: "at once",
};
