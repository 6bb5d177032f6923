/** Source: CONVERGENCE B6, B7. */
import type { Scope } from "../scope.ts";
import { advertises, BUYER, initiates, opensCase, pays, reserves } from "./trade-calls.ts";

const MINUTE_MS = 60_000n;
const HOUR_MS = 60n * MINUTE_MS;
const DAY_MS = 24n * HOUR_MS;
/** A settlement's life, and 2H: papers' values, written down apart from the core's. */
const LIFE_MS = 30n * DAY_MS;
const TWO_H_MS = 14n * DAY_MS;

const buyer = { by: BUYER, via: 1 };

export const sealingEdge: Scope = {
  name: "sealing-edge",
  description: "a payment and a case dated in the last minute of a settlement's life, before and after it may seal",
  nodes: 2,
  before: [advertises(0), reserves(buyer), initiates(buyer)],
  clients: [[pays(buyer)], [opensCase({ by: BUYER, via: 0 })]],
  faults: { crashes: 1 },
  crashing: [1],
  ticks: 0,
  disk: "at once",
  // The walk begins a minute after the processes started again, and a minute before the life is over.
  offMs: LIFE_MS - 2n * MINUTE_MS,
  // The last full hour before the settlement may seal, and the first after.
  jumpsMs: [TWO_H_MS, TWO_H_MS + HOUR_MS],
  timersAfterJump: ["sweep", "recover"],
};
