/**
 * Liquidity vaults: created by a merchant for a mint, filled, reserved from, emptied. Keeps
 * total = reserved + available + settled + pending_settlement. Source: protocol 03 D.3, D.4, D.7.
 */
import { liquidityVault, rentSysvar, struct, u64 } from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Handler } from "./call.ts";
import { addressAt, begin, first, invalidAccount, invalidData, noArguments, refuse, save } from "./call.ts";
import {
  feeConfigAt,
  holds,
  isBanned,
  isBanRecord,
  isLivePool,
  isMintOf,
  isSystem,
  isVaultTokens,
  mintAllowed,
  ownVaultAt,
  vaultAt,
} from "./identity.ts";
import { pay } from "./payment.ts";
import { encoded } from "./program-accounts.ts";
import { createAccount, createTokenAccount } from "./programs.ts";

const amountOnly = struct({ amount: u64 });

/** merchant, mint, fee_config, arbitration_pool, vault, its tokens, token program, system, rent. */
export const createLiquidityVault: Handler = (call) => {
  const begun = begin(call, noArguments, "brrrwwrrr");
  if (!begun.ok) return begun.error;
  const [merchant, mint] = [addressAt(call, 0), addressAt(call, 1)];
  const config = feeConfigAt(call, 2);
  const [vault, tokens] = [call.at.liquidityVault(merchant, mint), call.at.liquidityVaultTokens(merchant, mint)];
  if (config === undefined || !isMintOf(call, 1, 6)) return invalidAccount;
  if (addressAt(call, 3) !== call.at.arbitrationPool().address) return invalidAccount;
  if (addressAt(call, 4) !== vault.address || addressAt(call, 5) !== tokens.address) return invalidAccount;
  if (!isSystem(call, 7) || addressAt(call, 8) !== rentSysvar) return invalidAccount;
  const { openMint } = call.at.profile;
  if (mint !== openMint && !mintAllowed(config, mint)) return refuse("SettlementMintNotAllowed");
  if (mint === openMint && !isLivePool(call, 3)) return refuse("ArbitrationPoolNotInitialized");
  return first(
    () =>
      createAccount(
        call.ledger,
        merchant,
        vault.address,
        call.at.profile.escrowProgram,
        encoded(liquidityVault, {
          merchant,
          mint,
          total: 0n,
          reserved: 0n,
          available: 0n,
          settled: 0n,
          pending_settlement: 0n,
          bump: vault.bump,
          token_bump: tokens.bump,
        }),
      ),
    () => createTokenAccount(call.ledger, merchant, tokens.address, addressAt(call, 6), mint, vault.address),
  );
};

/** merchant, ban_record, vault, its tokens, from, mint, token program. */
export const depositLiquidity: Handler = (call) => {
  const begun = begin(call, amountOnly, "srwwwrr");
  if (!begun.ok) return begun.error;
  const { amount } = begun.value;
  const [merchant, mint] = [addressAt(call, 0), addressAt(call, 5)];
  const vault = vaultAt(call, 2, merchant, mint);
  if (vault === undefined || !isBanRecord(call, 1, merchant) || !isMintOf(call, 5, 6)) return invalidAccount;
  if (!isVaultTokens(call, 3, merchant, mint) || !holds(call, 4, mint)) return invalidAccount;
  if (isBanned(call, 1)) return refuse("WalletBanned");
  if (amount === 0n) return invalidData;
  const book = booked(vault, { total: amount, available: amount });
  if (!book.ok) return book.error;
  const refusal = pay(call, { mint, from: 4, to: 3, authority: 0, amount });
  if (refusal !== undefined) return refusal;
  save(call, 2, liquidityVault, book.value);
  return undefined;
};

/** merchant, ban_record, vault, fee_config. */
export const reserveLiquidity: Handler = (call) => {
  const begun = begin(call, amountOnly, "srwr");
  if (!begun.ok) return begun.error;
  const { amount } = begun.value;
  const merchant = addressAt(call, 0);
  const config = feeConfigAt(call, 3);
  const vault = ownVaultAt(call, 2, merchant);
  if (config === undefined || vault === undefined || !isBanRecord(call, 1, merchant)) return invalidAccount;
  if (isBanned(call, 1)) return refuse("WalletBanned");
  if (!mintAllowed(config, vault.mint)) return refuse("SettlementMintNotAllowed");
  if (amount === 0n) return invalidData;
  if (vault.available < amount) return refuse("InsufficientAvailableLiquidity");
  const book = booked(vault, { available: -amount, reserved: amount });
  if (!book.ok) return book.error;
  save(call, 2, liquidityVault, book.value);
  return undefined;
};

/** merchant, vault, its tokens, to, mint, token program. */
export const withdrawLiquidity: Handler = (call) => {
  const begun = begin(call, amountOnly, "swwwrr");
  if (!begun.ok) return begun.error;
  const { amount } = begun.value;
  const [merchant, mint] = [addressAt(call, 0), addressAt(call, 4)];
  const vault = vaultAt(call, 1, merchant, mint);
  if (vault === undefined || !isVaultTokens(call, 2, merchant, mint) || !holds(call, 3, mint)) return invalidAccount;
  if (!isMintOf(call, 4, 5) || addressAt(call, 3) === addressAt(call, 2)) return invalidAccount;
  if (amount === 0n) return invalidData;
  if (vault.available < amount) return refuse("InsufficientAvailableLiquidity");
  const book = booked(vault, { available: -amount, total: -amount });
  if (!book.ok) return book.error;
  const refusal = pay(call, { mint, from: 2, to: 3, authority: 1, amount });
  if (refusal !== undefined) return refusal;
  save(call, 1, liquidityVault, book.value);
  return undefined;
};
