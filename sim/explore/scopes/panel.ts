/** Source: protocol 03 A.4, A.5; DESIGN L3. */
import type { Scope } from "../scope.ts";
import { advertises, BUYER, commits, initiates, joins, opensCase, pays, reserves, reveals } from "./trade-calls.ts";

const buyer = { by: BUYER, via: 0 };
const stranger = { by: "ada", via: 1 };
const party = { by: BUYER, via: 2 };

export const panel: Scope = {
  name: "panel",
  description: "a party and a stranger join the panel of a case, commit and reveal, at two nodes",
  nodes: 3,
  before: [advertises(0), reserves(buyer), initiates(buyer), pays(buyer), opensCase(buyer)],
  clients: [
    [joins(stranger), commits(stranger), reveals(stranger)],
    [joins(party), commits(party)],
  ],
  forbids([, ofParty = []]) {
    if (!ofParty.includes("ok")) return undefined;
    return { check: "no-party-sits", message: "a party's word to the panel of its own case was taken" };
  },
  faults: {},
  ticks: 0,
  disk: "at once",
};
