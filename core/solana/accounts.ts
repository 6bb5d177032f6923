/**
 * Account layouts of the programs: one definition per account decodes it, and encodes it for the simulated chain.
 * Decoders walk, never index: variable parts move what follows. Bytes after the last field may be leftovers of an
 * earlier, longer value and are ignored. Source: protocol 03 D.3, A.10.2.
 */

import type { Result } from "../kernel/result.ts";
import { err, ok } from "../kernel/result.ts";
import type { ChainProfile } from "./addresses.ts";
import { systemProgram } from "./addresses.ts";
import type { Field } from "./layout.ts";
import { array, bool, hex, i64, option, pk, raw, startsWith, struct, u8, u16, u32, u64, vec } from "./layout.ts";

/** Seats of one round, and most wallets barred from one case. Source: protocol 03 D.3. */
export const SEATS_MAX = 7;
/** Places for arbitrators barred from a round. Source: protocol 03 D.3. */
export const BARRED_MAX = 14;
/** Places for mints in the fee configuration. Source: protocol 03 D.3. */
export const SETTLEMENT_MINTS_MAX = 16;

/** State byte of a trade escrow, by index. Source: protocol 03 D.3. */
export const vaultStates = [
  "Available",
  "Reserved",
  "AwaitingFiatSettlement",
  "Released",
  "Cancelled",
  "Frozen",
] as const;
/** On-chain outcome byte, by index, in the words of a dispute's `resolution`. Source: protocol 03 A.4.4, D.3. */
export const outcomes = ["BuyerWins", "MerchantWins", "MutualSettlement", "Invalid"] as const;
/** Terminal reason byte, by index. Source: protocol 03 D.3. */
export const terminalReasons = ["NoConsensus", "QuorumNotReached", "RoundUnstaffed", "PoolExhausted"] as const;

/** Where a vault or an escrow stands. */
export type VaultState = (typeof vaultStates)[number];
export type ChainOutcome = (typeof outcomes)[number];
/** Why a case is over. */
export type TerminalReason = (typeof terminalReasons)[number];

/** Which program owns an account: the name of its id in the profile. */
type OwningProgram = "escrowProgram" | "stakingProgram" | "governanceProgram";

/** One kind of account: who owns it, how it begins, how many bytes are allocated, and its fields. */
export interface AccountLayout<T> {
  readonly owner: OwningProgram;
  readonly discriminator: Uint8Array;
  readonly bytesAllocated: number;
  readonly fields: Field<T>;
}

/** The layout of a merchant's vault. */
export const liquidityVault = layout(
  "escrowProgram",
  "dda6342e0daeb563",
  114,
  struct({
    merchant: pk,
    mint: pk,
    total: u64,
    reserved: u64,
    available: u64,
    settled: u64,
    pending_settlement: u64,
    bump: u8,
    token_bump: u8,
  }),
);

/** The layout of a trade's escrow. */
export const tradeEscrow = layout(
  "escrowProgram",
  "40de25bd51062756",
  140,
  struct({
    reservation_id: u64,
    buyer: pk,
    seller: pk,
    mint: pk,
    amount: u64,
    state: u8,
    approved: bool,
    created_at: i64,
    timeout_at: i64,
    bump: u8,
    token_bump: u8,
  }),
);

/** The layout of the fee configuration. */
export const feeConfig = layout(
  "escrowProgram",
  "8f3492bbdb7b4c9b",
  726,
  struct({
    admin: pk,
    ad_listing_fee: u64,
    dispute_filing_fee: u64,
    settlement_fee_bps: u16,
    /** dev, ecosystem, infra, emergency. */
    treasuries: array(pk, 4),
    share_bps: array(u16, 4),
    timeout_secs: i64,
    bump: u8,
    min_arbitrator_stake_age_secs: i64,
    arbitrator_sortition_bps: u16,
    settlement_mints: array(pk, SETTLEMENT_MINTS_MAX),
    settlement_mint_count: u8,
  }),
);

/** The rules of arbitration as the escrow program keeps them. */
export const arbitrationPolicy = layout(
  "escrowProgram",
  "82893f64d5fc4659",
  53,
  struct({
    admin: pk,
    eligible_arbitrators: u32,
    updated_at: i64,
    bump: u8,
  }),
);

/** The layout of a case. */
export const disputeCase = layout(
  "escrowProgram",
  "a4c836ef5e4c3382",
  1241,
  struct({
    reservation_id: u64,
    trade_escrow: pk,
    opened_at: i64,
    commit_deadline: i64,
    reveal_deadline: i64,
    resolved: bool,
    round: u8,
    commit_window_secs: i64,
    reveal_window_secs: i64,
    case_seed: raw(32),
    round_opened_at: i64,
    arbitrators: vec(pk, SEATS_MAX),
    commitments: vec(raw(32), SEATS_MAX),
    revealed_outcomes: vec(option(u8), SEATS_MAX),
    weights: vec(u64, SEATS_MAX),
    reward_claimed: vec(bool, SEATS_MAX),
    barred: vec(pk, BARRED_MAX),
    deposit_vault: pk,
    deposit_mint: pk,
    deposit: u64,
    deposit_shortfall: u64,
    outcome: option(u8),
    winning_weight: u64,
    reward_pool: u64,
    reward_remaining: u64,
    deposit_settled: bool,
    bump: u8,
    seats_taken_total: u32,
    terminal_reason: option(u8),
  }),
);

/** The layout of what a merchant is owed of recovered stakes. */
export const stakeRecoveryClaim = layout(
  "escrowProgram",
  "d1fc76b484290d9f",
  93,
  struct({
    merchant: pk,
    mint: pk,
    owed_total: u64,
    credited_total: u64,
    case_count: u32,
    bump: u8,
  }),
);

/** The layout of a stake. */
export const stakeAccount = layout(
  "stakingProgram",
  "509e437c32bdc0ff",
  90,
  struct({
    owner: pk,
    role: u8,
    amount: u64,
    unbonding_amount: u64,
    unbonding_release_at: i64,
    slashed_total: u64,
    pending_rewards: u64,
    bump: u8,
    first_staked_at: i64,
  }),
);

/** The layout of the staking program's configuration. */
export const stakingConfig = layout(
  "stakingProgram",
  "2d86fc5225395419",
  285,
  struct({
    admin: pk,
    mint: pk,
    min_stake_by_role: array(u64, 7),
    unbonding_secs_by_role: array(i64, 7),
    slash_bps: u16,
    slashing_authority: pk,
    slash_destination: pk,
    rewards_authority: pk,
    bump: u8,
    stake_vault_bump: u8,
    rewards_vault_bump: u8,
  }),
);

/** The layout of what a merchant was paid of recovered stakes. */
export const stakeRecoveryReceipt = layout(
  "stakingProgram",
  "4a394af1d650bb6c",
  53,
  struct({
    merchant: pk,
    recovered_total: u64,
    recovery_count: u32,
    bump: u8,
  }),
);

/** Its existence is the ban. */
export const banRecord = layout(
  "governanceProgram",
  "8eb2cf554bcff895",
  114,
  struct({
    wallet: pk,
    reason: u8,
    evidence_hash: raw(32),
    listed_at: i64,
    authorizing_proposal: pk,
    bump: u8,
  }),
);

/** A merchant's vault as the escrow program keeps it. */
export type LiquidityVault = LayoutValue<typeof liquidityVault>;
/** A trade's escrow as the escrow program keeps it. */
export type TradeEscrow = LayoutValue<typeof tradeEscrow>;
/** The fee configuration as the escrow program keeps it. */
export type FeeConfig = LayoutValue<typeof feeConfig>;
export type ArbitrationPolicy = LayoutValue<typeof arbitrationPolicy>;
/** A case as the escrow program keeps it. */
export type DisputeCase = LayoutValue<typeof disputeCase>;
export type StakeRecoveryClaim = LayoutValue<typeof stakeRecoveryClaim>;
/** A stake as the staking program keeps it. */
export type StakeAccount = LayoutValue<typeof stakeAccount>;
/** The staking program's configuration. */
export type StakingConfig = LayoutValue<typeof stakingConfig>;
export type StakeRecoveryReceipt = LayoutValue<typeof stakeRecoveryReceipt>;

/** Why an account cannot be read as what it was taken for. */
export type AccountDefect = "WRONG_OWNER" | "WRONG_DISCRIMINATOR" | "MALFORMED";

/** What a node may know about a dispute case; rules never see bytes. Source: protocol 03 part E. */
export interface CaseReading {
  readonly reservationId: bigint;
  readonly tradeEscrow: string;
  readonly resolved: boolean;
  readonly outcome: ChainOutcome | null;
  readonly round: number;
  readonly terminalReason: TerminalReason | null;
}

/** Whether nobody made this account yet: lamports may lie there, since anybody can pay some to any address. */
export function isUnused({ owner, data }: { readonly owner: string; readonly data: Uint8Array }): boolean {
  return owner === systemProgram && data.length === 0;
}

/** Owner, discriminator, then every field. Source: protocol 03 A.10.2, D.3. */
export function decodeAccount<T>(
  kind: AccountLayout<T>,
  profile: ChainProfile,
  account: { readonly owner: string; readonly data: Uint8Array },
): Result<T, AccountDefect> {
  if (account.owner !== profile[kind.owner]) return err("WRONG_OWNER");
  if (!startsWith(account.data, kind.discriminator)) return err("WRONG_DISCRIMINATOR");
  const read = kind.fields.read(account.data, kind.discriminator.length);
  return read === undefined ? err("MALFORMED") : ok(read.value);
}

/** The account's bytes at their allocated length, unused bytes zero. Source: protocol 03 D.3. */
export function encodeAccount<T>(kind: AccountLayout<T>, value: T): Uint8Array {
  const data = new Uint8Array(kind.bytesAllocated);
  data.set(kind.discriminator);
  data.set(kind.fields.write(value), kind.discriminator.length);
  return data;
}

/** The decision of a case. An outcome or reason byte outside the tables is malformed. Source: protocol 03 A.10.2. */
export function readCase(
  profile: ChainProfile,
  account: { readonly owner: string; readonly data: Uint8Array },
): Result<CaseReading, AccountDefect> {
  const decoded = decodeAccount(disputeCase, profile, account);
  if (!decoded.ok) return decoded;
  const { value } = decoded;
  const outcome = named(outcomes, value.outcome);
  const terminalReason = named(terminalReasons, value.terminal_reason);
  if (outcome === undefined || terminalReason === undefined) return err("MALFORMED");
  return ok({
    reservationId: value.reservation_id,
    tradeEscrow: value.trade_escrow,
    resolved: value.resolved,
    outcome,
    round: value.round,
    terminalReason,
  });
}

type LayoutValue<L> = L extends AccountLayout<infer T> ? T : never;

/** The name of an optional enum byte; undefined when the byte has none. */
export function named<N extends string>(names: readonly N[], byte: number | null): N | null | undefined {
  return byte === null ? null : names[byte];
}

/** Declares a layout; the discriminator in hexadecimal. */
export function layout<T>(
  owner: OwningProgram,
  discriminator: string,
  bytesAllocated: number,
  fields: Field<T>,
): AccountLayout<T> {
  return { owner, discriminator: hex(discriminator), bytesAllocated, fields };
}
