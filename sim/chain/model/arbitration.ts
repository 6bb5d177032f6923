/**
 * The arbitration pool: created, sized, paid into and out of. Source: protocol 03 D.4, D.8 (rewards), E13.
 */
import {
  arbitrationPolicy,
  encodeEventLine,
  liquidityVault,
  struct,
  token2022Program,
  u32,
} from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Handler } from "./call.ts";
import { addressAt, begin, invalidAccount, noArguments, refuse, save, U64_MAX } from "./call.ts";
import { saveCase } from "./case-account.ts";
import {
  caseAt,
  checkPool,
  depositVaultAt,
  escrowAt,
  feeConfigAt,
  holds,
  isOpenMint,
  isSystem,
  isUntouched,
  publishedPoolAt,
} from "./identity.ts";
import { pay } from "./payment.ts";
import { encoded } from "./program-accounts.ts";
import { createAccount, createTokenAccount } from "./programs.ts";

const eligibleArgs = struct({ eligible: u32 });

/** Three rounds of seven seats, less what may recur: the smallest pool that can decide. Source: protocol 03 D.8. */
export const DECIDABLE_POOL_MIN = 17;

/** admin, fee_config, OPEN mint, pool, token program, system. */
export const initializeArbitrationPool: Handler = (call) => {
  const begun = begin(call, noArguments, "brrwrr");
  if (!begun.ok) return begun.error;
  const config = feeConfigAt(call, 1);
  if (config === undefined || !isOpenMint(call, 2)) return invalidAccount;
  if (addressAt(call, 3) !== call.at.arbitrationPool().address) return invalidAccount;
  if (addressAt(call, 4) !== token2022Program || !isSystem(call, 5)) return invalidAccount;
  const admin = addressAt(call, 0);
  if (config.admin !== admin) return refuse("Unauthorized");
  return createTokenAccount(
    call.ledger,
    admin,
    addressAt(call, 3),
    token2022Program,
    addressAt(call, 2),
    addressAt(call, 1),
  );
};

/** admin, fee_config, policy, system. */
export const publishArbitratorPoolSize: Handler = (call) => {
  const begun = begin(call, eligibleArgs, "brwr");
  if (!begun.ok) return begun.error;
  const { eligible } = begun.value;
  const config = feeConfigAt(call, 1);
  const derived = call.at.arbitrationPolicy();
  if (config === undefined || addressAt(call, 2) !== derived.address || !isSystem(call, 3)) return invalidAccount;
  const admin = addressAt(call, 0);
  if (config.admin !== admin) return refuse("Unauthorized");
  const previous = publishedPoolAt(call, 2);
  if (previous === undefined) return invalidAccount;
  const policy = { admin, eligible_arbitrators: eligible, updated_at: call.now, bump: derived.bump };
  if (isUntouched(call, 2)) {
    const data = encoded(arbitrationPolicy, policy);
    const refusal = createAccount(call.ledger, admin, derived.address, call.at.profile.escrowProgram, data);
    if (refusal !== undefined) return refusal;
  }
  save(call, 2, arbitrationPolicy, policy);
  call.logs.push(
    encodeEventLine("ArbitratorPoolSizePublished", {
      admin,
      previous,
      eligible,
      min_decidable_pool: DECIDABLE_POOL_MIN,
      timestamp: call.now,
    }),
  );
  return undefined;
};

/** arbitrator, case, fee_config, OPEN mint, pool, to, token program. */
export const claimArbitrationReward: Handler = (call) => {
  const begun = begin(call, noArguments, "swrrwwr");
  if (!begun.ok) return begun.error;
  const found = caseAt(call, 1);
  const { openMint } = call.at.profile;
  if (found === undefined || feeConfigAt(call, 2) === undefined) return invalidAccount;
  const poolRefusal = checkPool(call, 4, 3, 6);
  if (poolRefusal !== undefined) return poolRefusal;
  if (!holds(call, 5, openMint)) return invalidAccount;
  if (!found.resolved || found.outcome === null) return refuse("DisputeNotDecided");
  if (found.reward_pool === 0n) return refuse("NoFeeConfigured");
  const arbitrator = addressAt(call, 0);
  const seat = found.arbitrators.indexOf(arbitrator);
  const weight = found.weights[seat] ?? 0n;
  if (found.revealed_outcomes[seat] !== found.outcome || weight === 0n) return refuse("NotAWinningArbitrator");
  if (found.reward_claimed[seat] !== false) return refuse("RewardAlreadyClaimed");
  const open = found.arbitrators.filter((_, other) => {
    const won = found.revealed_outcomes[other] === found.outcome && (found.weights[other] ?? 0n) > 0n;
    return won && found.reward_claimed[other] !== true;
  });
  const share = found.winning_weight === 0n ? U64_MAX : (found.reward_pool * weight) / found.winning_weight;
  const amount = open.length === 1 || share > found.reward_remaining ? found.reward_remaining : share;
  const refusal = pay(call, { mint: openMint, from: 4, to: 5, authority: 2, amount });
  if (refusal !== undefined) return refusal;
  saveCase(call, 1, {
    ...found,
    reward_remaining: found.reward_remaining - amount,
    reward_claimed: found.reward_claimed.map((claimed, other) => claimed || other === seat),
  });
  call.logs.push(
    encodeEventLine("ArbitrationRewardClaimed", {
      reservation_id: found.reservation_id,
      arbitrator,
      weight,
      winning_weight: found.winning_weight,
      amount,
      destination: addressAt(call, 5),
      timestamp: call.now,
    }),
  );
  return undefined;
};

/** case, escrow, OPEN mint, merchant's OPEN vault, its tokens, pool, token program; nobody signs. */
export const topUpArbitrationDeposit: Handler = (call) => {
  const begun = begin(call, noArguments, "wrrwwwr");
  if (!begun.ok) return begun.error;
  const found = caseAt(call, 0);
  const escrow = escrowAt(call, 1);
  const mint = call.at.profile.openMint;
  if (found === undefined || escrow === undefined || found.trade_escrow !== addressAt(call, 1)) return invalidAccount;
  const vault = depositVaultAt(call, 3, escrow.seller);
  if (!isOpenMint(call, 2) || vault === undefined) return invalidAccount;
  const poolRefusal = checkPool(call, 5, 2, 6);
  if (poolRefusal !== undefined) return poolRefusal;
  if (found.resolved) return refuse("DisputeAlreadyResolved");
  if (found.deposit_shortfall === 0n) return refuse("NoDepositShortfall");
  if (vault === null || vault.available === 0n) return refuse("NoLiquidityForShortfall");
  const amount = found.deposit_shortfall < vault.available ? found.deposit_shortfall : vault.available;
  const book = booked(vault, { available: -amount, total: -amount });
  if (!book.ok) return book.error;
  const refusal = pay(call, { mint, from: 4, to: 5, authority: 3, amount });
  if (refusal !== undefined) return refusal;
  save(call, 3, liquidityVault, book.value);
  const deposit = found.deposit + amount;
  const shortfall = found.deposit_shortfall - amount;
  saveCase(call, 0, { ...found, deposit, deposit_shortfall: shortfall });
  call.logs.push(
    encodeEventLine("ArbitrationDepositToppedUp", {
      reservation_id: found.reservation_id,
      merchant: escrow.seller,
      mint,
      amount,
      deposit,
      remaining_shortfall: shortfall,
      vault_available: book.value.available,
      timestamp: call.now,
    }),
  );
  return undefined;
};
