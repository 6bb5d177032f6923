/**
 * Reading the stake behind votes: one vote of a voter on a proposal at a time, each read at doubling distances for
 * thirty ticks, and at every tick once something shows. What readings agree on becomes a fact about that vote; a vote
 * without one is kept and never counted.
 * Source: OFS-4000; protocol 04 §3.5, §3.8, §3.11; 01 §13.2.
 */

import { ruleOf } from "../../engine/overrides.ts";
import { allBy } from "../../engine/statements/own-statements.ts";
import { parentsOf, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import type { ChainAccountBytes, ChainObservation } from "../../inputs.ts";
import { known } from "../../kernel/assert.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import { firstOf } from "../../kernel/table.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { decodeAccount, isUnused, stakingConfig } from "../../solana/accounts.ts";
import { parseAddress } from "../../solana/address-text.ts";
import { chainAddresses } from "../../solana/addresses.ts";
import { readStake } from "../../solana/governance-accounts.ts";
import { OWN, SlotObservations } from "../chain-bridge/view.ts";
import { readingsThatCount } from "./agreeing-readings.ts";
import { chainProfileOf } from "./chain-links.ts";
import { markGovernanceFact } from "./fold.ts";
import { isInWindow } from "./rules.ts";
import type { ProposalCreate } from "./schema.ts";
import { VoteCast } from "./schema.ts";
import type { StakeReading, VoteCheck } from "./tables.ts";
import { StakeReadings, StakingMinima, VoteChecks, VotesWaiting } from "./tables.ts";

/** Between two looks at the chain, in milliseconds. Source: protocol 04 §3.8. */
export const READ_EVERY_MS = 10_000;
/** Ticks after which a vote whose stake does not show is given up. Source: protocol 04 §3.8; 01 §13.2. */
export const VERIFY_TICKS_MAX = 30;
/** Votes whose stake is being read at most. Source: protocol 04 §3.11. */
export const VOTE_CHECKS_MAX = 1_024;
/** Stake accounts read in one tick at most. Source: DESIGN L10. */
export const STAKE_READS_MAX = 64;

/** Why a vote is not counted on this node. */
type ValidationError =
  | "no such address"
  | "wrong program"
  | "not a stake account"
  | "another's stake"
  | "unknown role"
  | "timeout";

/**
 * Takes up the next vote of a voter about a name: the smallest that could count and was not read yet. One at a
 * time, so that a voter has one place in the queue.
 */
export function checkNext(context: StepContext, cast: Statement<VoteCast>): void {
  const { draft } = context;
  const about = { kind: "proposal", name: cast.payload.proposal_id };
  const own = allBy(draft, about, cast.signer).filter(isVote).toSorted(compareStatements);
  if (own.some(({ identity }) => draft.get(VoteChecks, identity)?.state === "reading")) return;
  let open = parentsOf<ProposalCreate>(draft, cast);
  for (const vote of own) {
    const valid = open.filter((create) => isInWindow(create, vote.timestamp));
    if (draft.get(StakeReadings, vote.identity) !== undefined) open = open.filter((create) => !valid.includes(create));
    else if (valid.length > 0 && draft.get(VoteChecks, vote.identity) === undefined && takeUp(context, vote)) return;
  }
}

/** Takes up votes that found no place before, those first that came first, as many as there is room for now. */
export function resumeWaiting(context: StepContext): void {
  const { draft } = context;
  const room = Math.min(VOTE_CHECKS_MAX - checksUnderWay(context), STAKE_READS_MAX);
  for (const key of firstOf(draft.keys(VotesWaiting), room)) {
    const vote = draft.get(Statements, known(draft.get(VotesWaiting, key), "a vote that waits").vote);
    draft.put(VotesWaiting, key, undefined);
    if (vote !== undefined && isVote(vote)) checkNext(context, vote);
  }
}

export function checksUnderWay({ draft }: StepContext): number {
  return draft.count(VoteChecks, "state", "reading");
}

/** Gives up what is out of time, then asks for the stakes that are due and for what roles need. */
export function askStakes(context: StepContext): void {
  for (const [identity, check] of underWay(context)) {
    if (check.until !== 0n && context.now >= check.until) giveUp(context, identity, check, "timeout");
  }
  const due = underWay(context)
    .filter(([, check]) => check.due <= context.now)
    .slice(0, STAKE_READS_MAX);
  let newest = 0n;
  for (const [identity, check] of due) {
    if (check.slot > newest) newest = check.slot;
    context.draft.put(VoteChecks, identity, asked(context, check));
    context.emit({ type: "chain.read", address: check.stake_account, slot: check.slot });
  }
  if (due.length > 0) ruleOf(context.configuration, askMinima)(context, newest);
}

/** Asks for what roles need, as of a slot. */
export function askMinima(context: StepContext, slot: bigint): void {
  context.emit({ type: "chain.read", address: stakingConfigAddress(context), slot });
}

/** A stake account, or the staking program's configuration, that was read. */
export function onStakeAccount(
  context: StepContext,
  seen: Extract<ChainObservation, { readonly type: "account" }>,
): void {
  if (context.draft.get(StakingMinima, seen.address) !== undefined) return onStakingConfig(context, seen);
  for (const identity of [...context.draft.find(VoteChecks, "address", seen.address)]) {
    const check = context.draft.get(VoteChecks, identity);
    if (check === undefined || seen.slot < check.slot) continue;
    const isThere = seen.account !== null && !isUnused(seen.account);
    const told = isThere ? stakeIn(context, check, seen.account) : null;
    if (told === null) forget(context, identity, check);
    else if (typeof told === "string") conclude(context, identity, check, told, seen.slot);
    else decide(context, identity, { ...check, stake: { ...told, slot: seen.slot } });
  }
}

/** The voter's stake in an account, or why it is none. */
function stakeIn(
  context: StepContext,
  { voter_public_key }: VoteCheck,
  account: ChainAccountBytes,
): { readonly role: number; readonly amount: bigint } | ValidationError {
  const read = readStake(chainProfileOf(context), account);
  if (!read.ok) return read.error === "WRONG_OWNER" ? "wrong program" : "not a stake account";
  if (read.value.owner !== voter_public_key) return "another's stake";
  return { role: read.value.role, amount: read.value.amount };
}

/** There is nothing now, whatever was read before. */
function forget(context: StepContext, identity: string, check: VoteCheck): void {
  if (check.found === null && check.stake === null) return;
  context.draft.put(VoteChecks, identity, { ...check, stake: null, found: null, readings: 0, due: context.now });
}

function onStakingConfig(context: StepContext, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  const held = context.draft.get(StakingMinima, seen.address);
  if (seen.account === null || held === undefined || seen.slot < held.slot) return;
  const read = decodeAccount(stakingConfig, chainProfileOf(context), seen.account);
  if (!read.ok) return;
  context.draft.put(StakingMinima, seen.address, { slot: seen.slot, by_role: read.value.min_stake_by_role });
  for (const [identity, check] of underWay(context)) if (check.stake !== null) decide(context, identity, check);
}

/** A reading is whole once everything that weighs a stake was read as of the check's slot or later. */
function decide(context: StepContext, identity: string, check: VoteCheck): void {
  const { draft, configuration } = context;
  draft.put(VoteChecks, identity, check);
  if (check.stake === null) return;
  const { role, amount, slot } = check.stake;
  const minimum = ruleOf(configuration, minimumFor)(context, check, role);
  if (minimum === undefined) return;
  const newest = minimaFor(context, check)?.slot ?? slot;
  const told = minimum === "unknown role" ? minimum : { stake_account: check.stake_account, role, amount, minimum };
  conclude(context, identity, check, told, newest > slot ? newest : slot);
}

/** Notes a whole reading; enough of them that agree count. */
function conclude(
  context: StepContext,
  identity: string,
  check: VoteCheck,
  told: StakeReading | ValidationError,
  slot: bigint,
): void {
  const { draft, configuration } = context;
  const found = typeof told === "string" ? told : `${told.role} ${told.amount} ${told.minimum}`;
  const readings = found === check.found ? check.readings + 1 : 1;
  if (readings < ruleOf(configuration, readingsThatCount)(typeof told === "string")) {
    const anew = { stake: null, slot: slot + 1n, due: context.now };
    return draft.put(VoteChecks, identity, { ...check, ...anew, found, readings });
  }
  if (typeof told === "string") return giveUp(context, identity, check, told);
  draft.put(VoteChecks, identity, undefined);
  draft.put(StakeReadings, identity, told);
  const fold = foldOf(context);
  markGovernanceFact(draft, StakeReadings.name, identity, fold.mark);
  fold.run();
  continueAfter(context, identity);
}

/** What a role needs, nothing when it is not read yet; `null` where no role needs anything. */
export function minimumFor(
  context: StepContext,
  check: VoteCheck,
  role: number,
): bigint | null | "unknown role" | undefined {
  const minima = minimaFor(context, check);
  return minima === undefined ? undefined : (minima.by_role[role] ?? "unknown role");
}

/** What roles need, when it was read as of a check's slot or later. */
function minimaFor(context: StepContext, check: VoteCheck): { by_role: readonly bigint[]; slot: bigint } | undefined {
  const minima = context.draft.get(StakingMinima, stakingConfigAddress(context));
  if (minima === undefined || minima.by_role === null || minima.slot < check.slot) return undefined;
  return { by_role: minima.by_role, slot: minima.slot };
}

/** Puts a vote into the queue. False when it can never be read, so that the voter's next one gets its turn. */
function takeUp(context: StepContext, { identity, payload, signer }: Statement<VoteCast>): boolean {
  const { voter_public_key, stake_account } = payload;
  const own = context.draft.get(SlotObservations, OWN);
  const check: VoteCheck = {
    state: "reading",
    voter_public_key,
    stake_account,
    slot: own?.slot ?? 0n,
    reads: 0,
    due: context.now,
    until: 0n as EpochMillis,
    stake: null,
    found: null,
    readings: 0,
  };
  if (parseAddress(stake_account) === undefined) {
    close(context, identity, check, "no such address");
    return false;
  }
  if (checksUnderWay(context) < VOTE_CHECKS_MAX) context.draft.put(VoteChecks, identity, check);
  else context.draft.put(VotesWaiting, `${payload.proposal_id}/${signer}`, { vote: identity });
  return true;
}

/** One more read. */
function asked(context: StepContext, check: VoteCheck): VoteCheck {
  const until = check.until === 0n ? later(context.now, VERIFY_TICKS_MAX * READ_EVERY_MS) : check.until;
  const shows = check.found !== null || check.stake !== null;
  const waitMs = shows ? READ_EVERY_MS : ruleOf(context.configuration, waitMsAfter)(check.reads);
  return { ...check, reads: check.reads + 1, due: later(context.now, waitMs), until };
}

/** After how long a stake is read again, in milliseconds: each time twice as long. */
export function waitMsAfter(reads: number): number {
  return READ_EVERY_MS * (1 << Math.min(reads, 5));
}

function giveUp(context: StepContext, identity: string, check: VoteCheck, why: ValidationError): void {
  close(context, identity, check, why);
  continueAfter(context, identity);
}

function close(context: StepContext, identity: string, check: VoteCheck, why: ValidationError): void {
  context.draft.put(VoteChecks, identity, { ...check, state: "given-up", stake: null });
  context.emit({ type: "log", level: "info", event: "vote not counted", fields: { vote: identity, why } });
}

function continueAfter(context: StepContext, identity: string): void {
  const vote = context.draft.get(Statements, identity);
  if (vote !== undefined && isVote(vote)) checkNext(context, vote);
}

/** What is being read, longest due first. */
function underWay({ draft }: StepContext): [string, VoteCheck][] {
  return draft
    .find(VoteChecks, "state", "reading")
    .flatMap((identity): [string, VoteCheck][] => {
      const check = draft.get(VoteChecks, identity);
      return check === undefined ? [] : [[identity, check]];
    })
    .sort(([a, left], [b, right]) => (left.due !== right.due ? (left.due < right.due ? -1 : 1) : a < b ? -1 : 1));
}

/** Derived once; the row remembers it. */
function stakingConfigAddress(context: StepContext): string {
  for (const address of context.draft.keys(StakingMinima)) return address;
  const { address } = chainAddresses(context.crypto, chainProfileOf(context)).stakingConfig();
  context.draft.put(StakingMinima, address, { slot: 0n, by_role: null });
  return address;
}

function isVote(statement: Statement): statement is Statement<VoteCast> {
  return statement.type.name === VoteCast.name;
}
