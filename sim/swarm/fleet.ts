/**
 * The seeds whose worlds every test run plays, and `score` looks for planted bugs with: chosen one after the other for
 * what each reaches beside the others at its cost, so that together they leave nothing out but what stands here.
 * Source: DESIGN section 5 "Faults" (swarm), "Checks".
 */
import type { Suspect } from "./twins.ts";

/** Drawn worlds that together reach what drawn worlds reach. */
export const FLEET: readonly bigint[] = [
  144n,
  166n,
  168n,
  156n,
  82n,
  119n,
  38n,
  155n,
  46n,
  163n,
  5n,
  137n,
  65n,
  57n,
  149n,
  48n,
  104n,
  180n,
  193n,
  138n,
  214n,
  205n,
  158n,
  26n,
  131n,
  101n,
  210n,
  142n,
  20n,
  108n,
  212n,
  35n,
  27n,
  112n,
  2039n,
  258n,
  233n,
  2796n,
  825n,
  1424n,
  1145n,
  353n,
  2134n,
  3956n,
  3250n,
  4028n,
  4036n,
  845n,
  5042n,
  5060n,
  5120n,
  5658n,
  63n,
  6052n,
  560144n,
  560900n,
];

/** A fault of a world of the fleet without which the world comes to other events. */
export interface Proof extends Suspect {
  readonly seed: bigint;
}

/** One for each kind of fault, in the cheapest world of the fleet in which one bites. */
export const PROOFS: readonly Proof[] = [
  { seed: 4036n, place: 4, kind: "duplication" },
  { seed: 38n, place: 2, kind: "loss" },
  { seed: 155n, place: 1, kind: "reordering" },
  { seed: 353n, place: 5, kind: "bandwidth" },
  { seed: 4028n, place: 5, kind: "corruption" },
  { seed: 65n, place: 3, kind: "shared-bandwidth" },
  { seed: 38n, place: 1, kind: "partition" },
  { seed: 144n, place: 1, kind: "half-open" },
  { seed: 20n, place: 0, kind: "crash" },
  { seed: 26n, place: 3, kind: "pause" },
  { seed: 101n, place: 0, kind: "slow-node" },
  { seed: 166n, place: 2, kind: "clock-skew" },
  { seed: 2039n, place: 0, kind: "clock-jump" },
  { seed: 137n, place: 1, kind: "clock-drift" },
  { seed: 166n, place: 3, kind: "disk-lost-writes" },
  { seed: 180n, place: 1, kind: "disk-torn-write" },
  { seed: 2796n, place: 3, kind: "disk-full" },
  { seed: 233n, place: 4, kind: "disk-read-error" },
  { seed: 205n, place: 5, kind: "bit-rot" },
  { seed: 353n, place: 10, kind: "misdirected-write" },
  { seed: 2796n, place: 6, kind: "file-unwritten" },
  { seed: 825n, place: 13, kind: "file-unreachable" },
  { seed: 63n, place: 7, kind: "file-damaged" },
  { seed: 180n, place: 3, kind: "chain-skipped-slot" },
  { seed: 168n, place: 0, kind: "chain-fork" },
  { seed: 2039n, place: 2, kind: "chain-stall" },
  { seed: 2039n, place: 1, kind: "chain-drop" },
  { seed: 353n, place: 1, kind: "chain-late" },
  { seed: 3250n, place: 0, kind: "chain-fail" },
  { seed: 353n, place: 6, kind: "chain-lag" },
  { seed: 258n, place: 0, kind: "chain-failure" },
  { seed: 26n, place: 0, kind: "chain-timeout" },
  { seed: 1145n, place: 2, kind: "chain-rate-limit" },
  { seed: 845n, place: 4, kind: "chain-contradiction" },
  { seed: 1424n, place: 1, kind: "chain-lie" },
  { seed: 101n, place: 2, kind: "peer" },
];

const GOVERNANCE = "the simulated chain holds no governance program";
const FACTS = "nothing that people sign completes a settlement: facts do";
const TOLD = "notifications of this kind are not sent, or not reported on, while drawn worlds last";
const AIMED = "aimed at one record each, in scenarios of their own (test/attacks/crowds.test.ts)";
const SEARCHED = "guided search chooses each of its acts (test/guided/search.test.ts)";
const RARE = "two hundred drawn worlds did not come to it";

/** What no world of the fleet reaches, in the order in which the product declares it, and why. */
export const UNREACHED: Readonly<Record<string, string>> = {
  "method sendProposalActivate": GOVERNANCE,
  "type ProposalActivate": GOVERNANCE,
  "refusal RATE_LIMIT_EXCEEDED": RARE,
  "refusal DESERIALIZATION_ERROR": RARE,
  "refusal CLAIM_LIMIT_REACHED": RARE,
  "refusal PAYMENT_METHOD_LIMIT_REACHED": RARE,
  "state chain_facts.terminal_split=NoConsensus": RARE,
  "state chain_facts.terminal_split=QuorumNotReached": RARE,
  "state chain_facts.terminal_split=RoundUnstaffed": RARE,
  "state settlements.signed_state=Completed": FACTS,
  "state settlements.terminal_split=NoConsensus": RARE,
  "state settlements.terminal_split=QuorumNotReached": RARE,
  "state settlements.terminal_split=RoundUnstaffed": RARE,
  "state disputes.terminal_split=NoConsensus": RARE,
  "state disputes.terminal_split=QuorumNotReached": RARE,
  "state disputes.terminal_split=RoundUnstaffed": RARE,
  "state proposals.status=Accepted": GOVERNANCE,
  "state proposals.status=Rejected": GOVERNANCE,
  "state proposals.status=Activated": GOVERNANCE,
  "state proposal_resolutions.state=Accepted": GOVERNANCE,
  "state proposal_resolutions.state=Rejected": GOVERNANCE,
  "state notification_receipts.trigger=ReservationExpiring": TOLD,
  "state notification_receipts.trigger=EscrowReleased": TOLD,
  "state notification_receipts.trigger=TradeCompleted": TOLD,
  "state notification_receipts.trigger=AdvertisementDisabled": TOLD,
  "state notification_receipts.trigger=ReputationUpdated": TOLD,
  "state notification_receipts.trigger=ResolutionIssued": RARE,
  "state notification_receipts.trigger=VotingStarted": TOLD,
  "state notification_receipts.trigger=ProposalActivated": TOLD,
  "state notification_receipts.trigger=SnapshotAvailable": TOLD,
  "state notification_receipts.trigger=NodeMaintenance": TOLD,
  "state notification_receipts.trigger=ProviderOffline": TOLD,
  "attack ballot-crowd": AIMED,
  "attack case-crowd": AIMED,
  "attack chosen-acts": SEARCHED,
  "attack claimed-holdings": AIMED,
  "attack fresh-peers": AIMED,
  "attack hollow-votes": AIMED,
  "attack name-crowd": AIMED,
  "attack number-crowd": AIMED,
  "attack old-price": AIMED,
  "attack request-crowd": AIMED,
  "attack sealing-edge": AIMED,
  "attack split-orphans": AIMED,
};

/** Kinds of fault that no twin proves, in the order of reports, and why. */
export const UNPROVEN: Readonly<Record<string, string>> = {
  // It counts as effective when the chain had both; test/sim/chain-faults.test.ts shows that it takes one.
  "chain-duplicate": "the chain takes a transaction once: that nobody notices a second one is its promise",
};
