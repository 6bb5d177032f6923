/**
 * The staking program as one table: discriminator to rules. Source: protocol 03 D.4.
 */
import type { StakingInstruction } from "../instruction-parts.ts";
import type { Handler } from "./call.ts";
import { programOf } from "./program-table.ts";
import { slash } from "./slash.ts";
import { initializeStakeAccount, requestUnstake, stakeTokens, withdrawUnstaked } from "./stake.ts";

const handlers: Readonly<Record<StakingInstruction, Handler>> = {
  initialize_stake_account: initializeStakeAccount,
  stake: stakeTokens,
  request_unstake: requestUnstake,
  withdraw_unstaked: withdrawUnstaked,
  slash,
};

/** Runs the instruction that the data names. */
export const stakingProgram: Handler = programOf(handlers);
