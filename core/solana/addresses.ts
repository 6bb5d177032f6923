/**
 * Addresses of the chain: program ids, derived addresses, and what a reservation number leads to.
 * Source: protocol 03 D.1, D.2, A.10.3 R1.
 */
import { assert } from "../kernel/assert.ts";
import { concat } from "../kernel/bytes.ts";
import { utf8 } from "../kernel/text.ts";
import type { CryptoPort } from "../ports/crypto.ts";
import { addressText } from "./address-text.ts";
import { addressBytes, u64 } from "./layout.ts";

/** The programs and the commitment preimage in force on one network. Source: protocol 03 D.1, W-14. */
export interface ChainProfile {
  readonly escrowProgram: string;
  readonly stakingProgram: string;
  readonly governanceProgram: string;
  readonly openMint: string;
  /** `plain` hashes outcome ‖ salt; `bound` adds the case address and the arbitrator's key (W-14). */
  readonly commitmentPreimage: "plain" | "bound";
}

/** A derived address and the bump that took it off the curve. */
export interface DerivedAddress {
  readonly address: string;
  readonly bump: number;
}

/** Devnet as deployed. Source: protocol 03 D.1. */
export const devnetProfile: ChainProfile = {
  escrowProgram: "CYdn27x69hQ8WBxBeWRGpr9c8B4dcKj8GvyBn6Sdma9s",
  stakingProgram: "3MF1nAPiECRAGs36RpQTkLb8CvMZuhcgXv1hGZoXEiid",
  governanceProgram: "2k71DBDoxM4SUFYGbyMXFiTSUynPuY2CqFUsx3FuarXF",
  openMint: "GwieDVo2mWeWpqAErbH9TQ94Pd2GusrfWQscJeJ4p532",
  commitmentPreimage: "plain",
};

/** Our own program on the simulated chain: devnet's addresses, the preimage of W-14. Source: protocol 03 part E. */
export const simulatedProfile: ChainProfile = { ...devnetProfile, commitmentPreimage: "bound" };

/** Programs and sysvars that every cluster has. Source: protocol 03 D.4 (slot hashes); the chain's own. */
export const systemProgram = "11111111111111111111111111111111";
/** The token program. */
export const tokenProgram = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
/** The newer token program. */
export const token2022Program = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
export const associatedTokenProgram = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
/** The account with the price of rent. */
export const rentSysvar = "SysvarRent111111111111111111111111111111111";
/** The account with the hashes of recent slots. */
export const slotHashesSysvar = "SysvarS1otHashes111111111111111111111111111";

/** Role byte of a stake account. Source: protocol 03 D.2. */
export const stakeRoles = {
  Merchant: 0,
  Arbitrator: 1,
  NodeOperator: 2,
  NotificationProvider: 3,
  OracleProvider: 4,
  RiskIntelligenceProvider: 5,
  SnapshotProvider: 6,
} as const;

/** Every derived address of the programs, by the words of protocol 03 D.2. */
export interface ChainAddresses {
  readonly profile: ChainProfile;
  liquidityVault(merchant: string, mint: string): DerivedAddress;
  liquidityVaultTokens(merchant: string, mint: string): DerivedAddress;
  tradeEscrow(reservation: bigint): DerivedAddress;
  tradeEscrowTokens(reservation: bigint): DerivedAddress;
  feeConfig(): DerivedAddress;
  disputeCase(reservation: bigint): DerivedAddress;
  arbitrationPool(): DerivedAddress;
  arbitrationPolicy(): DerivedAddress;
  /** Of our escrow program: what it slashes with. Source: protocol 03 D.2. */
  slashingAuthority(): DerivedAddress;
  stakeRecoveryClaim(merchant: string, mint: string): DerivedAddress;
  stakeAccount(owner: string, role: number): DerivedAddress;
  stakingConfig(): DerivedAddress;
  stakeVault(): DerivedAddress;
  rewardsVault(): DerivedAddress;
  stakeRecoveryReceipt(merchant: string): DerivedAddress;
  banRecord(wallet: string): DerivedAddress;
  /** Of the governance program, by the words of protocol 04 §3.10. */
  proposal(id: bigint): DerivedAddress;
  proposalAction(proposal: string): DerivedAddress;
  voteRecord(proposal: string, voter: string): DerivedAddress;
  governanceConfig(): DerivedAddress;
  depositVault(): DerivedAddress;
  emergencyAuthority(): DerivedAddress;
  /** The wallet's usual token account for a mint (associated token account; the chain's own rule). */
  tokenAccount(wallet: string, mint: string, ownerProgram: string): DerivedAddress;
}

/** Derives addresses for one network. Source: protocol 03 D.2. */
export function chainAddresses(crypto: CryptoPort, profile: ChainProfile): ChainAddresses {
  const { escrowProgram, stakingProgram, governanceProgram } = profile;
  const derive = (program: string, name: string, ...seeds: readonly Uint8Array[]) => {
    return deriveAddress(crypto, program, [utf8(name), ...seeds]);
  };
  const escrow = (name: string, ...seeds: readonly Uint8Array[]) => derive(escrowProgram, name, ...seeds);
  const staking = (name: string, ...seeds: readonly Uint8Array[]) => derive(stakingProgram, name, ...seeds);
  const governance = (name: string, ...seeds: readonly Uint8Array[]) => derive(governanceProgram, name, ...seeds);
  return {
    profile,
    liquidityVault: (merchant, mint) => escrow("liquidity_vault", key(merchant), key(mint)),
    liquidityVaultTokens: (merchant, mint) => escrow("liquidity_vault_tokens", key(merchant), key(mint)),
    tradeEscrow: (reservation) => escrow("trade_escrow", number(reservation)),
    tradeEscrowTokens: (reservation) => escrow("trade_escrow_tokens", number(reservation)),
    feeConfig: () => escrow("fee_config"),
    disputeCase: (reservation) => escrow("dispute_case", number(reservation)),
    arbitrationPool: () => escrow("arbitration_pool"),
    arbitrationPolicy: () => escrow("arbitration_policy"),
    slashingAuthority: () => escrow("slashing_authority"),
    stakeRecoveryClaim: (merchant, mint) => escrow("stake_recovery_claim", key(merchant), key(mint)),
    stakeAccount: (owner, role) => staking("stake", key(owner), Uint8Array.of(role)),
    stakingConfig: () => staking("staking_config"),
    stakeVault: () => staking("stake_vault"),
    rewardsVault: () => staking("rewards_vault"),
    stakeRecoveryReceipt: (merchant) => staking("stake_recovery_receipt", key(merchant)),
    banRecord: (wallet) => governance("ban", key(wallet)),
    proposal: (id) => governance("proposal", number(id)),
    proposalAction: (proposal) => governance("proposal_action", key(proposal)),
    voteRecord: (proposal, voter) => governance("vote", key(proposal), key(voter)),
    governanceConfig: () => governance("governance_config"),
    depositVault: () => governance("deposit_vault"),
    emergencyAuthority: () => governance("emergency_authority"),
    tokenAccount: (wallet, mint, ownerProgram) => {
      return deriveAddress(crypto, associatedTokenProgram, [key(wallet), key(ownerProgram), key(mint)]);
    },
  };
}

/** First bump from 255 down whose hash is not a curve point. Source: protocol 03 D.2. */
export function deriveAddress(crypto: CryptoPort, program: string, seeds: readonly Uint8Array[]): DerivedAddress {
  const head = concat(...seeds);
  const tail = concat(key(program), utf8("ProgramDerivedAddress"));
  let bump = 255;
  let hash = crypto.sha256(concat(head, Uint8Array.of(bump), tail));
  while (crypto.isCurvePoint(hash)) {
    assert(bump > 0, "some bump leaves the curve: one chance in 2^255 that none does");
    bump -= 1;
    hash = crypto.sha256(concat(head, Uint8Array.of(bump), tail));
  }
  return { address: addressText(hash), bump };
}

/**
 * The on-chain number of a reservation id: a decimal string of 1 to 20 digits up to 2^64 − 1; else undefined,
 * and nothing on chain can be bound to it. A leading zero is allowed, as the rule speaks of digits only.
 * Source: protocol 03 A.10.3 R1.
 */
export function reservationNumber(reservationId: string): bigint | undefined {
  if (!/^[0-9]{1,20}$/.test(reservationId)) return undefined;
  const value = BigInt(reservationId);
  return value < 1n << 64n ? value : undefined;
}

function key(address: string): Uint8Array {
  return addressBytes(address);
}

function number(reservation: bigint): Uint8Array {
  return u64.write(reservation);
}
