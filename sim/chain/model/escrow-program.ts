/**
 * The escrow program as one table: discriminator to rules. Source: protocol 03 D.4.
 */
import { fromHex } from "../../../core/index.ts";
import { known, startsWith } from "../../../core/testing.ts";
import type { InstructionName } from "../instruction-parts.ts";
import { instructionDiscriminators } from "../instruction-parts.ts";
import {
  claimArbitrationReward,
  initializeArbitrationPool,
  publishArbitratorPoolSize,
  topUpArbitrationDeposit,
} from "./arbitration.ts";
import type { Handler } from "./call.ts";
import { invalidData } from "./call.ts";
import { executeDisputeOutcome } from "./execute-dispute.ts";
import { initializeFeeConfig, updateFeeConfig } from "./fee-config.ts";
import { createLiquidityVault, depositLiquidity, reserveLiquidity, withdrawLiquidity } from "./liquidity.ts";
import { absorbStakeRecovery, chargeAdListingFee, migrateFeeConfig } from "./merchant-fees.ts";
import { openDisputeCase } from "./open-dispute.ts";
import {
  approveSettlement,
  cancelReservation,
  createTradeEscrow,
  expireReservation,
  fundTradeEscrow,
  releaseEscrow,
} from "./trade-escrow.ts";
import { commitDisputeVote, revealDisputeVote } from "./votes.ts";

const handlers: Readonly<Record<Exclude<InstructionName, "slash">, Handler>> = {
  initialize_fee_config: initializeFeeConfig,
  update_fee_config: updateFeeConfig,
  initialize_arbitration_pool: initializeArbitrationPool,
  publish_arbitrator_pool_size: publishArbitratorPoolSize,
  create_liquidity_vault: createLiquidityVault,
  deposit_liquidity: depositLiquidity,
  reserve_liquidity: reserveLiquidity,
  withdraw_liquidity: withdrawLiquidity,
  create_trade_escrow: createTradeEscrow,
  fund_trade_escrow: fundTradeEscrow,
  approve_settlement: approveSettlement,
  release_escrow: releaseEscrow,
  cancel_reservation: cancelReservation,
  expire_reservation: expireReservation,
  open_dispute_case: openDisputeCase,
  commit_dispute_vote: commitDisputeVote,
  reveal_dispute_vote: revealDisputeVote,
  execute_dispute_outcome: executeDisputeOutcome,
  claim_arbitration_reward: claimArbitrationReward,
  top_up_arbitration_deposit: topUpArbitrationDeposit,
  absorb_stake_recovery: absorbStakeRecovery,
  charge_ad_listing_fee: chargeAdListingFee,
  migrate_fee_config: migrateFeeConfig,
};

export const DISCRIMINATOR_BYTES = 8;

interface Row {
  readonly discriminator: Uint8Array;
  readonly handler: Handler;
}

/** By the first byte of the discriminator. */
const rows: readonly (readonly Row[])[] = Array.from({ length: 256 }, (_, first) => {
  const all = Object.entries(handlers).map(([name, handler]): Row => {
    return { discriminator: known(fromHex(instructionDiscriminators[name as InstructionName]), name), handler };
  });
  return all.filter(({ discriminator }) => discriminator[0] === first);
});

/** Runs the instruction that the first eight bytes of the data name; the arguments begin behind them. */
export const escrowProgram: Handler = (call) => {
  const row = rows[call.data[0] ?? 0]?.find(({ discriminator }) => startsWith(call.data, discriminator));
  return row === undefined ? invalidData : row.handler(call);
};
