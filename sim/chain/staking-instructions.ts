/**
 * Builders of the staking program's instructions, and of the escrow program's that calls it. Source: protocol 03 D.4,
 * D.8.
 */
import type { ChainAddresses } from "../../core/testing.ts";
import { stakeRoles, systemProgram, token2022Program, u8, u16, u64 } from "../../core/testing.ts";
import { build, r, signer, signerW, w } from "./instruction-parts.ts";
import type { Instruction } from "./transaction.ts";

/** A wallet's stake in one role. */
export interface StakeRef {
  readonly owner: string;
  readonly role: number;
}

/** Makes the account of a stake, at its owner's cost. Source: protocol 03 D.4. */
export function initializeStakeAccount(at: ChainAddresses, { owner, role }: StakeRef): Instruction {
  return build(
    at,
    "initialize_stake_account",
    [u8.write(role)],
    signerW(owner),
    r(at.stakingConfig().address),
    w(at.stakeAccount(owner, role).address),
    r(systemProgram),
  );
}

/** Puts OPEN of the owner's token account `from` into a stake. Source: protocol 03 D.4. */
export function stake(at: ChainAddresses, { owner, role }: StakeRef, from: string, amount: bigint): Instruction {
  return build(
    at,
    "stake",
    [u64.write(amount)],
    signer(owner),
    r(at.banRecord(owner).address),
    r(at.profile.openMint),
    r(at.stakingConfig().address),
    w(at.stakeAccount(owner, role).address),
    w(at.stakeVault().address),
    w(from),
    r(token2022Program),
  );
}

/** Begins the wait after which a part of a stake may leave. Source: protocol 03 D.4. */
export function requestUnstake(at: ChainAddresses, { owner, role }: StakeRef, amount: bigint): Instruction {
  return build(
    at,
    "request_unstake",
    [u64.write(amount)],
    signer(owner),
    r(at.stakingConfig().address),
    w(at.stakeAccount(owner, role).address),
  );
}

/** Takes out what has waited long enough. Source: protocol 03 D.4. */
export function withdrawUnstaked(at: ChainAddresses, { owner, role }: StakeRef, to: string): Instruction {
  return build(
    at,
    "withdraw_unstaked",
    [],
    signer(owner),
    r(at.profile.openMint),
    r(at.stakingConfig().address),
    w(at.stakeAccount(owner, role).address),
    w(at.stakeVault().address),
    w(to),
    r(token2022Program),
  );
}

/** Who is slashed, and where the tokens go. */
export interface Slashing extends StakeRef {
  readonly authority: string;
  readonly destination: string;
}

/** Code of an arbitrator whose revealed outcome differs from the decided one. Source: protocol 03 D.8. */
export const LOSING_VOTE = 1;

/** Takes the configured share of a stake. Source: protocol 03 D.4. */
export function slash(at: ChainAddresses, slashing: Slashing, code: number): Instruction {
  return build(
    at,
    "slash",
    [u16.write(code)],
    signer(slashing.authority),
    r(at.profile.openMint),
    r(at.stakingConfig().address),
    w(at.stakeAccount(slashing.owner, slashing.role).address),
    w(at.stakeVault().address),
    w(slashing.destination),
    r(token2022Program),
  );
}

/** Slashes a seat that revealed another outcome than the decided one; anyone. Source: protocol 03 D.4, E14. */
export function slashDissentingArbitrator(
  at: ChainAddresses,
  reservation: bigint,
  arbitrator: string,
  destination: string,
): Instruction {
  return build(
    at,
    "slash_dissenting_arbitrator",
    [],
    w(at.disputeCase(reservation).address),
    r(at.slashingAuthority().address),
    r(at.profile.openMint),
    r(at.stakingConfig().address),
    w(at.stakeAccount(arbitrator, stakeRoles.Arbitrator).address),
    w(at.stakeVault().address),
    w(destination),
    r(token2022Program),
    r(at.profile.stakingProgram),
  );
}
