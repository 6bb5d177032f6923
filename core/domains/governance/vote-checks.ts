/**
 * Reading the stake behind votes: one vote of a voter on a proposal at a time, each read at doubling distances for
 * thirty ticks. What was read becomes a fact about that vote; a vote without one is kept and never counted.
 * Source: OFS-4000; protocol 04 §3.5, §3.8, §3.11; 01 §13.2.
 */

import { ruleOf } from "../../engine/overrides.ts";
import { parentsOf, Statements, slot } from "../../engine/statements/table.ts";
import type { Turn } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import type { ChainObservation } from "../../inputs.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareStatements } from "../../kernel/signed.ts";
import { recordsOf } from "../../kernel/table.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { decodeAccount, stakingConfig } from "../../solana/accounts.ts";
import { parseAddress } from "../../solana/address-text.ts";
import { chainAddresses } from "../../solana/addresses.ts";
import { readStake } from "../../solana/governance-accounts.ts";
import { OWN, SlotObservations } from "../chain-bridge/view.ts";
import { chainProfileOf } from "./chain-links.ts";
import { markGovernanceFact } from "./fold.ts";
import { isInWindow } from "./rules.ts";
import type { ProposalCreate } from "./schema.ts";
import { VoteCast } from "./schema.ts";
import type { VoteCheck } from "./tables.ts";
import { ReadingFlags, StakeReadings, StakingMinima, VoteChecks } from "./tables.ts";

/** Between two looks at the chain, in milliseconds. Source: protocol 04 §3.8. */
export const READ_EVERY_MS = 10_000;
/** Ticks after which a vote whose stake does not show is given up. Source: protocol 04 §3.8; 01 §13.2. */
export const VERIFY_TICKS_MAX = 30;
/** Votes whose stake is being read at most. Source: protocol 04 §3.11. */
export const VOTE_CHECKS_MAX = 1_024;
/** Stake accounts read in one tick at most. Source: DESIGN L10. */
export const STAKE_READS_MAX = 64;

const WAITING = "votes-wait";

/** Why a vote is not counted on this node. */
type Flaw =
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
export function checkNext(turn: Turn, cast: Statement<VoteCast>): void {
  const { draft } = turn;
  const about = slot({ kind: "proposal", name: cast.payload.proposal_id });
  const own = recordsOf(draft, Statements, "by", `${about}/${cast.signer}`).filter(isVote).sort(compareStatements);
  if (own.some(({ identity }) => draft.get(VoteChecks, identity)?.state === "reading")) return;
  let open = parentsOf<ProposalCreate>(draft, cast);
  for (const vote of own) {
    const valid = open.filter((create) => isInWindow(create, vote.timestamp));
    if (draft.get(StakeReadings, vote.identity) !== undefined) open = open.filter((create) => !valid.includes(create));
    else if (valid.length > 0 && draft.get(VoteChecks, vote.identity) === undefined && takeUp(turn, vote)) return;
  }
}

/** Whether votes wait because the queue was full, and there is room again. */
export function canResume(turn: Turn): boolean {
  if (turn.draft.get(ReadingFlags, WAITING) === undefined || checksUnderWay(turn) >= VOTE_CHECKS_MAX) return false;
  turn.draft.put(ReadingFlags, WAITING, undefined);
  return true;
}

export function checksUnderWay({ draft }: Turn): number {
  return draft.find(VoteChecks, "state", "reading").length;
}

/** Gives up what is out of time, then asks for the stakes that are due and for what roles need. */
export function askStakes(turn: Turn): void {
  for (const [identity, check] of underWay(turn)) {
    if (check.until !== 0n && turn.now >= check.until) giveUp(turn, identity, check, "timeout");
  }
  const due = underWay(turn)
    .filter(([, check]) => check.due <= turn.now)
    .slice(0, STAKE_READS_MAX);
  let newest = 0n;
  for (const [identity, check] of due) {
    if (check.slot > newest) newest = check.slot;
    turn.draft.put(VoteChecks, identity, asked(turn, check));
    turn.emit({ type: "chain.read", address: check.stake_account, slot: check.slot });
  }
  if (due.length > 0) ruleOf(turn.configuration, askMinima)(turn, newest);
}

/** Asks for what roles need, as of a slot. */
export function askMinima(turn: Turn, slot: bigint): void {
  turn.emit({ type: "chain.read", address: stakingConfigAddress(turn), slot });
}

/** A stake account, or the staking program's configuration, that was read. */
export function onStakeAccount(turn: Turn, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  if (seen.account === null) return;
  if (turn.draft.get(StakingMinima, seen.address) !== undefined) return onStakingConfig(turn, seen);
  for (const identity of [...turn.draft.find(VoteChecks, "address", seen.address)]) {
    const check = turn.draft.get(VoteChecks, identity);
    if (check === undefined || seen.slot < check.slot) continue;
    const read = readStake(chainProfileOf(turn), seen.account);
    if (!read.ok) {
      giveUp(turn, identity, check, read.error === "WRONG_OWNER" ? "wrong program" : "not a stake account");
    } else if (read.value.owner !== check.voter_public_key) {
      giveUp(turn, identity, check, "another's stake");
    } else {
      const { role, amount } = read.value;
      decide(turn, identity, { ...check, stake: { role, amount } });
    }
  }
}

function onStakingConfig(turn: Turn, seen: Extract<ChainObservation, { readonly type: "account" }>): void {
  const held = turn.draft.get(StakingMinima, seen.address);
  if (seen.account === null || held === undefined || seen.slot < held.slot) return;
  const read = decodeAccount(stakingConfig, chainProfileOf(turn), seen.account);
  if (!read.ok) return;
  turn.draft.put(StakingMinima, seen.address, { slot: seen.slot, by_role: read.value.min_stake_by_role });
  for (const [identity, check] of underWay(turn)) if (check.stake !== null) decide(turn, identity, check);
}

/** Records the stake once everything that weighs it was read as of the vote's slot or later. */
function decide(turn: Turn, identity: string, check: VoteCheck): void {
  const { draft, configuration } = turn;
  draft.put(VoteChecks, identity, check);
  if (check.stake === null) return;
  const minimum = ruleOf(configuration, minimumFor)(turn, check, check.stake.role);
  if (minimum === undefined) return;
  if (minimum === "unknown role") return giveUp(turn, identity, check, minimum);
  draft.put(VoteChecks, identity, undefined);
  draft.put(StakeReadings, identity, { stake_account: check.stake_account, ...check.stake, minimum });
  const fold = foldOf(turn);
  markGovernanceFact(draft, StakeReadings.name, identity, fold.mark);
  fold.run();
  continueAfter(turn, identity);
}

/** What a role needs, nothing when it is not read yet; `null` where no role needs anything. */
export function minimumFor(turn: Turn, check: VoteCheck, role: number): bigint | null | "unknown role" | undefined {
  const minima = minimaFor(turn, check);
  return minima === undefined ? undefined : (minima[role] ?? "unknown role");
}

/** What roles need, when it was read as of a vote's slot or later. */
function minimaFor(turn: Turn, check: VoteCheck): readonly bigint[] | undefined {
  const minima = turn.draft.get(StakingMinima, stakingConfigAddress(turn));
  return minima === undefined || minima.by_role === null || minima.slot < check.slot ? undefined : minima.by_role;
}

/** Puts a vote into the queue. False when it can never be read, so that the voter's next one gets its turn. */
function takeUp(turn: Turn, { identity, payload }: Statement<VoteCast>): boolean {
  const { voter_public_key, stake_account } = payload;
  const own = turn.draft.get(SlotObservations, OWN);
  const check: VoteCheck = {
    state: "reading",
    voter_public_key,
    stake_account,
    slot: own?.slot ?? 0n,
    reads: 0,
    due: turn.now,
    until: 0n as EpochMillis,
    stake: null,
  };
  if (parseAddress(stake_account) === undefined) {
    close(turn, identity, check, "no such address");
    return false;
  }
  if (checksUnderWay(turn) < VOTE_CHECKS_MAX) turn.draft.put(VoteChecks, identity, check);
  else turn.draft.put(ReadingFlags, WAITING, {});
  return true;
}

/** One more read. */
function asked(turn: Turn, check: VoteCheck): VoteCheck {
  const until = check.until === 0n ? later(turn.now, VERIFY_TICKS_MAX * READ_EVERY_MS) : check.until;
  const waitMs = ruleOf(turn.configuration, waitMsAfter)(check.reads);
  return { ...check, reads: check.reads + 1, due: later(turn.now, waitMs), until };
}

/** After how long a stake is read again, in milliseconds: each time twice as long. */
export function waitMsAfter(reads: number): number {
  return READ_EVERY_MS * (1 << Math.min(reads, 5));
}

function giveUp(turn: Turn, identity: string, check: VoteCheck, why: Flaw): void {
  close(turn, identity, check, why);
  continueAfter(turn, identity);
}

function close(turn: Turn, identity: string, check: VoteCheck, why: Flaw): void {
  turn.draft.put(VoteChecks, identity, { ...check, state: "given-up", stake: null });
  turn.emit({ type: "log", level: "info", event: "vote not counted", fields: { vote: identity, why } });
}

function continueAfter(turn: Turn, identity: string): void {
  const vote = turn.draft.get(Statements, identity);
  if (vote !== undefined && isVote(vote)) checkNext(turn, vote);
}

/** What is being read, longest due first. */
function underWay({ draft }: Turn): [string, VoteCheck][] {
  return draft
    .find(VoteChecks, "state", "reading")
    .flatMap((identity): [string, VoteCheck][] => {
      const check = draft.get(VoteChecks, identity);
      return check === undefined ? [] : [[identity, check]];
    })
    .sort(([a, left], [b, right]) => (left.due !== right.due ? (left.due < right.due ? -1 : 1) : a < b ? -1 : 1));
}

/** Derived once; the row remembers it. */
function stakingConfigAddress(turn: Turn): string {
  for (const address of turn.draft.keys(StakingMinima)) return address;
  const { address } = chainAddresses(turn.crypto, chainProfileOf(turn)).stakingConfig();
  turn.draft.put(StakingMinima, address, { slot: 0n, by_role: null });
  return address;
}

function isVote(statement: Statement): statement is Statement<VoteCast> {
  return statement.type.name === VoteCast.name;
}
