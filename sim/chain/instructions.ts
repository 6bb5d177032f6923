/**
 * Builders of every instruction of the escrow program: accounts in the order of protocol 03 D.4, derived
 * addresses filled in. A builder's parameters name what cannot be derived.
 */

import type { ChainAddresses } from "../../core/testing.ts";
import {
  array,
  i64,
  pk,
  rentSysvar,
  SETTLEMENT_MINTS_MAX,
  slotHashesSysvar,
  systemProgram,
  token2022Program,
  u16,
  u32,
  u64,
  vec,
} from "../../core/testing.ts";
import type { FeeTerms, MintRef, TradeRef, Treasuries } from "./instruction-parts.ts";
import {
  build,
  depositAccounts,
  escrowW,
  r,
  seatAccounts,
  signer,
  signerW,
  treasuryList,
  unwindAccounts,
  vaultW,
  w,
} from "./instruction-parts.ts";
import type { Instruction } from "./transaction.ts";

export function initializeFeeConfig(
  at: ChainAddresses,
  admin: string,
  treasuries: Treasuries,
  terms: FeeTerms,
): Instruction {
  const data = [
    u64.write(terms.adListingFee),
    u64.write(terms.disputeFilingFee),
    u16.write(terms.settlementFeeBps),
    array(pk, 4).write(treasuryList(treasuries)),
    array(u16, 4).write(terms.shareBps),
    i64.write(terms.timeoutSecs),
  ];
  return build(at, "initialize_fee_config", data, signerW(admin), w(at.feeConfig().address), r(systemProgram));
}

export function updateFeeConfig(
  at: ChainAddresses,
  admin: string,
  mint: string,
  treasuries: Treasuries,
  terms: FeeTerms,
  more: { readonly stakeAgeSecs: bigint; readonly sortitionBps: number; readonly mints: readonly string[] },
): Instruction {
  const data = [
    u64.write(terms.adListingFee),
    u64.write(terms.disputeFilingFee),
    u16.write(terms.settlementFeeBps),
    array(u16, 4).write(terms.shareBps),
    i64.write(terms.timeoutSecs),
    i64.write(more.stakeAgeSecs),
    u16.write(more.sortitionBps),
    vec(pk, SETTLEMENT_MINTS_MAX).write(more.mints),
  ];
  const accounts = [signer(admin), w(at.feeConfig().address), r(mint), ...treasuryList(treasuries).map(r)];
  return build(at, "update_fee_config", data, ...accounts);
}

export function initializeArbitrationPool(at: ChainAddresses, admin: string): Instruction {
  return build(
    at,
    "initialize_arbitration_pool",
    [],
    signerW(admin),
    r(at.feeConfig().address),
    r(at.profile.openMint),
    w(at.arbitrationPool().address),
    r(token2022Program),
    r(systemProgram),
  );
}

export function publishArbitratorPoolSize(at: ChainAddresses, admin: string, eligible: number): Instruction {
  return build(
    at,
    "publish_arbitrator_pool_size",
    [u32.write(eligible)],
    signerW(admin),
    r(at.feeConfig().address),
    w(at.arbitrationPolicy().address),
    r(systemProgram),
  );
}

export function createLiquidityVault(at: ChainAddresses, merchant: string, ref: MintRef): Instruction {
  return build(
    at,
    "create_liquidity_vault",
    [],
    signerW(merchant),
    r(ref.mint),
    r(at.feeConfig().address),
    r(at.arbitrationPool().address),
    ...vaultW(at, merchant, ref.mint),
    r(ref.tokenProgram),
    r(systemProgram),
    r(rentSysvar),
  );
}

export function depositLiquidity(
  at: ChainAddresses,
  merchant: string,
  ref: MintRef,
  from: string,
  amount: bigint,
): Instruction {
  return build(
    at,
    "deposit_liquidity",
    [u64.write(amount)],
    signer(merchant),
    r(at.banRecord(merchant).address),
    ...vaultW(at, merchant, ref.mint),
    w(from),
    r(ref.mint),
    r(ref.tokenProgram),
  );
}

export function reserveLiquidity(at: ChainAddresses, merchant: string, mint: string, amount: bigint): Instruction {
  return build(
    at,
    "reserve_liquidity",
    [u64.write(amount)],
    signer(merchant),
    r(at.banRecord(merchant).address),
    w(at.liquidityVault(merchant, mint).address),
    r(at.feeConfig().address),
  );
}

export function withdrawLiquidity(
  at: ChainAddresses,
  merchant: string,
  ref: MintRef,
  to: string,
  amount: bigint,
): Instruction {
  return build(
    at,
    "withdraw_liquidity",
    [u64.write(amount)],
    signer(merchant),
    ...vaultW(at, merchant, ref.mint),
    w(to),
    r(ref.mint),
    r(ref.tokenProgram),
  );
}

export function createTradeEscrow(
  at: ChainAddresses,
  trade: TradeRef,
  buyer: string,
  amount: bigint,
  timeoutSecs: bigint,
): Instruction {
  const data = [u64.write(trade.reservation), u64.write(amount), i64.write(timeoutSecs)];
  return build(
    at,
    "create_trade_escrow",
    data,
    signerW(trade.merchant),
    r(at.banRecord(trade.merchant).address),
    r(buyer),
    r(trade.mint),
    r(at.feeConfig().address),
    w(at.liquidityVault(trade.merchant, trade.mint).address),
    ...escrowW(at, trade.reservation),
    r(trade.tokenProgram),
    r(systemProgram),
    r(rentSysvar),
  );
}

export function fundTradeEscrow(at: ChainAddresses, trade: TradeRef): Instruction {
  return build(
    at,
    "fund_trade_escrow",
    [],
    signer(trade.merchant),
    r(trade.mint),
    ...vaultW(at, trade.merchant, trade.mint),
    ...escrowW(at, trade.reservation),
    r(trade.tokenProgram),
  );
}

export function approveSettlement(at: ChainAddresses, merchant: string, reservation: bigint): Instruction {
  return build(at, "approve_settlement", [], signer(merchant), w(at.tradeEscrow(reservation).address));
}

export function releaseEscrow(
  at: ChainAddresses,
  trade: TradeRef,
  buyerTokens: string,
  treasuries: Treasuries,
): Instruction {
  return build(
    at,
    "release_escrow",
    [],
    r(trade.mint),
    w(at.liquidityVault(trade.merchant, trade.mint).address),
    ...escrowW(at, trade.reservation),
    w(buyerTokens),
    r(at.feeConfig().address),
    ...treasuryList(treasuries).map(w),
    r(trade.tokenProgram),
  );
}

export function cancelReservation(at: ChainAddresses, trade: TradeRef, party: string): Instruction {
  return build(at, "cancel_reservation", [], signer(party), ...unwindAccounts(at, trade));
}

export function expireReservation(at: ChainAddresses, trade: TradeRef): Instruction {
  return build(at, "expire_reservation", [], ...unwindAccounts(at, trade));
}

export function openDisputeCase(
  at: ChainAddresses,
  trade: { readonly reservation: bigint; readonly merchant: string },
  party: string,
  payer: string,
  windows: { readonly commitSecs: bigint; readonly revealSecs: bigint },
): Instruction {
  const data = [i64.write(windows.commitSecs), i64.write(windows.revealSecs)];
  return build(
    at,
    "open_dispute_case",
    data,
    signer(party),
    r(at.banRecord(party).address),
    signerW(payer),
    w(at.tradeEscrow(trade.reservation).address),
    w(at.disputeCase(trade.reservation).address),
    r(at.feeConfig().address),
    ...depositAccounts(at, trade.merchant),
    w(at.stakeRecoveryClaim(trade.merchant, at.profile.openMint).address),
    r(token2022Program),
    r(systemProgram),
    r(slotHashesSysvar),
  );
}

export function commitDisputeVote(
  at: ChainAddresses,
  reservation: bigint,
  arbitrator: string,
  commitment: Uint8Array,
): Instruction {
  return build(
    at,
    "commit_dispute_vote",
    [commitment],
    ...seatAccounts(at, reservation, arbitrator),
    r(at.feeConfig().address),
  );
}

export function revealDisputeVote(
  at: ChainAddresses,
  reservation: bigint,
  arbitrator: string,
  outcome: number,
  salt: Uint8Array,
): Instruction {
  return build(at, "reveal_dispute_vote", [Uint8Array.of(outcome), salt], ...seatAccounts(at, reservation, arbitrator));
}

export function executeDisputeOutcome(
  at: ChainAddresses,
  trade: TradeRef,
  buyerTokens: string,
  treasuries: Treasuries,
): Instruction {
  const { openMint } = at.profile;
  return build(
    at,
    "execute_dispute_outcome",
    [],
    r(trade.mint),
    w(at.disputeCase(trade.reservation).address),
    ...escrowW(at, trade.reservation),
    ...vaultW(at, trade.merchant, trade.mint),
    w(buyerTokens),
    r(at.feeConfig().address),
    ...treasuryList(treasuries).map(w),
    r(openMint),
    w(at.arbitrationPool().address),
    ...vaultW(at, trade.merchant, openMint),
    r(trade.tokenProgram),
    r(token2022Program),
    r(slotHashesSysvar),
    r(at.arbitrationPolicy().address),
  );
}

export function claimArbitrationReward(
  at: ChainAddresses,
  reservation: bigint,
  arbitrator: string,
  to: string,
): Instruction {
  return build(
    at,
    "claim_arbitration_reward",
    [],
    signer(arbitrator),
    w(at.disputeCase(reservation).address),
    r(at.feeConfig().address),
    r(at.profile.openMint),
    w(at.arbitrationPool().address),
    w(to),
    r(token2022Program),
  );
}

export function topUpArbitrationDeposit(at: ChainAddresses, reservation: bigint, merchant: string): Instruction {
  const { openMint } = at.profile;
  return build(
    at,
    "top_up_arbitration_deposit",
    [],
    w(at.disputeCase(reservation).address),
    r(at.tradeEscrow(reservation).address),
    r(openMint),
    ...vaultW(at, merchant, openMint),
    w(at.arbitrationPool().address),
    r(token2022Program),
  );
}

export function absorbStakeRecovery(at: ChainAddresses, merchant: string): Instruction {
  const { openMint } = at.profile;
  const [vault, tokens] = [at.liquidityVault(merchant, openMint), at.liquidityVaultTokens(merchant, openMint)];
  return build(
    at,
    "absorb_stake_recovery",
    [],
    r(openMint),
    w(at.stakeRecoveryClaim(merchant, openMint).address),
    r(at.stakeRecoveryReceipt(merchant).address),
    w(vault.address),
    r(tokens.address),
  );
}

export function chargeAdListingFee(
  at: ChainAddresses,
  merchant: string,
  advertisementId: Uint8Array,
  treasuries: Treasuries,
): Instruction {
  const { openMint } = at.profile;
  return build(
    at,
    "charge_ad_listing_fee",
    [advertisementId],
    signer(merchant),
    r(at.feeConfig().address),
    ...vaultW(at, merchant, openMint),
    ...treasuryList(treasuries).map(w),
    r(openMint),
    r(token2022Program),
  );
}

export function migrateFeeConfig(at: ChainAddresses, payer: string): Instruction {
  return build(at, "migrate_fee_config", [], signerW(payer), w(at.feeConfig().address), r(systemProgram));
}
