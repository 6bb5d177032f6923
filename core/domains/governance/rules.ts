/**
 * Proposal rules: an author's acts and the chain's tally become a status; a tally is read, never made here.
 * Owns: proposals, counted votes. Sees: chain facts about them.
 * Source: OFS-4000; OFS-4200 §6; protocol 04 §3.6, §3.10, §3.11.
 */

import { CLOCK_SKEW_MS_MAX } from "../../engine/admission/ingress.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later, latest } from "../../kernel/values.ts";
import type {
  Agreement,
  ProposalActivate,
  ProposalCreate,
  ProposalRow,
  ProposalStatus,
  ProposalWithdraw,
} from "./schema.ts";
import { VOTING_WINDOW_MS } from "./schema.ts";
import type { ProposalReading, Resolution, StakeReading } from "./tables.ts";

/** What an author did about a proposal of his: the smallest statement of each kind. */
export interface AuthorActs {
  readonly withdraw: Statement<ProposalWithdraw> | undefined;
  readonly activate: Statement<ProposalActivate> | undefined;
}

/** The record of a proposal. The chain's result lies over everything; only the author's activation follows it. */
export function proposalRow(
  { payload }: Statement<ProposalCreate>,
  acts: AuthorActs,
  resolution: Resolution | undefined,
): ProposalRow {
  const status = statusOf(acts, resolution);
  const turns: EpochMillis[] = [payload.timestamp];
  if (resolution !== undefined) turns.push(resolution.voting_ends_at);
  if (status === "Withdrawn" && acts.withdraw !== undefined) turns.push(acts.withdraw.timestamp);
  if (status === "Activated" && acts.activate !== undefined) turns.push(acts.activate.timestamp);
  return {
    id: payload.id,
    title: payload.title,
    summary: payload.summary,
    category: payload.category,
    author: payload.author,
    author_public_key: payload.author_public_key,
    status,
    onchain_proposal_id: payload.onchain_proposal_id,
    voting_closes_at: votingClosesAt(payload),
    created_at: payload.timestamp,
    updated_at: latest(turns),
  };
}

/** Source: protocol 04 §3.2; saturating, as §3.11 says. */
export function votingClosesAt(create: ProposalCreate): EpochMillis {
  return later(create.timestamp, VOTING_WINDOW_MS);
}

/**
 * Whether a vote is dated inside a proposal's window. It begins with the proposal, less the skew of honest clocks:
 * what was voted before a contender existed was not said about it. Source: protocol 04 §3.5; the beginning is ours.
 */
export function isInWindow({ payload }: Statement<ProposalCreate>, votedAt: EpochMillis): boolean {
  return votedAt < votingClosesAt(payload) && later(votedAt, CLOCK_SKEW_MS_MAX) >= payload.timestamp;
}

/** Stake below its role's minimum weighs nothing, as on chain. Source: protocol 04 §3.10 "vote", §3.11. */
export function weightOf({ amount, minimum }: StakeReading): bigint {
  return minimum === null || amount >= minimum ? amount : 0n;
}

/**
 * Whether an on-chain proposal answers a claim: it bears the hash of the id and, when the one who proposed it on
 * chain wrote a contender himself, that contender is meant and no other. Source: protocol 04 §3.10; the second is ours.
 */
export function answersClaim(
  account: { readonly offchain_id_hash: string; readonly proposer: string },
  idHash: string,
  author: string,
  claimants: ReadonlySet<string>,
): boolean {
  return account.offchain_id_hash === idHash && (account.proposer === author || !claimants.has(account.proposer));
}

/** How the halves of a proposal stand to each other. Source: protocol 04 §3.10. */
export function agreementOf(
  row: Pick<ProposalRow, "status" | "onchain_proposal_id">,
  reading: ProposalReading | null,
  answers: (reading: ProposalReading) => boolean,
): Agreement {
  if (row.onchain_proposal_id === null) return "no_claim";
  if (reading === null || reading.id !== row.onchain_proposal_id || !answers(reading)) return "claim_not_reciprocated";
  if (reading.state === "Draft" || reading.state === "Voting") return "linked_still_voting";
  // An activation follows the chain's acceptance and does not contradict it.
  const local = row.status === "Activated" ? "Accepted" : row.status;
  if (local === reading.state) return "linked_agreed";
  return local === "Voting" ? "linked_awaiting_adoption" : "linked_disagreed";
}

function statusOf(acts: AuthorActs, resolution: Resolution | undefined): ProposalStatus {
  if (resolution?.state === "Rejected") return "Rejected";
  if (resolution?.state === "Accepted") return acts.activate === undefined ? "Accepted" : "Activated";
  return acts.withdraw === undefined ? "Voting" : "Withdrawn";
}
