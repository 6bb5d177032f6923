/** Source: DESIGN L9; CONVERGENCE "Durability". */
import type { Scope } from "../scope.ts";
import { advertises, BUYER, reads, reserves } from "./trade-calls.ts";

const buyer = { by: BUYER, via: 1 };

export const crashes: Scope = {
  name: "crashes",
  description: "a process ends before and after its disk has what it wrote, and between any two of its effects",
  nodes: 2,
  before: [advertises(0)],
  clients: [[reserves(buyer), reads(1, "getReservation", "3001")]],
  faults: { crashes: 1 },
  crashing: [1],
  ticks: 0,
  disk: "later",
};
