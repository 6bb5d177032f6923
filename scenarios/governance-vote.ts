/**
 * Ann proposes a lower fee. Those who hold a stake vote: Ben with the least stake, Cleo with five times as much, and
 * Dan, who votes twice, on the two sides of a cut. Eve has no stake and votes as well. Two nodes ask the chain what
 * everybody has staked; the other two cannot. A second proposal is taken back while people still vote on it. The goal:
 * nodes with an endpoint count the same votes with the stakes that the chain shows, Dan's once and Eve's not at all;
 * nodes without one count none; all keep the same statements; and what was taken back stays so.
 * Source: protocol 04 §3.5, §3.8, §3.11.
 */
import { propose, voteOn, withdrawProposal } from "../sim/actions/governance.ts";
import { ARBITRATOR_STAKE_MIN } from "../sim/chain/genesis.ts";
import { partition } from "../sim/fault-plans.ts";
import { defineScenario, seconds } from "../sim/scenario.ts";
import { allCome, allKeep, smallNetwork } from "./parts/disputed-trade.ts";

const CONNECTED_HERE = [0, 2];
const BLIND = [1, 3];
const everyNode = [0, 1, 2, 3];
const CUT = { from: seconds(20), until: seconds(50) };
const fee = { method: "getProposal", params: { id: "lower-fee" } } as const;
const other = { method: "getProposal", params: { id: "longer-window" } } as const;
const isLong = (length: number) => ({ matches: "length", length }) as const;

export const governanceVote = defineScenario({
  ...smallNetwork,
  name: "governance-vote",
  description: "Votes weigh what the chain shows as staked: once a voter, and nothing without a stake.",
  source: "protocol 04 §3.5, §3.8, §3.11",
  gossipOnly: BLIND,
  participants: [
    { name: "ben", arbitratorStake: ARBITRATOR_STAKE_MIN },
    { name: "cleo", arbitratorStake: 5n * ARBITRATOR_STAKE_MIN },
    { name: "dan", arbitratorStake: 2n * ARBITRATOR_STAKE_MIN },
  ],
  actions: [
    propose("ann", "lower-fee", "Lower the fee to a tenth of a percent", { at: seconds(2), via: 1 }),
    propose("ann", "longer-window", "An hour to pay instead of half", { at: seconds(3), via: 1 }),
    voteOn("ben", "lower-fee", "Approve", { at: seconds(8), via: 0 }),
    voteOn("cleo", "lower-fee", "Reject", { at: seconds(9), via: 3 }),
    voteOn("eve", "lower-fee", "Approve", { at: seconds(10), via: 1 }),
    voteOn("dan", "lower-fee", "Approve", { at: seconds(25), via: 0 }),
    voteOn("dan", "lower-fee", "Reject", { at: seconds(30), via: 2 }),
    voteOn("ben", "longer-window", "Approve", { at: seconds(32), via: 2 }),
    withdrawProposal("ann", "longer-window", { at: seconds(35), via: 1 }),
    ...allCome(CONNECTED_HERE, fee, { status: "Voting", votes: isLong(3) }, { at: seconds(60) }),
    ...allKeep(BLIND, fee, { status: "Voting", votes: [] }, { at: seconds(5), forMs: seconds(90) }),
    ...allCome(everyNode, other, { status: "Withdrawn" }, { at: CUT.until }),
    ...allKeep(everyNode, other, { status: "Withdrawn" }, { at: seconds(90), forMs: seconds(10) }),
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
