/**
 * Reading the on-chain half of proposals: every number that a proposal here claims is read until the chain has
 * resolved it. Both halves must name each other, and a resolved account that was read alike often enough becomes a fact
 * that is never taken back.
 * Source: OFS-4200 §6; protocol 04 §3.6, §3.10.
 */

import { ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import type { ChainAccountBytes, ChainObservation } from "../../inputs.ts";
import { known } from "../../kernel/assert.ts";
import { toHex } from "../../kernel/bytes.ts";
import { U64_MAX } from "../../kernel/compact.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import type { Reader } from "../../kernel/table.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import type { ChainProfile } from "../../solana/addresses.ts";
import { chainAddresses, devnetProfile } from "../../solana/addresses.ts";
import { readProposal } from "../../solana/governance-accounts.ts";
import { readingsThatCount } from "./agreeing-readings.ts";
import { claimantsOf, markGovernanceFact, offchainIdHash } from "./fold.ts";
import { agreementOf, answersClaim } from "./rules.ts";
import type { ProposalRow, TimedChainLink } from "./schema.ts";
import type { LinkReading } from "./tables.ts";
import { EVEN, LinkReadings, ODD, ProposalReading, ReadingFlags, Resolutions } from "./tables.ts";

/** Proposal accounts read in one tick at most; those that waited longest come first. Source: DESIGN L10. */
export const LINK_READS_MAX = 32;

/** The programs of this build: constants, and the staking program as the network has it. Source: protocol 04 §3.10. */
export function chainProfileOf(context: StepContext): ChainProfile {
  return { ...devnetProfile, stakingProgram: context.configuration.profile.stakingProgram };
}

/** Begins to read what a proposal claims. */
export function followClaim(context: StepContext, claimed: bigint | null): void {
  const key = claimed?.toString();
  if (claimed === null || key === undefined || context.draft.get(LinkReadings, key) !== undefined) return;
  const { address } = chainAddresses(context.crypto, chainProfileOf(context)).proposal(claimed);
  const never = 0n as EpochMillis;
  context.draft.put(LinkReadings, key, {
    address,
    open: true,
    asked_at: never,
    slot: 0n,
    read_at: null,
    account: null,
    readings: 0,
    odd: isOdd(context),
  });
}

/**
 * Asks for the accounts that are still to be read, as many as a tick allows. What was asked for waits for the next
 * round, so that all come in turn and no tick goes through those that are not due.
 */
export function askLinks(context: StepContext): void {
  const odd = isOdd(context);
  const due = context.draft.find(LinkReadings, "open", odd ? ODD : EVEN, LINK_READS_MAX);
  const more = context.draft.find(LinkReadings, "open", odd ? EVEN : ODD, LINK_READS_MAX - due.length);
  if (due.length < LINK_READS_MAX) context.draft.put(ReadingFlags, ODD, odd ? undefined : {});
  for (const key of [...due, ...more]) {
    const link = known(context.draft.get(LinkReadings, key), "a link that is open");
    context.draft.put(LinkReadings, key, { ...link, odd: !link.odd, asked_at: context.now });
    context.emit({ type: "chain.read", address: link.address, slot: link.slot });
  }
}

/** Whether the round that goes on is an odd one. */
function isOdd({ draft }: StepContext): boolean {
  return draft.get(ReadingFlags, ODD) !== undefined;
}

/** Whether any account is still to be read. */
export function hasOpenLinks(context: StepContext): boolean {
  return [EVEN, ODD].some((round) => context.draft.count(LinkReadings, "open", round) > 0);
}

/** A proposal account that was read, or that is not there. */
export function onProposalAccount(
  context: StepContext,
  seen: Extract<ChainObservation, { readonly type: "account" }>,
): void {
  for (const key of context.draft.find(LinkReadings, "address", seen.address)) {
    const link = context.draft.get(LinkReadings, key);
    if (link === undefined || seen.slot < link.slot) continue;
    const account = seen.account === null ? null : readingOf(context, seen.account);
    const isLater = link.read_at === null || seen.slot > link.slot;
    const readings = isSame(account, link.account) ? link.readings + (isLater ? 1 : 0) : 1;
    const fits = account !== null && account.id.toString() === key;
    if (fits && readings >= ruleOf(context.configuration, readingsThatCount)(true)) adopt(context, key, account);
    const open = context.draft.get(Resolutions, key) === undefined;
    context.draft.put(LinkReadings, key, { ...link, open, slot: seen.slot, read_at: context.now, account, readings });
  }
}

/** Whether two readings say the same in every term. */
function isSame(one: ProposalReading | null, other: ProposalReading | null): boolean {
  if (one === null || other === null) return one === other;
  return toHex(encodeCompact(ProposalReading, one)) === toHex(encodeCompact(ProposalReading, other));
}

/** How a proposal stands to the chain, by the last account that this node read. */
export function chainLinkOf(context: StepContext, row: ProposalRow): TimedChainLink {
  const { draft, crypto, configuration } = context;
  const hash = offchainIdHash((bytes) => crypto.sha256(bytes), row.id);
  const claimed = row.onchain_proposal_id;
  const reading = claimed === null ? undefined : ruleOf(configuration, lastReading)(context, claimed);
  const rivals = claimed === null ? new Set<string>() : claimantsOf(draft, row.id, claimed);
  const answers = (account: ProposalReading) => answersClaim(account, hash, row.author_public_key, rivals);
  const addresses = chainAddresses(crypto, chainProfileOf(context));
  return {
    onchain_proposal_id: claimed,
    onchain_proposal_address: claimed === null ? null : addresses.proposal(claimed).address,
    offchain_id_hash: hash,
    governance_program: addresses.profile.governanceProgram,
    status: row.status,
    agreement: agreementOf(row, reading?.account ?? null, answers),
    read_at: reading?.read_at ?? null,
  };
}

/** Whether the chain's own vote on a proposal is over, as far as this node has read. Source: protocol 04 §3.11. */
export function chainVotingEnded(reader: Reader, claimed: bigint | null, idHash: string, now: EpochMillis): boolean {
  const account = claimed === null ? undefined : reader.get(LinkReadings, claimed.toString())?.account;
  return account?.offchain_id_hash === idHash && now >= account.voting_ends_at;
}

/** The last reading; before the first one since a start, the fact that was kept. */
export function lastReading(
  { draft }: StepContext,
  claimed: bigint,
): Pick<LinkReading, "account" | "read_at"> | undefined {
  const reading = draft.get(LinkReadings, claimed.toString());
  if (reading !== undefined && reading.read_at !== null) return reading;
  const fact = draft.get(Resolutions, claimed.toString());
  return fact && { account: { ...fact, id: claimed }, read_at: null };
}

/** A resolved account, read often enough, becomes a fact once; one that says otherwise later is reported alone. */
function adopt(context: StepContext, key: string, account: ProposalReading): void {
  const held = context.draft.get(Resolutions, key);
  if (held !== undefined && held.state !== account.state) {
    const fields = { onchain_proposal_id: key, held: held.state, read: account.state };
    return context.emit({ type: "log", level: "warn", event: "on-chain proposal disagrees", fields });
  }
  const { id: _, state, ...rest } = account;
  if (held !== undefined || (state !== "Accepted" && state !== "Rejected")) return;
  context.draft.put(Resolutions, key, { ...rest, state });
  const fold = foldOf(context);
  markGovernanceFact(context.draft, Resolutions.name, key, fold.mark);
  fold.run();
}

function readingOf(context: StepContext, account: ChainAccountBytes): ProposalReading | null {
  const read = readProposal(chainProfileOf(context), account);
  if (!read.ok) return null;
  const { id, proposer, state, votes_for, votes_against, voting_ends_at } = read.value;
  return {
    id,
    proposer,
    state,
    votes_for,
    votes_against,
    voting_ends_at: millis(voting_ends_at),
    offchain_id_hash: toHex(read.value.offchain_id_hash),
  };
}

/** Seconds of the chain as an instant, within what an instant holds. */
function millis(seconds: bigint): EpochMillis {
  const ms = seconds * 1_000n;
  return (ms < 0n ? 0n : ms > U64_MAX ? U64_MAX : ms) as EpochMillis;
}
