/**
 * Disputes: signed evidence about a frozen trade. The chain decides; nothing here tallies.
 * Source: OFS-2400; protocol 03 A.
 */

import { REASON_BYTES_MAX } from "../../../engine/admission/validation-order.ts";
import type { Infer } from "../../../kernel/schema.ts";
import { sized } from "../../../kernel/schema.ts";
import { list, option, pair, reveal, struct } from "../../../kernel/schema-composites.ts";
import { bool, byteArray, enumeration, u8, u32 } from "../../../kernel/schema-scalars.ts";
import type { Payload } from "../../../kernel/signed.ts";
import { signed } from "../../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../../kernel/values.ts";
import { Resolution, TerminalSplit } from "../settlements/schema.ts";

const GOSSIP = { ofs: 2400, priority: 4 } as const;
const ABOUT = { kind: "dispute", member: "dispute_id" } as const;

/** Arbitrators of an off-chain panel before the case locks. Source: protocol 03 A.8. */
export const REQUIRED_ARBITRATORS = 3;

/** Source: protocol 03 A.3. */
export const DisputeStatus = enumeration("Open", "CaseLocked", "RevealPhase", "AwaitingChainExecution", "Resolved");
export type DisputeStatus = Infer<typeof DisputeStatus>;
/** Source: protocol 03 A.3; its compact index is the byte that a commitment hashes (A.4.4). */
export const Vote = enumeration("BuyerWins", "MerchantWins", "Invalid");
export type Vote = Infer<typeof Vote>;

/** How long after its open what is said about a dispute counts, in milliseconds. Source: CONVERGENCE B6. */
export const DISPUTE_LIFE_MS = 30 * 86_400_000;

/** Signed by a party of the trade. Source: protocol 03 A.4.1. */
export const DisputeOpen = signed("openfiat/disputes/DisputeOpen/v1", {
  outer: "open",
  signer: "opener",
  key: "opener_public_key",
  time: "timestamp",
  creates: "dispute",
  naming: "identity",
  lifeMs: DISPUTE_LIFE_MS,
  about: { kind: "settlement", member: "settlement_id" },
  among: "signer",
  event: "DisputeOpened",
  ...GOSSIP,
  fields: {
    id: Text,
    settlement_id: Text,
    opener: PeerId,
    opener_public_key: PublicKey,
    reason: sized(Text, { bytes: REASON_BYTES_MAX }),
    timestamp: EpochMillis,
  },
});
export type DisputeOpen = Payload<typeof DisputeOpen>;

/** Signed by the arbitrator. Source: protocol 03 A.4.1. */
export const ArbitratorJoin = signed("openfiat/disputes/ArbitratorJoin/v1", {
  outer: "join",
  signer: "arbitrator",
  key: "arbitrator_public_key",
  time: "timestamp",
  about: ABOUT,
  ownDepth: 1,
  event: "ArbitratorJoined",
  ...GOSSIP,
  fields: { dispute_id: Text, arbitrator: PeerId, arbitrator_public_key: PublicKey, timestamp: EpochMillis },
});
export type ArbitratorJoin = Payload<typeof ArbitratorJoin>;

/** Signed by the arbitrator. Source: protocol 03 A.4.1. */
export const VoteCommit = signed("openfiat/disputes/VoteCommit/v1", {
  outer: "commit",
  signer: "arbitrator",
  time: "timestamp",
  about: ABOUT,
  ownDepth: 4,
  event: "VoteCommitted",
  ...GOSSIP,
  fields: { dispute_id: Text, arbitrator: PeerId, commitment: byteArray(32), timestamp: EpochMillis },
});
export type VoteCommit = Payload<typeof VoteCommit>;

/** Signed by the arbitrator. Source: protocol 03 A.4.1. */
export const VoteReveal = signed("openfiat/disputes/VoteReveal/v1", {
  outer: "reveal",
  signer: "arbitrator",
  time: "timestamp",
  about: ABOUT,
  ownDepth: 4,
  event: "VoteRevealed",
  ...GOSSIP,
  fields: { dispute_id: Text, arbitrator: PeerId, vote: Vote, secret: byteArray(32), timestamp: EpochMillis },
});
export type VoteReveal = Payload<typeof VoteReveal>;

/** Signed by a party, under its tag only. Source: protocol 03 A.4.1. */
export const MutualSettlementAgree = signed("openfiat/disputes/MutualSettlementAgree/v1", {
  outer: "agree",
  signer: "party",
  time: "timestamp",
  forms: "tagged",
  about: ABOUT,
  ownDepth: 1,
  event: "MutualSettlementAgreed",
  ...GOSSIP,
  fields: { dispute_id: Text, party: PeerId, timestamp: EpochMillis },
});
export type MutualSettlementAgree = Payload<typeof MutualSettlementAgree>;

/** Source: protocol 03 A.2.1. */
export const Commitment = struct("Commitment", { arbitrator: PeerId, commitment: byteArray(32) });
/** Source: protocol 03 A.2.1. */
export const Reveal = struct("Reveal", { arbitrator: PeerId, vote: Vote });

/** The full record of protocol 03 A.2.1, with our `terminal_split`. */
export const Dispute = struct("Dispute", {
  id: Text,
  settlement_id: Text,
  buyer: PeerId,
  buyer_public_key: PublicKey,
  seller: PeerId,
  seller_public_key: PublicKey,
  opener: PeerId,
  reason: Text,
  status: DisputeStatus,
  required_arbitrators: u8,
  arbitrators: list(PeerId),
  arbitrator_keys: list(pair(PeerId, PublicKey)),
  commitments: list(Commitment),
  reveals: list(Reveal),
  resolution: option(Resolution),
  buyer_agreed_mutual_settlement: bool,
  seller_agreed_mutual_settlement: bool,
  onchain_execution_signature: option(Text),
  opened_at: EpochMillis,
  updated_at: EpochMillis,
  terminal_split: option(TerminalSplit),
});
export type Dispute = Infer<typeof Dispute>;

/** The counts that take the place of people. Source: protocol 03 A.2.2. */
const Counted = struct("DisputeCounts", {
  ...Dispute.fields,
  arbitrators_seated: u32,
  commitments: u32,
  reveals: u32,
  revealed_votes: list(Vote),
});

/** What a stranger may read: the case, never the people. Source: protocol 03 A.2.2. */
export const PublicDispute = reveal(
  "PublicDispute",
  Counted,
  "id",
  "settlement_id",
  "status",
  "required_arbitrators",
  "arbitrators_seated",
  "commitments",
  "reveals",
  "resolution",
  "onchain_execution_signature",
  "opened_at",
  "updated_at",
  "revealed_votes",
  "terminal_split",
);
export type PublicDispute = Infer<typeof PublicDispute>;

const { terminal_split: _, ...filedFields } = Dispute.fields;
/** The full record without the member that is ours, as every node reads it in a file. Source: protocol 03 A.2.1. */
export const FiledDispute = struct("FiledDispute", filedFields);

/** The view of a dispute: people become counts first, then only named members are shown. */
export function publicDispute(dispute: Dispute): PublicDispute {
  return PublicDispute.of({
    ...dispute,
    arbitrators_seated: dispute.arbitrators.length,
    commitments: dispute.commitments.length,
    reveals: dispute.reveals.length,
    revealed_votes: dispute.reveals.map((reveal) => reveal.vote),
  });
}
