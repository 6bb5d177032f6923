/**
 * When the execution is final, one node's endpoint answers one request a second, so that it tells of the transaction
 * and refuses the accounts; another's fails three requests of four. The goal: while its accounts are unread a node
 * shows no decision, it asks again and again, and once the endpoint answers it shows what the chain decided.
 * Source: protocol 03 E S10, A.10.3 R4, R7.
 */
import { badEndpoint } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allKeep,
  CASE_AT,
  decided,
  dispute,
  disputed,
  executed,
  MERCHANT_NODE,
  offered,
  participants,
  smallNetwork,
  theDispute,
  undecided,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
const STINGY = 1;
const FAILING = 2;
/** Begins when everybody has revealed, before the execution is sent. */
const BAD_FROM = 170;
const READABLE_AT = 260;

export const caseUnreadableAtFirst = defineScenario({
  ...smallNetwork,
  name: "case-unreadable-at-first",
  description: "Endpoints tell of an execution and refuse the accounts; nodes ask again until they can read.",
  source: "protocol 03 E S10, A.10.3 R7",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...votesOnChain(dispute, jurors),
    executed(dispute, MERCHANT_NODE),
    ...allKeep([STINGY], theDispute(), undecided, { at: seconds(CASE_AT), forMs: seconds(READABLE_AT - 5 - CASE_AT) }),
    ...decided(dispute, "BuyerWins"),
  ],
  faults: [
    badEndpoint(STINGY, { requestsPerSecond: 1 }, { from: seconds(BAD_FROM), until: seconds(READABLE_AT) }),
    badEndpoint(FAILING, { failure: 750_000 }, { from: seconds(BAD_FROM), until: seconds(READABLE_AT) }),
  ],
});
