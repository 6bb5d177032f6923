/**
 * Life of a trade escrow without a dispute: created, funded, approved, released, cancelled, expired.
 * Source: protocol 03 D.7, E1-E3.
 */

import type { LiquidityVault, TradeEscrow, VaultState } from "../../../core/testing.ts";
import { i64, liquidityVault, rentSysvar, struct, tradeEscrow, u64, vaultStates } from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { addressAt, begin, first, I64_MAX, invalidAccount, invalidData, noArguments, refuse, save } from "./call.ts";
import {
  areTreasuries,
  escrowAt,
  feeConfigAt,
  holds,
  isBanned,
  isBanRecord,
  isEscrowTokens,
  isMintOf,
  isSystem,
  isVaultTokens,
  mintAllowed,
  vaultAt,
} from "./identity.ts";
import { pay } from "./payment.ts";
import { payOut } from "./payout.ts";
import { encoded } from "./program-accounts.ts";
import { createAccount, createTokenAccount } from "./programs.ts";

const escrowArgs = struct({ reservation: u64, amount: u64, timeout: i64 });

/** The byte of a state. */
export function stateByte(state: VaultState): number {
  return vaultStates.indexOf(state);
}

/** merchant, ban_record, buyer, mint, fee_config, vault, escrow, its tokens, token program, system, rent. */
export const createTradeEscrow: Handler = (call) => {
  const begun = begin(call, escrowArgs, "brrrrwwwrrr");
  if (!begun.ok) return begun.error;
  const { reservation, amount, timeout } = begun.value;
  const [merchant, buyer, mint] = [addressAt(call, 0), addressAt(call, 2), addressAt(call, 3)];
  const config = feeConfigAt(call, 4);
  const vault = vaultAt(call, 5, merchant, mint);
  const [escrow, tokens] = [call.at.tradeEscrow(reservation), call.at.tradeEscrowTokens(reservation)];
  if (config === undefined || vault === undefined || !isBanRecord(call, 1, merchant)) return invalidAccount;
  if (addressAt(call, 6) !== escrow.address || addressAt(call, 7) !== tokens.address) return invalidAccount;
  if (!isMintOf(call, 3, 8) || !isSystem(call, 9) || addressAt(call, 10) !== rentSysvar) return invalidAccount;
  if (isBanned(call, 1)) return refuse("WalletBanned");
  if (!mintAllowed(config, mint)) return refuse("SettlementMintNotAllowed");
  if (timeout <= 0n) return refuse("InvalidTimeout");
  if (amount === 0n) return invalidData;
  if (vault.reserved < amount) return refuse("InsufficientReservedLiquidity");
  const timeoutAt = call.now + timeout;
  if (timeoutAt > I64_MAX) return refuse("Overflow");
  return first(
    () =>
      createAccount(
        call.ledger,
        merchant,
        escrow.address,
        call.at.profile.escrowProgram,
        encoded(tradeEscrow, {
          reservation_id: reservation,
          buyer,
          seller: merchant,
          mint,
          amount,
          state: stateByte("Reserved"),
          approved: false,
          created_at: call.now,
          timeout_at: timeoutAt,
          bump: escrow.bump,
          token_bump: tokens.bump,
        }),
      ),
    () => createTokenAccount(call.ledger, merchant, tokens.address, addressAt(call, 8), mint, escrow.address),
  );
};

/** merchant, mint, vault, its tokens, escrow, its tokens, token program. */
export const fundTradeEscrow: Handler = (call) => {
  const begun = begin(call, noArguments, "srwwwwr");
  if (!begun.ok) return begun.error;
  const [merchant, mint] = [addressAt(call, 0), addressAt(call, 1)];
  const escrow = escrowAt(call, 4);
  if (escrow === undefined || escrow.mint !== mint || !isMintOf(call, 1, 6)) return invalidAccount;
  const vault = vaultAt(call, 2, escrow.seller, mint);
  if (vault === undefined || !isVaultTokens(call, 3, escrow.seller, mint)) return invalidAccount;
  if (!isEscrowTokens(call, 5, escrow)) return invalidAccount;
  if (escrow.seller !== merchant) return refuse("Unauthorized");
  if (escrow.state !== stateByte("Reserved")) return refuse("InvalidVaultState");
  if (vault.reserved < escrow.amount) return refuse("InsufficientReservedLiquidity");
  const { amount } = escrow;
  const book = booked(vault, { reserved: -amount, pending_settlement: amount });
  if (!book.ok) return book.error;
  const refusal = pay(call, { mint, from: 3, to: 5, authority: 2, amount });
  if (refusal !== undefined) return refusal;
  save(call, 2, liquidityVault, book.value);
  save(call, 4, tradeEscrow, { ...escrow, state: stateByte("AwaitingFiatSettlement") });
  return undefined;
};

/** merchant, escrow. */
export const approveSettlement: Handler = (call) => {
  const begun = begin(call, noArguments, "sw");
  if (!begun.ok) return begun.error;
  const escrow = escrowAt(call, 1);
  if (escrow === undefined) return invalidAccount;
  if (escrow.seller !== addressAt(call, 0)) return refuse("Unauthorized");
  if (escrow.state !== stateByte("AwaitingFiatSettlement")) return refuse("InvalidVaultState");
  save(call, 1, tradeEscrow, { ...escrow, approved: true });
  return undefined;
};

/** mint, vault, escrow, its tokens, buyer's tokens, fee_config, four treasuries, token program; nobody signs. */
export const releaseEscrow: Handler = (call) => {
  const begun = begin(call, noArguments, "rwwwwrwwwwr");
  if (!begun.ok) return begun.error;
  const mint = addressAt(call, 0);
  const escrow = escrowAt(call, 2);
  const config = feeConfigAt(call, 5);
  if (escrow === undefined || escrow.mint !== mint || config === undefined || !isMintOf(call, 0, 10))
    return invalidAccount;
  const vault = vaultAt(call, 1, escrow.seller, mint);
  if (vault === undefined || !isEscrowTokens(call, 3, escrow)) return invalidAccount;
  if (!holds(call, 4, mint, escrow.buyer) || !areTreasuries(call, 6, mint, config)) return invalidAccount;
  if (escrow.state !== stateByte("AwaitingFiatSettlement") || !escrow.approved) return refuse("InvalidVaultState");
  return payOut(call, {
    escrow,
    vault,
    config,
    viaDispute: false,
    vaultIndex: 1,
    escrowIndex: 2,
    tokensIndex: 3,
    buyerIndex: 4,
    treasuryIndex: 6,
  });
};

/** party, mint, vault, escrow, its tokens, vault tokens, token program. */
export const cancelReservation: Handler = (call) => {
  const begun = begin(call, noArguments, "srwwwwr");
  if (!begun.ok) return begun.error;
  const found = unwindable(call, 1);
  if (found === undefined) return invalidAccount;
  const party = addressAt(call, 0);
  if (party !== found.escrow.buyer && party !== found.escrow.seller) return refuse("NotAPartyToThisTrade");
  if (!isCancellable(found.escrow)) return refuse("InvalidVaultState");
  return unwind(call, 1, found);
};

/** mint, vault, escrow, its tokens, vault tokens, token program; nobody signs. */
export const expireReservation: Handler = (call) => {
  const begun = begin(call, noArguments, "rwwwwr");
  if (!begun.ok) return begun.error;
  const found = unwindable(call, 0);
  if (found === undefined) return invalidAccount;
  if (!isCancellable(found.escrow)) return refuse("InvalidVaultState");
  if (call.now <= found.escrow.timeout_at) return refuse("NotYetExpired");
  return unwind(call, 0, found);
};

interface Unwindable {
  readonly escrow: TradeEscrow;
  readonly vault: LiquidityVault;
}

/** The trade whose accounts begin at `base` with the mint. */
function unwindable(call: Call, base: number): Unwindable | undefined {
  const mint = addressAt(call, base);
  const escrow = escrowAt(call, base + 2);
  if (escrow === undefined || escrow.mint !== mint || !isMintOf(call, base, base + 5)) return undefined;
  const vault = vaultAt(call, base + 1, escrow.seller, mint);
  if (vault === undefined || !isEscrowTokens(call, base + 3, escrow)) return undefined;
  return isVaultTokens(call, base + 4, escrow.seller, mint) ? { escrow, vault } : undefined;
}

/** Before approval, funded or not. */
function isCancellable(escrow: TradeEscrow): boolean {
  const begun = escrow.state === stateByte("Reserved") || escrow.state === stateByte("AwaitingFiatSettlement");
  return begun && !escrow.approved;
}

/** Everything back to the vault's available liquidity; tokens only when they had left it. */
function unwind(call: Call, base: number, { escrow, vault }: Unwindable): Refusal | undefined {
  const { amount } = escrow;
  const funded = escrow.state === stateByte("AwaitingFiatSettlement");
  if (!funded && vault.reserved < amount) return refuse("InsufficientReservedLiquidity");
  const book = booked(vault, { available: amount, [funded ? "pending_settlement" : "reserved"]: -amount });
  if (!book.ok) return book.error;
  if (funded) {
    const refusal = pay(call, { mint: escrow.mint, from: base + 3, to: base + 4, authority: base + 2, amount });
    if (refusal !== undefined) return refusal;
  }
  save(call, base + 1, liquidityVault, book.value);
  save(call, base + 2, tradeEscrow, { ...escrow, state: stateByte("Cancelled") });
  return undefined;
}
