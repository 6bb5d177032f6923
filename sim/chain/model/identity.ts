/**
 * Is this account the one the instruction means? Derived addresses, mints, token accounts, treasuries, bans.
 * A "no" is `InvalidAccountData`, whatever the account is instead. Source: protocol 03 D.2, D.4.
 */

import type { DisputeCase, FeeConfig, LiquidityVault, StakingConfig, TradeEscrow } from "../../../core/testing.ts";
import {
  arbitrationPolicy,
  banRecord,
  disputeCase,
  feeConfig,
  liquidityVault,
  stakingConfig,
  systemProgram,
  token2022Program,
  tradeEscrow,
} from "../../../core/testing.ts";
import { TOKEN_ACCOUNT_BYTES } from "../token.ts";
import type { Call, Refusal } from "./call.ts";
import { addressAt, invalidAccount, load, refuse, stored } from "./call.ts";
import { caseOf } from "./case-account.ts";
import { isMint, isTokenProgram, tokensAt } from "./programs.ts";

/** A merchant's vault for a mint, at its derived address. */
export function vaultAt(call: Call, index: number, merchant: string, mint: string): LiquidityVault | undefined {
  if (addressAt(call, index) !== call.at.liquidityVault(merchant, mint).address) return undefined;
  return load(call, index, liquidityVault);
}

/** A vault of `merchant`, whatever its mint. */
export function ownVaultAt(call: Call, index: number, merchant: string): LiquidityVault | undefined {
  const vault = load(call, index, liquidityVault);
  return vault === undefined ? undefined : vaultAt(call, index, merchant, vault.mint);
}

/** Whether this is where that vault's tokens are; only this program can have made the account. */
export function isVaultTokens(call: Call, index: number, merchant: string, mint: string): boolean {
  return addressAt(call, index) === call.at.liquidityVaultTokens(merchant, mint).address;
}

/** A trade escrow at the derived address of the reservation it names. */
export function escrowAt(call: Call, index: number): TradeEscrow | undefined {
  const escrow = load(call, index, tradeEscrow);
  if (escrow === undefined) return undefined;
  return addressAt(call, index) === call.at.tradeEscrow(escrow.reservation_id).address ? escrow : undefined;
}

/** Whether this is where that escrow's tokens are; only this program can have made the account. */
export function isEscrowTokens(call: Call, index: number, escrow: TradeEscrow): boolean {
  return addressAt(call, index) === call.at.tradeEscrowTokens(escrow.reservation_id).address;
}

/** A dispute case at the derived address of the reservation it names. */
export function caseAt(call: Call, index: number): DisputeCase | undefined {
  const account = stored(call, index);
  if (account === undefined || account.owner !== call.at.profile.escrowProgram) return undefined;
  const found = account.content.length < disputeCase.bytesAllocated ? undefined : caseOf(account.content);
  if (found === undefined) return undefined;
  return addressAt(call, index) === call.at.disputeCase(found.reservation_id).address ? found : undefined;
}

export function feeConfigAt(call: Call, index: number): FeeConfig | undefined {
  return addressAt(call, index) === call.at.feeConfig().address ? load(call, index, feeConfig) : undefined;
}

export function stakingConfigAt(call: Call, index: number): StakingConfig | undefined {
  return addressAt(call, index) === call.at.stakingConfig().address ? load(call, index, stakingConfig) : undefined;
}

/** The published figure: 0 when it was never published, undefined when the account is something else. */
export function publishedPoolAt(call: Call, index: number): number | undefined {
  if (addressAt(call, index) !== call.at.arbitrationPolicy().address) return undefined;
  if (isUntouched(call, index)) return 0;
  return load(call, index, arbitrationPolicy)?.eligible_arbitrators;
}

/** Whether nothing was created at the address; lamports that somebody sent there do not count. */
export function isUntouched(call: Call, index: number): boolean {
  const account = stored(call, index);
  return account === undefined || (account.owner === systemProgram && account.content.length === 0);
}

/** Whether the account is a mint of the token program at `programIndex`. */
export function isMintOf(call: Call, index: number, programIndex: number): boolean {
  const program = addressAt(call, programIndex);
  return isTokenProgram(program) && isMint(call.ledger, addressAt(call, index), program);
}

/** Whether the account is a mint of whichever token program owns it. */
export function isSomeMint(call: Call, index: number): boolean {
  const program = stored(call, index)?.owner ?? systemProgram;
  return isTokenProgram(program) && isMint(call.ledger, addressAt(call, index), program);
}

/** Whether the account is the OPEN mint, under its own token program. Source: protocol 03 D.1. */
export function isOpenMint(call: Call, index: number): boolean {
  const address = addressAt(call, index);
  return address === call.at.profile.openMint && isMint(call.ledger, address, token2022Program);
}

/** Whether the account holds tokens of `mint`, and, when named, obeys `authority`. */
export function holds(call: Call, index: number, mint: string, authority?: string): boolean {
  const tokens = tokensAt(call.ledger, addressAt(call, index));
  return tokens !== undefined && tokens.mint === mint && (authority === undefined || tokens.authority === authority);
}

/** Whether the account is a treasury for `mint`: the configured address itself, or one whose authority it is. */
export function isTreasury(call: Call, index: number, mint: string, configured: string | undefined): boolean {
  if (configured === undefined || !holds(call, index, mint)) return false;
  return addressAt(call, index) === configured || holds(call, index, mint, configured);
}

/** Whether four accounts from `index` on are the treasuries. */
export function areTreasuries(call: Call, index: number, mint: string, config: FeeConfig): boolean {
  for (let place = 0; place < 4; place += 1) {
    if (!isTreasury(call, index + place, mint, config.treasuries[place])) return false;
  }
  return true;
}

/**
 * A merchant's OPEN vault as the source of deposits: null when the merchant never made one, undefined when the
 * account is something else. A merchant without a vault cannot block a dispute. Source: protocol 03 D.8, ours.
 */
export function depositVaultAt(call: Call, index: number, merchant: string): LiquidityVault | null | undefined {
  const { openMint } = call.at.profile;
  if (addressAt(call, index) !== call.at.liquidityVault(merchant, openMint).address) return undefined;
  if (addressAt(call, index + 1) !== call.at.liquidityVaultTokens(merchant, openMint).address) return undefined;
  return isUntouched(call, index) ? null : vaultAt(call, index, merchant, openMint);
}

/**
 * Refuses unless the accounts are the arbitration pool, the OPEN mint and its token program; a pool that was never
 * made has a number of its own.
 */
export function checkPool(call: Call, index: number, mintIndex: number, programIndex: number): Refusal | undefined {
  if (addressAt(call, index) !== call.at.arbitrationPool().address || !isOpenMint(call, mintIndex))
    return invalidAccount;
  if (addressAt(call, programIndex) !== token2022Program) return invalidAccount;
  if (!isLivePool(call, index)) return refuse("ArbitrationPoolNotInitialized");
  return holds(call, index, call.at.profile.openMint) ? undefined : invalidAccount;
}

/** Whether the pool's account was made. */
export function isLivePool(call: Call, index: number): boolean {
  const account = stored(call, index);
  return account !== undefined && isTokenProgram(account.owner) && account.content.length >= TOKEN_ACCOUNT_BYTES;
}

/** The ban record of `wallet`: its address must be the derived one; its existence is the ban (protocol 03 D.3). */
export function isBanRecord(call: Call, index: number, wallet: string): boolean {
  return addressAt(call, index) === call.at.banRecord(wallet).address;
}

/** Neither lamports at the address nor another account of the governance program is a ban. */
export function isBanned(call: Call, index: number): boolean {
  return load(call, index, banRecord) !== undefined;
}

export function isSystem(call: Call, index: number): boolean {
  return addressAt(call, index) === systemProgram;
}

export function mintAllowed(config: FeeConfig, mint: string): boolean {
  return config.settlement_mints.slice(0, config.settlement_mint_count).includes(mint);
}
