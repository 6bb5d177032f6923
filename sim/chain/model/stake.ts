/**
 * A wallet's stake in a role: its account, what is put in, and the two steps by which it leaves.
 * Source: protocol 03 D.3, D.4, E5.
 */
import type { StakeAccount, StakingConfig } from "../../../core/testing.ts";
import { known, stakeAccount, stakeRoles, struct, u8, u64 } from "../../../core/testing.ts";
import type { Call, Handler } from "./call.ts";
import {
  addressAt,
  begin,
  I64_MAX,
  invalidAccount,
  invalidData,
  load,
  noArguments,
  refuse,
  save,
  U64_MAX,
} from "./call.ts";
import { holds, isBanned, isBanRecord, isMintOf, isSystem, stakingConfigAt } from "./identity.ts";
import { pay } from "./payment.ts";
import { encoded } from "./program-accounts.ts";
import { createAccount } from "./programs.ts";

const roleOnly = struct({ role: u8 });
const amountOnly = struct({ amount: u64 });
const ROLE_COUNT = Object.keys(stakeRoles).length;

/** owner, staking_config, stake account, system. */
export const initializeStakeAccount: Handler = (call) => {
  const begun = begin(call, roleOnly, "brwr");
  if (!begun.ok) return begun.error;
  const { role } = begun.value;
  if (role >= ROLE_COUNT) return invalidData;
  const owner = addressAt(call, 0);
  const derived = call.at.stakeAccount(owner, role);
  if (stakingConfigAt(call, 1) === undefined || addressAt(call, 2) !== derived.address) return invalidAccount;
  if (!isSystem(call, 3)) return invalidAccount;
  const data = encoded(stakeAccount, {
    owner,
    role,
    amount: 0n,
    unbonding_amount: 0n,
    unbonding_release_at: 0n,
    slashed_total: 0n,
    pending_rewards: 0n,
    bump: derived.bump,
    first_staked_at: 0n,
  });
  return createAccount(call.ledger, owner, derived.address, call.at.profile.stakingProgram, data);
};

/** owner, ban_record, OPEN mint, staking_config, stake account, stake vault, from, token program. */
export const stakeTokens: Handler = (call) => {
  const begun = begin(call, amountOnly, "srrrwwwr");
  if (!begun.ok) return begun.error;
  const { amount } = begun.value;
  const owner = addressAt(call, 0);
  const config = stakingConfigAt(call, 3);
  const stake = stakeOf(call, 4, owner);
  if (config === undefined || stake === undefined || !isBanRecord(call, 1, owner)) return invalidAccount;
  if (!isStakedMint(call, config, 2, 7) || !isStakeVault(call, config, 5) || !holds(call, 6, config.mint))
    return invalidAccount;
  if (isBanned(call, 1)) return refuse("WalletBanned");
  if (amount === 0n) return invalidData;
  const active = stake.amount + amount;
  if (active > U64_MAX) return refuse("Overflow");
  if (active < minimumOf(config, stake)) return refuse("StakeBelowMinimum");
  const refusal = pay(call, { mint: config.mint, from: 6, to: 5, authority: 0, amount });
  if (refusal !== undefined) return refusal;
  const first_staked_at = stake.amount === 0n ? call.now : stake.first_staked_at;
  save(call, 4, stakeAccount, { ...stake, amount: active, first_staked_at });
  return undefined;
};

/** owner, staking_config, stake account. */
export const requestUnstake: Handler = (call) => {
  const begun = begin(call, amountOnly, "srw");
  if (!begun.ok) return begun.error;
  const { amount } = begun.value;
  const config = stakingConfigAt(call, 1);
  const stake = stakeOf(call, 2, addressAt(call, 0));
  if (config === undefined || stake === undefined) return invalidAccount;
  if (amount === 0n) return invalidData;
  if (amount > stake.amount) return refuse("InsufficientStake");
  const active = stake.amount - amount;
  if (active > 0n && active < minimumOf(config, stake)) return refuse("StakeBelowMinimum");
  const seconds = known(config.unbonding_secs_by_role[stake.role], "seven roles");
  const unbonding_release_at = call.now + seconds;
  const unbonding_amount = stake.unbonding_amount + amount;
  if (seconds < 0n || unbonding_release_at > I64_MAX || unbonding_amount > U64_MAX) return refuse("Overflow");
  save(call, 2, stakeAccount, { ...stake, amount: active, unbonding_amount, unbonding_release_at });
  return undefined;
};

/** owner, OPEN mint, staking_config, stake account, stake vault, to, token program. */
export const withdrawUnstaked: Handler = (call) => {
  const begun = begin(call, noArguments, "srrwwwr");
  if (!begun.ok) return begun.error;
  const config = stakingConfigAt(call, 2);
  const stake = stakeOf(call, 3, addressAt(call, 0));
  if (config === undefined || stake === undefined || !isStakedMint(call, config, 1, 6)) return invalidAccount;
  if (!isStakeVault(call, config, 4) || !holds(call, 5, config.mint)) return invalidAccount;
  if (addressAt(call, 5) === addressAt(call, 4)) return invalidAccount;
  const amount = stake.unbonding_amount;
  if (amount === 0n) return refuse("NothingUnbonding");
  if (call.now < stake.unbonding_release_at) return refuse("StillUnbonding");
  const refusal = pay(call, { mint: config.mint, from: 4, to: 5, authority: 2, amount });
  if (refusal !== undefined) return refusal;
  save(call, 3, stakeAccount, { ...stake, unbonding_amount: 0n, unbonding_release_at: 0n });
  return undefined;
};

/** A stake at the derived address of the owner and the role it names. */
export function stakeAt(call: Call, index: number): StakeAccount | undefined {
  const stake = load(call, index, stakeAccount);
  if (stake === undefined || stake.role >= ROLE_COUNT) return undefined;
  return addressAt(call, index) === call.at.stakeAccount(stake.owner, stake.role).address ? stake : undefined;
}

/** The least that a stake of its role may be. Source: protocol 03 D.3. */
export function minimumOf(config: StakingConfig, stake: StakeAccount): bigint {
  return known(config.min_stake_by_role[stake.role], "seven roles");
}

/** Whether the accounts are the mint that is staked and the token program that owns it. */
export function isStakedMint(call: Call, config: StakingConfig, index: number, programIndex: number): boolean {
  return addressAt(call, index) === config.mint && isMintOf(call, index, programIndex);
}

/** Whether this is where the tokens of all stakes are, commanded by the configuration. */
export function isStakeVault(call: Call, config: StakingConfig, index: number): boolean {
  if (addressAt(call, index) !== call.at.stakeVault().address) return false;
  return holds(call, index, config.mint, call.at.stakingConfig().address);
}

function stakeOf(call: Call, index: number, owner: string): StakeAccount | undefined {
  const stake = stakeAt(call, index);
  return stake?.owner === owner ? stake : undefined;
}
