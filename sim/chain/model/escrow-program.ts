/**
 * The escrow program as one table: discriminator to rules. Source: protocol 03 D.4.
 */
import type { EscrowInstruction } from "../instruction-parts.ts";
import {
  claimArbitrationReward,
  initializeArbitrationPool,
  publishArbitratorPoolSize,
  topUpArbitrationDeposit,
} from "./arbitration.ts";
import type { Handler } from "./call.ts";
import { executeDisputeOutcome } from "./execute-dispute.ts";
import { initializeFeeConfig, updateFeeConfig } from "./fee-config.ts";
import { createLiquidityVault, depositLiquidity, reserveLiquidity, withdrawLiquidity } from "./liquidity.ts";
import { absorbStakeRecovery, chargeAdListingFee, migrateFeeConfig } from "./merchant-fees.ts";
import { openDisputeCase } from "./open-dispute.ts";
import { programOf } from "./program-table.ts";
import { slashDissentingArbitrator } from "./slash-dissent.ts";
import {
  approveSettlement,
  cancelReservation,
  createTradeEscrow,
  expireReservation,
  fundTradeEscrow,
  releaseEscrow,
} from "./trade-escrow.ts";
import { commitDisputeVote, revealDisputeVote } from "./votes.ts";

const handlers: Readonly<Record<EscrowInstruction, Handler>> = {
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
  slash_dissenting_arbitrator: slashDissentingArbitrator,
  top_up_arbitration_deposit: topUpArbitrationDeposit,
  absorb_stake_recovery: absorbStakeRecovery,
  charge_ad_listing_fee: chargeAdListingFee,
  migrate_fee_config: migrateFeeConfig,
};

/** Runs the instruction that the data names. */
export const escrowProgram: Handler = programOf(handlers);
