/**
 * What the builders of chain instructions are made of: discriminators, rights of an account, and the groups of
 * accounts that several instructions take in the same order. Source: protocol 03 D.4.
 */

import { concat, fromHex } from "../../core/index.ts";
import type { ChainAddresses } from "../../core/testing.ts";
import { known, stakeRoles } from "../../core/testing.ts";
import type { AccountMeta, Instruction } from "./transaction.ts";

/** First eight bytes of the data of an instruction of the escrow program. Source: protocol 03 D.4. */
const escrowDiscriminators = {
  initialize_fee_config: "3ea214857941911b",
  update_fee_config: "68b867f258976b14",
  initialize_arbitration_pool: "4ddf163342ec055a",
  publish_arbitrator_pool_size: "df9ce5d39d7a3736",
  create_liquidity_vault: "ccff6acd48bafc53",
  deposit_liquidity: "f5633b199747e9f9",
  reserve_liquidity: "c525e83cb6260c54",
  withdraw_liquidity: "959e21b92ff3fd1f",
  create_trade_escrow: "95b56f3d7aae4733",
  fund_trade_escrow: "94b143a4e34cad65",
  approve_settlement: "ba050fa3170a8e0c",
  release_escrow: "92fd81e91491b5ce",
  cancel_reservation: "48a24bb4749d92ac",
  expire_reservation: "1393cb80edc248b7",
  open_dispute_case: "1ce5f0717cb4758a",
  commit_dispute_vote: "d20e227f4bb9bda8",
  reveal_dispute_vote: "d35b014b9a33e96a",
  execute_dispute_outcome: "9e38eebbdbdfd463",
  claim_arbitration_reward: "1458ec45e9c8c3ee",
  slash_dissenting_arbitrator: "42780810999e0962",
  top_up_arbitration_deposit: "9bbcc14721a0d16a",
  absorb_stake_recovery: "fcde71144543bb5c",
  charge_ad_listing_fee: "c8272ef0e8ad86c4",
  migrate_fee_config: "57c598f47b5c6352",
} as const;

/** The same of the staking program. Source: protocol 03 D.4. */
const stakingDiscriminators = {
  initialize_stake_account: "b8079b5295d9b9c4",
  stake: "ceb0ca12c8d1b36c",
  request_unstake: "2c9a6efda0ca3622",
  withdraw_unstaked: "13ca44ffd828cd3d",
  slash: "cc8d12a108b15c8e",
} as const;

export const instructionDiscriminators = { ...escrowDiscriminators, ...stakingDiscriminators } as const;

export type EscrowInstruction = keyof typeof escrowDiscriminators;
export type StakingInstruction = keyof typeof stakingDiscriminators;
export type InstructionName = EscrowInstruction | StakingInstruction;

/** The four treasuries as token accounts of the mint that is paid out. */
export interface Treasuries {
  readonly dev: string;
  readonly ecosystem: string;
  readonly infra: string;
  readonly emergency: string;
}

/** One mint and the token program that owns it. */
export interface MintRef {
  readonly mint: string;
  readonly tokenProgram: string;
}

export interface FeeTerms {
  readonly adListingFee: bigint;
  readonly disputeFilingFee: bigint;
  readonly settlementFeeBps: number;
  /** dev, ecosystem, infra, emergency. */
  readonly shareBps: readonly [number, number, number, number];
  readonly timeoutSecs: bigint;
}

/** The four treasuries in the order of the accounts and of the fee config. */
export function treasuryList(treasuries: Treasuries): readonly string[] {
  return [treasuries.dev, treasuries.ecosystem, treasuries.infra, treasuries.emergency];
}

export function build(
  at: ChainAddresses,
  name: InstructionName,
  data: readonly Uint8Array[],
  ...accounts: readonly AccountMeta[]
): Instruction {
  const discriminator = known(fromHex(instructionDiscriminators[name]), name);
  const program = name in stakingDiscriminators ? at.profile.stakingProgram : at.profile.escrowProgram;
  return { program, accounts, data: concat(discriminator, ...data) };
}

export function vaultW(at: ChainAddresses, merchant: string, mint: string): readonly AccountMeta[] {
  return [w(at.liquidityVault(merchant, mint).address), w(at.liquidityVaultTokens(merchant, mint).address)];
}

export function escrowW(at: ChainAddresses, reservation: bigint): readonly AccountMeta[] {
  return [w(at.tradeEscrow(reservation).address), w(at.tradeEscrowTokens(reservation).address)];
}

export function depositAccounts(at: ChainAddresses, merchant: string): readonly AccountMeta[] {
  return [r(at.profile.openMint), ...vaultW(at, merchant, at.profile.openMint), w(at.arbitrationPool().address)];
}

export function seatAccounts(at: ChainAddresses, reservation: bigint, arbitrator: string): readonly AccountMeta[] {
  return [
    signer(arbitrator),
    w(at.disputeCase(reservation).address),
    r(at.stakingConfig().address),
    r(at.stakeAccount(arbitrator, stakeRoles.Arbitrator).address),
  ];
}

export function signerW(address: string): AccountMeta {
  return { address, signer: true, writable: true };
}

export function signer(address: string): AccountMeta {
  return { address, signer: true, writable: false };
}

export function w(address: string): AccountMeta {
  return { address, signer: false, writable: true };
}

export function r(address: string): AccountMeta {
  return { address, signer: false, writable: false };
}

/** A trade on chain: the reservation's number, the seller, and what is sold. */
export interface TradeRef extends MintRef {
  readonly reservation: bigint;
  readonly merchant: string;
}

/** What cancelling and expiring give back and touch, in order. Source: protocol 03 D.4. */
export function unwindAccounts(at: ChainAddresses, trade: TradeRef): readonly AccountMeta[] {
  return [
    r(trade.mint),
    w(at.liquidityVault(trade.merchant, trade.mint).address),
    ...escrowW(at, trade.reservation),
    w(at.liquidityVaultTokens(trade.merchant, trade.mint).address),
    r(trade.tokenProgram),
  ];
}
