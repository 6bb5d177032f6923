/**
 * While the network is cut in two, an arbitrator commits to one vote on one side and to another on the other side; once
 * it is whole he reveals the second. The goal: both halves come to hold both, show the same commitment and count the
 * reveal; and a party who reads his case in full reads the same at all nodes.
 * Source: protocol 03 E S18, W-4; CONVERGENCE "Dispute".
 */
import { comparesDisputes } from "../sim/actions/compare.ts";
import { commit, join, reveal } from "../sim/actions/dispute.ts";
import { partition } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import type { Sitting } from "./parts/disputed-trade.ts";
import {
  allCome,
  BUYER,
  BUYER_NODE,
  dispute,
  disputed,
  offered,
  PANEL_AT,
  participants,
  smallNetwork,
  theDispute,
} from "./parts/disputed-trade.ts";

const jurors: readonly Sitting[] = [
  { name: "ada", vote: "BuyerWins", via: 0, stakes: 1n },
  { name: "ben", vote: "BuyerWins", via: 1, stakes: 1n },
  { name: "cleo", vote: "BuyerWins", via: 3, stakes: 1n },
];
const [ada, ben, cleo] = jurors as readonly [Sitting, Sitting, Sitting];
const otherAda: Sitting = { ...ada, vote: "MerchantWins", via: 2 };
const everyNode = [0, 1, 2, 3];
const CUT = { from: seconds(75), until: seconds(110) };

export const twoCommitmentsOfOneArbitrator = defineScenario({
  ...smallNetwork,
  name: "two-commitments-of-one-arbitrator",
  description: "One arbitrator commits twice on the two sides of a cut; all nodes end with the same.",
  source: "protocol 03 E S18, W-4",
  participants: participants(...jurors),
  actions: [
    ...offered,
    ...disputed(),
    ...jurors.map((juror, place) => join(dispute, juror, { via: juror.via, at: seconds(PANEL_AT + place) })),
    commit(dispute, ada, { via: ada.via, at: seconds(80) }),
    commit(dispute, otherAda, { via: otherAda.via, at: seconds(82) }),
    commit(dispute, ben, { via: ben.via, at: seconds(84) }),
    commit(dispute, cleo, { via: cleo.via, at: seconds(84) }),
    ...allCome([0, 1], theDispute(), { status: "CaseLocked", commitments: 2 }, { at: seconds(86) }),
    ...allCome([2, 3], theDispute(), { status: "CaseLocked", commitments: 2 }, { at: seconds(86) }),
    ...allCome(everyNode, theDispute(), { status: "RevealPhase", commitments: 3 }, { at: seconds(110) }),
    comparesDisputes(
      BUYER,
      everyNode,
      { via: BUYER_NODE, at: seconds(112) },
      { commitments: { matches: "length", length: 3 } },
    ),
    reveal(dispute, otherAda, { via: 3, at: seconds(150) }),
    ...allCome(everyNode, theDispute(), { reveals: 1, revealed_votes: ["MerchantWins"] }, { at: seconds(150) }),
    comparesDisputes(
      BUYER,
      everyNode,
      { via: BUYER_NODE, at: seconds(155) },
      { reveals: { matches: "length", length: 1 } },
    ),
  ],
  faults: [
    partition(
      [
        [0, 1],
        [2, 3],
      ],
      CUT,
    ),
  ],
});
