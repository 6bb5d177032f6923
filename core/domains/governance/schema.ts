/**
 * Proposals and votes: full text and choices, signed off chain. The outcome is the chain's own.
 * Source: OFS-4000; protocol 04 §3.
 */

import type { Infer } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { enumeration, u64 } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { utf8 } from "../../kernel/text.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

const GOSSIP = { ofs: 4000, priority: 4 } as const;
const ABOUT = { kind: "proposal", member: "proposal_id" } as const;

/** How long votes are taken after a proposal's own date, in milliseconds. Source: protocol 04 §3.8. */
export const VOTING_WINDOW_MS = 604_800_000;
/** Longest texts of a proposal, in bytes. Source: protocol 04 §3.11. */
export const TITLE_BYTES_MAX = 256;
export const SUMMARY_BYTES_MAX = 16_384;

/** Source: protocol 04 §3.3. */
const Category = enumeration("Protocol", "Economics", "Marketplace", "Infrastructure", "Governance");
/** Source: protocol 04 §3.3. */
const ProposalStatus = enumeration("Voting", "Accepted", "Rejected", "Withdrawn", "Activated");
export type ProposalStatus = Infer<typeof ProposalStatus>;
/** Source: protocol 04 §3.3. */
const Choice = enumeration("Approve", "Reject", "Abstain");
/** How the two halves of a proposal stand to each other. Source: protocol 04 §3.3, §3.10. */
const Agreement = enumeration(
  "no_claim",
  "claim_not_reciprocated",
  "linked_still_voting",
  "linked_awaiting_adoption",
  "linked_agreed",
  "linked_disagreed",
);
export type Agreement = Infer<typeof Agreement>;

/** Signed by the author. Source: protocol 04 §3.4. */
export const ProposalCreate = signed("openfiat/governance/ProposalCreate/v1", {
  outer: "create",
  signer: "author",
  key: "author_public_key",
  time: "timestamp",
  creates: "proposal",
  naming: "identity",
  event: "ProposalCreated",
  ...GOSSIP,
  fields: {
    id: Text,
    title: sized(Text, { bytes: TITLE_BYTES_MAX }),
    summary: sized(Text, { bytes: SUMMARY_BYTES_MAX }),
    category: Category,
    author: PeerId,
    author_public_key: PublicKey,
    /** The claim of the off-chain half; the chain's half must answer it (protocol 04 §3.10). */
    onchain_proposal_id: option(u64),
    timestamp: EpochMillis,
  },
});
export type ProposalCreate = Payload<typeof ProposalCreate>;

/** Signed by the voter. `weight` is signed and otherwise ignored. Source: protocol 04 §3.4. */
export const VoteCast = signed("openfiat/governance/VoteCast/v1", {
  outer: "vote",
  signer: "voter",
  key: "voter_public_key",
  time: "timestamp",
  about: ABOUT,
  event: "VoteCast",
  ...GOSSIP,
  fields: {
    proposal_id: Text,
    voter: PeerId,
    voter_public_key: PublicKey,
    choice: Choice,
    weight: u64,
    stake_account: Text,
    timestamp: EpochMillis,
  },
});
export type VoteCast = Payload<typeof VoteCast>;

const BY_AUTHOR = { proposal_id: Text, author: PeerId, timestamp: EpochMillis } as const;

/** Signed by the author, under its tag only. Source: protocol 04 §3.4. */
export const ProposalWithdraw = signed("openfiat/governance/ProposalWithdraw/v1", {
  outer: "withdraw",
  signer: "author",
  time: "timestamp",
  forms: "tagged",
  about: ABOUT,
  event: "ProposalCancelled",
  ...GOSSIP,
  fields: BY_AUTHOR,
});
export type ProposalWithdraw = Payload<typeof ProposalWithdraw>;

/** Signed by the author, under its tag only. Source: protocol 04 §3.4. */
export const ProposalActivate = signed("openfiat/governance/ProposalActivate/v1", {
  outer: "activate",
  signer: "author",
  time: "timestamp",
  forms: "tagged",
  about: ABOUT,
  event: "ProposalActivated",
  ...GOSSIP,
  fields: BY_AUTHOR,
});
export type ProposalActivate = Payload<typeof ProposalActivate>;

/** A vote that counts, with the weight that this node read from the chain. Source: protocol 04 §3.2. */
export const CastVote = struct("CastVote", { voter: PeerId, choice: Choice, weight: u64, timestamp: EpochMillis });
export type CastVote = Infer<typeof CastVote>;

const HEAD = {
  id: Text,
  title: Text,
  summary: Text,
  category: Category,
  author: PeerId,
  author_public_key: PublicKey,
  status: ProposalStatus,
} as const;
const TAIL = {
  onchain_proposal_id: option(u64),
  voting_closes_at: EpochMillis,
  created_at: EpochMillis,
  updated_at: EpochMillis,
} as const;

/** A proposal as it is read. Everyone in it published about themselves. Source: protocol 04 §3.2, §8 D7. */
export const Proposal = struct("Proposal", { ...HEAD, votes: list(CastVote), ...TAIL });
export type Proposal = Infer<typeof Proposal>;

/** A proposal as it is folded; its votes stand in rows of their own. */
export const ProposalRow = struct("ProposalRow", { ...HEAD, ...TAIL });
export type ProposalRow = Infer<typeof ProposalRow>;

/** Source: protocol 04 §3.2. */
export const ProposalChainLink = struct("ProposalChainLink", {
  onchain_proposal_id: option(u64),
  onchain_proposal_address: option(Text),
  offchain_id_hash: Text,
  governance_program: Text,
  status: ProposalStatus,
  agreement: Agreement,
});
export type ProposalChainLink = Infer<typeof ProposalChainLink>;

/**
 * The link with the instant at which this node last read the account; `null` when it never did. Source: protocol 04
 * §3.10.
 */
export const TimedChainLink = struct("TimedChainLink", { ...ProposalChainLink.fields, read_at: option(EpochMillis) });
export type TimedChainLink = Infer<typeof TimedChainLink>;

/** Whether a proposal's texts keep their bounds, at every ingress. Source: protocol 04 §3.11. */
export function hasBoundedTexts({ title, summary }: ProposalCreate): boolean {
  return isWithin(title, TITLE_BYTES_MAX) && isWithin(summary, SUMMARY_BYTES_MAX);
}

function isWithin(text: string, bytesMax: number): boolean {
  return text.length <= bytesMax && utf8(text).length <= bytesMax;
}
