/**
 * A merchant has two trades with the same buyer over the same amount, and both are disputed. The chain decides the
 * second for the merchant; he sends that execution under a tag that names the first dispute and the second one's case.
 * The goal: the second is decided, and the first stays undecided on every node, also when its statements go on and when
 * a node starts again: a tag says what to watch, and binds nothing.
 * Source: protocol 03 E S5, A.10.3 R1, R2.
 */
import { execute } from "../sim/actions/chain-dispute.ts";
import { restart } from "../sim/fault-plans.ts";
import { defineScenario, minutes, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allKeep,
  CASE_AT,
  caseOf,
  decided,
  dispute,
  disputed,
  MERCHANT,
  offered,
  participants,
  smallNetwork,
  theDispute,
  theSettlement,
  tradeOf,
  undecided,
  votesOffChain,
  votesOnChain,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "MerchantWins", via: 0, stakes: 1n },
  { name: "ben", vote: "MerchantWins", via: 2, stakes: 1n },
  { name: "cleo", vote: "MerchantWins", via: 3, stakes: 1n },
];
const other = caseOf(tradeOf(2002n));
const late = 205;

export const tagOfAnotherCase = defineScenario({
  ...smallNetwork,
  name: "tag-of-another-case",
  description: "A tag that names one dispute and the decided case of another decides nothing for the first.",
  source: "protocol 03 E S5, A.10.3 R2",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(dispute),
    ...disputed(other),
    ...votesOnChain(other, jurors),
    execute(
      other,
      { via: 2, at: seconds(CASE_AT) },
      { by: MERCHANT, tag: { of: "dispute", id: dispute.id, caseOf: other.trade.reservation } },
    ),
    ...decided(other, "MerchantWins"),
    ...votesOffChain(dispute, jurors, late),
    ...allKeep([0, 1, 2, 3], theDispute(), undecided, { at: seconds(CASE_AT), forMs: minutes(4) }),
    ...allKeep([0, 1, 2, 3], theSettlement(), { state: "Disputed" }, { at: seconds(CASE_AT), forMs: minutes(4) }),
  ],
  // A node that starts again reads everything it holds anew.
  faults: [restart(2, { at: seconds(225) })],
});
