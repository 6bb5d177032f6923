/**
 * Children come long before their parents. Ten nodes; the last three are cut off and hear of a trade and its case only
 * from a courier who brings the end of every story first, while a stranger fills the room where statements wait with
 * claims about settlements that nobody ever began, forty of them. When the cut is over the parents come. The goal: what
 * is true finds room and waits for its parents however many lies wait beside it, all ten nodes come to show the same
 * case, and none of the lies ever becomes a record.
 * Source: protocol 01 §13.1; CONVERGENCE "Bounds", "Pending".
 */
import { advertise, initiate, pay, publishFunded, reserve } from "../sim/actions/trade.ts";
import { attacker, partition } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import { allCome, dispute, offer, theDispute, theSettlement, trade, undecided } from "./parts/disputed-trade.ts";
import { offChain } from "./parts/off-chain-market.ts";

const WHOLE_NETWORK = [0, 1, 2, 3, 4, 5, 6];
const CUT_OFF = [7, 8, 9];
const CUT = { from: seconds(1), until: seconds(60) };
const STORM = { from: seconds(3), until: seconds(40) };
const whole = {
  status: "AwaitingChainExecution",
  arbitrators_seated: 3,
  commitments: 3,
  reveals: 3,
  ...undecided,
} as const;
const PANEL = {
  kind: "every-order",
  dispute: dispute.id,
  settlement: trade.settlement,
  opener: trade.buyer,
  arbitrators: [
    { name: "ada", vote: "BuyerWins" },
    { name: "ben", vote: "MerchantWins" },
    { name: "cleo", vote: "Invalid" },
  ],
} as const;

export const orphanStorm = defineScenario({
  ...offChain,
  name: "orphan-storm",
  description: "Statements come a minute before what they speak about, among dozens about nothing at all.",
  source: "protocol 01 §13.1",
  nodes: 10,
  nodesMin: 10,
  actions: [
    advertise(offer, { via: 0, at: seconds(2) }),
    reserve(trade, { via: 1, at: seconds(3) }),
    initiate(trade, { via: 1, at: seconds(3) }),
    publishFunded(trade, { via: 0, at: seconds(3) }),
    pay(trade, { via: 1, at: seconds(3) }),
    ...allCome(WHOLE_NETWORK, theSettlement(), { state: "PaymentSubmitted" }, { at: seconds(5) }),
    ...allCome([...WHOLE_NETWORK, ...CUT_OFF], theDispute(), whole, { at: CUT.until }),
  ],
  faults: [
    partition([WHOLE_NETWORK, CUT_OFF], CUT),
    attacker("stranger", { kind: "orphan-flood", settlement: trade.settlement }, { ...STORM, times: 40 }),
    attacker("courier", PANEL, { from: seconds(10), until: seconds(21), times: 10 }),
  ],
});
