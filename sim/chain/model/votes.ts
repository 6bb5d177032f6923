/**
 * Arbitrators' seats and votes: commit takes a seat with the stake of that moment, reveal opens the vote.
 * Source: protocol 03 D.8 (order of checks, seat draw), W-14 (commitment preimage), E6, E7.
 */

import { concat, equalBytes, utf8 } from "../../../core/index.ts";
import type { DisputeCase, FeeConfig, StakeAccount, StakingConfig } from "../../../core/testing.ts";
import {
  addressBytes,
  known,
  outcomes,
  raw,
  SEATS_MAX,
  stakeAccount,
  stakeRoles,
  struct,
  u8,
  u64,
} from "../../../core/testing.ts";
import type { Call, Handler } from "./call.ts";
import { addressAt, begin, invalidAccount, invalidData, load, refuse } from "./call.ts";
import { isParty, saveCase } from "./case-account.ts";
import { caseAt, feeConfigAt, isUntouched, stakingConfigAt } from "./identity.ts";

const revealArgs = struct({ outcome: u8, salt: raw(32) });

const commitArgs = struct({ commitment: raw(32) });

/** Tickets of the draw are below this. Source: protocol 03 D.8. */
const TICKETS = 10_000n;
/** Steps in which the threshold doubles until everybody qualifies. Source: protocol 03 D.8. */
const DRAW_STEPS = 8n;

/** arbitrator, case, staking_config, stake account, fee_config. */
export const commitDisputeVote: Handler = (call) => {
  const begun = begin(call, commitArgs, "swrrr");
  if (!begun.ok) return begun.error;
  const found = caseAt(call, 1);
  const staking = stakingConfigAt(call, 2);
  const config = feeConfigAt(call, 4);
  const arbitrator = addressAt(call, 0);
  if (found === undefined || staking === undefined || config === undefined) return invalidAccount;
  const stake = stakeAt(call, 3, arbitrator);
  if (stake === undefined) return invalidAccount;
  if (stake === null || effectiveStake(stake, staking) === 0n) return refuse("ArbitratorStakeBelowMinimum");
  if (call.now - stake.first_staked_at < config.min_arbitrator_stake_age_secs) return refuse("ArbitratorStakeTooYoung");
  if (call.now >= found.commit_deadline) return refuse("CommitWindowClosed");
  if (found.barred.includes(arbitrator) || isParty(call, 1, found, arbitrator))
    return refuse("ArbitratorBarredFromCase");
  if (!isDrawn(call, found, config, addressAt(call, 3))) return refuse("NotDrawnForThisCase");
  if (found.arbitrators.includes(arbitrator)) return refuse("AlreadyCommitted");
  if (found.arbitrators.length >= SEATS_MAX) return refuse("DisputeCaseFull");
  saveCase(call, 1, {
    ...found,
    arbitrators: [...found.arbitrators, arbitrator],
    commitments: [...found.commitments, begun.value.commitment],
    revealed_outcomes: [...found.revealed_outcomes, null],
    weights: [...found.weights, effectiveStake(stake, staking)],
    seats_taken_total: found.seats_taken_total + 1,
  });
  return undefined;
};

/** arbitrator, case, staking_config, stake account. */
export const revealDisputeVote: Handler = (call) => {
  const begun = begin(call, revealArgs, "swrr");
  if (!begun.ok) return begun.error;
  const { outcome, salt } = begun.value;
  if (outcome >= outcomes.length) return invalidData;
  const found = caseAt(call, 1);
  const staking = stakingConfigAt(call, 2);
  const arbitrator = addressAt(call, 0);
  const stake = stakeAt(call, 3, arbitrator);
  if (found === undefined || staking === undefined || stake === undefined) return invalidAccount;
  if (call.now < found.commit_deadline || call.now >= found.reveal_deadline) return refuse("NotInRevealWindow");
  const seat = found.arbitrators.indexOf(arbitrator);
  if (seat < 0) return refuse("NoCommitmentFound");
  if (found.revealed_outcomes[seat] !== null) return refuse("AlreadyRevealed");
  const opened = call.sha256(commitmentPreimage(outcome, salt, addressAt(call, 1), arbitrator));
  if (!equalBytes(opened, known(found.commitments[seat], "a seat has a commitment")))
    return refuse("CommitmentMismatch");
  saveCase(call, 1, {
    ...found,
    revealed_outcomes: found.revealed_outcomes.map((vote, place) => (place === seat ? outcome : vote)),
  });
  return undefined;
};

/** outcome ‖ salt ‖ case address ‖ arbitrator key, 97 bytes. Source: protocol 03 W-14, H.1. */
export function commitmentPreimage(
  outcome: number,
  salt: Uint8Array,
  caseAddress: string,
  arbitrator: string,
): Uint8Array {
  return concat(Uint8Array.of(outcome), salt, addressBytes(caseAddress), addressBytes(arbitrator));
}

/** The amount when it reaches the role's minimum, else nothing. Source: protocol 03 D.3. */
function effectiveStake(stake: StakeAccount | null, staking: StakingConfig): bigint {
  const minimum = known(staking.min_stake_by_role[stakeRoles.Arbitrator], "seven roles");
  return stake !== null && stake.amount >= minimum ? stake.amount : 0n;
}

/** The arbitrator's stake account: null when it has none, undefined when the account is something else. */
function stakeAt(call: Call, index: number, arbitrator: string): StakeAccount | null | undefined {
  if (addressAt(call, index) !== call.at.stakeAccount(arbitrator, stakeRoles.Arbitrator).address) return undefined;
  return isUntouched(call, index) ? null : load(call, index, stakeAccount);
}

/** Whether the stake account's ticket is below the threshold of this moment. Source: protocol 03 D.8. */
function isDrawn(call: Call, found: DisputeCase, config: FeeConfig, stakeAddress: string): boolean {
  const initial = BigInt(config.arbitrator_sortition_bps);
  return (
    initial === 0n || sortitionTicket(call.sha256, found.case_seed, stakeAddress) < threshold(call.now, found, initial)
  );
}

/** First 8 bytes, little-endian, of s(`openfiat-arbitrator-sortition` ‖ seed ‖ stake account), mod 10,000. */
export function sortitionTicket(
  sha256: (bytes: Uint8Array) => Uint8Array,
  seed: Uint8Array,
  stakeAddress: string,
): bigint {
  const digest = sha256(concat(utf8("openfiat-arbitrator-sortition"), seed, addressBytes(stakeAddress)));
  return known(u64.read(digest, 0), "eight bytes").value % TICKETS;
}

/** Doubles with each eighth of the commit window; in the last one everybody qualifies. Source: protocol 03 D.8. */
function threshold(now: bigint, found: DisputeCase, initial: bigint): bigint {
  const window = found.commit_deadline - found.round_opened_at;
  if (window <= 0n || initial >= TICKETS) return TICKETS;
  const since = now - found.round_opened_at;
  const elapsed = since < 0n ? 0n : since > window ? window : since;
  const step = (elapsed * DRAW_STEPS) / window;
  if (step >= DRAW_STEPS - 1n) return TICKETS;
  const grown = initial << step;
  return grown < TICKETS ? grown : TICKETS;
}
