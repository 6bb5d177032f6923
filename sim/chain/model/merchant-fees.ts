/**
 * What a merchant's OPEN vault pays besides deposits, and what comes back to it from a recovered stake.
 * Source: protocol 03 D.4, D.5.
 */
import {
  encodeEventLine,
  liquidityVault,
  raw,
  stakeRecoveryClaim,
  stakeRecoveryReceipt,
  struct,
  token2022Program,
} from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Handler } from "./call.ts";
import { addressAt, begin, invalidAccount, load, noArguments, refuse, save, U64_MAX } from "./call.ts";
import { areTreasuries, feeConfigAt, isOpenMint, isSystem, isVaultTokens, vaultAt } from "./identity.ts";
import { pay } from "./payment.ts";
import { sharesOf } from "./payout.ts";
import { tokensAt } from "./programs.ts";

const advertisementArgs = struct({ advertisement: raw(32) });

/** merchant, fee_config, OPEN vault, its tokens, four treasuries, OPEN mint, token program. */
export const chargeAdListingFee: Handler = (call) => {
  const begun = begin(call, advertisementArgs, "srwwwwwwrr");
  if (!begun.ok) return begun.error;
  const merchant = addressAt(call, 0);
  const mint = call.at.profile.openMint;
  const config = feeConfigAt(call, 1);
  const vault = vaultAt(call, 2, merchant, mint);
  if (config === undefined || vault === undefined || !isVaultTokens(call, 3, merchant, mint)) return invalidAccount;
  if (!areTreasuries(call, 4, mint, config) || !isOpenMint(call, 8)) return invalidAccount;
  if (addressAt(call, 9) !== token2022Program) return invalidAccount;
  const fee = config.ad_listing_fee;
  if (fee === 0n) return refuse("NoFeeConfigured");
  if (vault.available < fee) return refuse("InsufficientAvailableLiquidity");
  const book = booked(vault, { available: -fee, total: -fee });
  if (!book.ok) return book.error;
  const shares = sharesOf(fee, config);
  for (const [place, amount] of [shares.dev, shares.ecosystem, shares.infra, shares.emergency].entries()) {
    const refusal = pay(call, { mint, from: 3, to: 4 + place, authority: 2, amount });
    if (refusal !== undefined) return refusal;
  }
  save(call, 2, liquidityVault, book.value);
  call.logs.push(
    encodeEventLine("AdListingFeeCharged", {
      merchant,
      advertisement_id: begun.value.advertisement,
      mint,
      amount: fee,
      vault_available: book.value.available,
      timestamp: call.now,
    }),
  );
  return undefined;
};

/**
 * OPEN mint, claim, recovery receipt, OPEN vault, its tokens; nobody signs. Credits what the staking program has
 * paid into the vault's tokens.
 */
export const absorbStakeRecovery: Handler = (call) => {
  const begun = begin(call, noArguments, "rwrwr");
  if (!begun.ok) return begun.error;
  const mint = call.at.profile.openMint;
  const claim = load(call, 1, stakeRecoveryClaim);
  if (!isOpenMint(call, 0) || claim === undefined) return invalidAccount;
  const { merchant } = claim;
  if (addressAt(call, 1) !== call.at.stakeRecoveryClaim(merchant, mint).address) return invalidAccount;
  if (addressAt(call, 2) !== call.at.stakeRecoveryReceipt(merchant).address) return invalidAccount;
  const receipt = load(call, 2, stakeRecoveryReceipt);
  const vault = vaultAt(call, 3, merchant, mint);
  const tokens = tokensAt(call.ledger, addressAt(call, 4));
  if (receipt === undefined || vault === undefined || tokens === undefined) return invalidAccount;
  if (!isVaultTokens(call, 4, merchant, mint) || tokens.mint !== mint) return invalidAccount;
  const recovered = receipt.recovered_total;
  if (recovered <= claim.credited_total) return refuse("NothingToAbsorb");
  const amount = recovered - claim.credited_total;
  const held = vault.total + amount;
  if (held > U64_MAX) return refuse("Overflow");
  if (tokens.amount < held) return refuse("RecoveredTokensMissing");
  const book = booked(vault, { total: amount, available: amount });
  if (!book.ok) return book.error;
  save(call, 1, stakeRecoveryClaim, { ...claim, credited_total: recovered });
  save(call, 3, liquidityVault, book.value);
  call.logs.push(
    encodeEventLine("StakeRecoveryAbsorbed", {
      merchant,
      claim: addressAt(call, 1),
      mint,
      amount,
      owed_total: claim.owed_total,
      credited_total: recovered,
      outstanding: claim.owed_total > recovered ? claim.owed_total - recovered : 0n,
      vault_available: book.value.available,
      timestamp: call.now,
    }),
  );
  return undefined;
};

/** payer, fee_config, system. There is only one layout, so nothing is ever left to migrate. */
export const migrateFeeConfig: Handler = (call) => {
  const begun = begin(call, noArguments, "bwr");
  if (!begun.ok) return begun.error;
  if (feeConfigAt(call, 1) === undefined || !isSystem(call, 2)) return invalidAccount;
  return refuse("FeeConfigAlreadyMigrated");
};
