/**
 * The tables of governance: proposals and counted votes, what this node read on the chain about them,
 * and the readings that are under way. Source: CONVERGENCE "Records and ids", "Chain facts".
 */

import type { Infer } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { bool, enumeration, u8, u32, u64 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, PublicKey, Text } from "../../kernel/values.ts";
import { CastVote, ProposalRow } from "./schema.ts";

/** Votes of one voter about one proposal: the smallest whose stake shows counts. Source: DESIGN L10. */
export const VOTES_PER_VOTER_MAX = 8;

/** Proposals by their creating statement's identity. */
export const Proposals = table<ProposalRow>("proposals", ProposalRow, {
  root: "state",
  indexes: {
    id: (row) => [row.id],
    onchain: (row) => (row.onchain_proposal_id === null ? [] : [row.onchain_proposal_id.toString()]),
  },
});

/** A counted vote; `proposal` is the identity of the creating statement. */
const CastVoteRow = struct("CastVoteRow", { proposal: Text, ...CastVote.fields });
export type CastVoteRow = Infer<typeof CastVoteRow>;

/** The one vote of a voter that counts on a proposal, by `proposal:voter`. */
export const CastVotes = table<CastVoteRow>("cast_votes", CastVoteRow, {
  root: "state",
  indexes: { proposal: (row) => [row.proposal] },
});

/** The stake behind a vote. `minimum` is what its role needs, `null` where that is not asked. */
const StakeReading = struct("StakeReading", {
  stake_account: Text,
  role: u8,
  amount: u64,
  minimum: option(u64),
});
export type StakeReading = Infer<typeof StakeReading>;

/** Facts: the stake that this node read for a vote, by the vote's identity. What readings agreed on first stays. */
export const StakeReadings = table<StakeReading>("stake_readings", StakeReading, { root: "facts", durable: true });

/** What the chain's tally says: nothing that the account may still change, so equal on every node that read it. */
const Resolution = struct("ProposalResolution", {
  offchain_id_hash: Text,
  proposer: Text,
  state: enumeration("Accepted", "Rejected"),
  votes_for: u64,
  votes_against: u64,
  voting_ends_at: EpochMillis,
});
export type Resolution = Infer<typeof Resolution>;

/** Facts: resolved proposal accounts that this node read, by on-chain number. What readings agreed on first stays. */
export const Resolutions = table<Resolution>("proposal_resolutions", Resolution, { root: "facts", durable: true });

const VoteCheck = struct("VoteCheck", {
  state: enumeration("reading", "given-up"),
  voter_public_key: PublicKey,
  stake_account: Text,
  /** The next reading is as of this slot or later: the newest known when the vote came, then one after the last. */
  slot: u64,
  reads: u32,
  due: EpochMillis,
  /** When it is given up; 0 before the first read. */
  until: EpochMillis,
  /** The stake of the reading that still lacks what its role needs, and as of which slot it was. */
  stake: option(struct("Stake", { role: u8, amount: u64, slot: u64 })),
  /** What the last whole reading came to, and how many in a row did. */
  found: option(Text),
  readings: u32,
});
/** A vote whose stake is being read: since when, what was read last, and how often in a row. */
export type VoteCheck = Infer<typeof VoteCheck>;

/** Votes whose stake is being read, or will not be read again before a restart, by the vote's identity. */
export const VoteChecks = table<VoteCheck>("vote_checks", VoteCheck, {
  root: "local",
  indexes: { state: (row) => [row.state], address: (row) => (row.state === "reading" ? [row.stake_account] : []) },
});

/** The staking program's configuration as last read: the minimum stake of each role. */
const StakingMinimums = struct("StakingMinimums", { slot: u64, by_role: option(list(u64)) });
export const StakingMinima = table<Infer<typeof StakingMinimums>>("staking_minimums", StakingMinimums, {
  root: "local",
});

export const ProposalReading = struct("ProposalReading", {
  ...Resolution.fields,
  id: u64,
  state: enumeration("Draft", "Voting", "Accepted", "Rejected"),
});
export type ProposalReading = Infer<typeof ProposalReading>;
const LinkReading = struct("LinkReading", {
  address: Text,
  /** Whether it is still to be read: never was since the start, or not resolved. */
  open: bool,
  asked_at: EpochMillis,
  slot: u64,
  read_at: option(EpochMillis),
  account: option(ProposalReading),
  /** How many in a row read that, each as of a later slot. */
  readings: u32,
  /** Which of two rounds asks for it next: the other one than asked last. */
  odd: bool,
});
export type LinkReading = Infer<typeof LinkReading>;

/** The rounds in which open links are read, one after the other. Source: DESIGN "Formats". */
export const EVEN = "even";
export const ODD = "odd";

/** The last reading of every on-chain proposal that a proposal here claims, by on-chain number. */
export const LinkReadings = table<LinkReading>("proposal_link_readings", LinkReading, {
  root: "local",
  indexes: { address: (row) => [row.address], open: (row) => (row.open ? [row.odd ? ODD : EVEN] : []) },
});

/** Votes that found no place among those whose stake is read, one of each voter about a name. */
export const VotesWaiting = table("votes_waiting", struct("VoteWaiting", { vote: Text }), { root: "local" });

/** What the reading remembers of itself: whether its timer is set, and which round of links goes on. */
const ReadingFlag = struct("ReadingFlag", {});
export const ReadingFlags = table<Infer<typeof ReadingFlag>>("governance_reading", ReadingFlag, { root: "local" });
