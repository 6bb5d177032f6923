/**
 * Opening a dispute case: a party freezes the trade, the merchant's OPEN vault pays the deposit as far as it can,
 * and what it cannot becomes a claim on the merchant's stake. Source: protocol 03 D.8, E4.
 */

import type { Result } from "../../../core/index.ts";
import { concat, err, ok, utf8 } from "../../../core/index.ts";
import type { FeeConfig, LiquidityVault, TradeEscrow } from "../../../core/testing.ts";
import {
  addressBytes,
  encodeEventLine,
  i64,
  liquidityVault,
  slotHashesSysvar,
  stakeRecoveryClaim,
  struct,
  tradeEscrow,
  u64,
} from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { addressAt, begin, first, invalidAccount, load, refuse, save, U64_MAX } from "./call.ts";
import { newCase } from "./case-account.ts";
import {
  checkPool,
  depositVaultAt,
  escrowAt,
  feeConfigAt,
  isBanned,
  isBanRecord,
  isSystem,
  isUntouched,
} from "./identity.ts";
import { pay } from "./payment.ts";
import { encoded } from "./program-accounts.ts";
import { createAccount } from "./programs.ts";
import { stateByte } from "./trade-escrow.ts";

const windowArgs = struct({ commit: i64, reveal: i64 });

/** Shortest and longest commit or reveal window, in seconds. Source: protocol 03 D.8. */
export const WINDOW_SECS_MIN = 60n;
/** Both windows together: shorter than an arbitrator's unbonding of 3 days. Source: protocol 03 D.3, D.8. */
export const WINDOWS_SECS_MAX = 259_199n;

/** Cases that a claim can count. Source: protocol 03 D.3 (u32). */
const CASE_COUNT_MAX = 2 ** 32 - 1;

/** Places of the accounts. Source: protocol 03 D.4. */
const at = {
  party: 0,
  ban: 1,
  payer: 2,
  escrow: 3,
  case: 4,
  config: 5,
  mint: 6,
  vault: 7,
  vaultTokens: 8,
  pool: 9,
  claim: 10,
  tokenProgram: 11,
  system: 12,
  slotHashes: 13,
} as const;

export const openDisputeCase: Handler = (call) => {
  const begun = begin(call, windowArgs, "srbwwrrwwwwrrr");
  if (!begun.ok) return begun.error;
  const { commit, reveal } = begun.value;
  const escrow = escrowAt(call, at.escrow);
  if (escrow === undefined) return invalidAccount;
  const party = addressAt(call, at.party);
  if (party !== escrow.buyer && party !== escrow.seller) return refuse("NotAPartyToThisTrade");
  if (escrow.state !== stateByte("AwaitingFiatSettlement")) return refuse("InvalidVaultState");
  const accounts = readAccounts(call, escrow);
  if (!accounts.ok) return accounts.error;
  const { config, vault } = accounts.value;
  if (escrow.mint === call.at.profile.openMint) return refuse("DepositVaultAliasesSettlementVault");
  if (isBanned(call, at.ban)) return refuse("WalletBanned");
  if (!inRange(commit) || !inRange(reveal) || commit + reveal > WINDOWS_SECS_MAX)
    return refuse("DisputeWindowOutOfRange");
  const seed = caseSeed(call, escrow.reservation_id, addressAt(call, at.escrow));
  if (seed === undefined) return refuse("SlotHashesUnavailable");
  const available = vault?.available ?? 0n;
  const deposit = config.dispute_filing_fee < available ? config.dispute_filing_fee : available;
  const shortfall = config.dispute_filing_fee - deposit;
  return first(
    () => takeDeposit(call, vault, deposit),
    () => createCase(call, escrow, deposit, shortfall, { commit, reveal, seed }),
    () => logTaken(call, escrow, deposit, shortfall),
    () => (shortfall === 0n ? undefined : recordShortfall(call, escrow, shortfall)),
  );
};

/** s(`openfiat-dispute-case-seed` ‖ newest slot-hash entry ‖ reservation ‖ trade escrow). Source: protocol 03 D.8. */
export function caseSeed(call: Call, reservation: bigint, escrowAddress: string): Uint8Array | undefined {
  const newest = call.newestSlotHash;
  if (newest === undefined) return undefined;
  return call.sha256(
    concat(
      utf8("openfiat-dispute-case-seed"),
      u64.write(newest.slot),
      newest.hash,
      u64.write(reservation),
      addressBytes(escrowAddress),
    ),
  );
}

function inRange(window: bigint): boolean {
  return window >= WINDOW_SECS_MIN && window <= WINDOWS_SECS_MAX;
}

/** Identity of the accounts beside the escrow; the pool has a refusal of its own. */
function readAccounts(
  call: Call,
  escrow: TradeEscrow,
): Result<{ readonly config: FeeConfig; readonly vault: LiquidityVault | null }, Refusal> {
  if (!isBanRecord(call, at.ban, addressAt(call, at.party))) return err(invalidAccount);
  if (addressAt(call, at.case) !== call.at.disputeCase(escrow.reservation_id).address) return err(invalidAccount);
  const config = feeConfigAt(call, at.config);
  if (config === undefined) return err(invalidAccount);
  const poolRefusal = checkPool(call, at.pool, at.mint, at.tokenProgram);
  if (poolRefusal !== undefined) return err(poolRefusal);
  const vault = depositVaultAt(call, at.vault, escrow.seller);
  if (vault === undefined) return err(invalidAccount);
  const claim = call.at.stakeRecoveryClaim(escrow.seller, call.at.profile.openMint);
  if (addressAt(call, at.claim) !== claim.address) return err(invalidAccount);
  if (!isSystem(call, at.system)) return err(invalidAccount);
  if (addressAt(call, at.slotHashes) !== slotHashesSysvar) return err(invalidAccount);
  return ok({ config, vault });
}

function createCase(
  call: Call,
  escrow: TradeEscrow,
  deposit: bigint,
  shortfall: bigint,
  terms: { readonly commit: bigint; readonly reveal: bigint; readonly seed: Uint8Array },
): Refusal | undefined {
  const derived = call.at.disputeCase(escrow.reservation_id);
  const commitDeadline = call.now + terms.commit;
  const content = newCase(
    call,
    derived.address,
    {
      reservation_id: escrow.reservation_id,
      trade_escrow: addressAt(call, at.escrow),
      opened_at: call.now,
      commit_deadline: commitDeadline,
      reveal_deadline: commitDeadline + terms.reveal,
      resolved: false,
      round: 0,
      commit_window_secs: terms.commit,
      reveal_window_secs: terms.reveal,
      case_seed: terms.seed,
      round_opened_at: call.now,
      arbitrators: [],
      commitments: [],
      revealed_outcomes: [],
      weights: [],
      reward_claimed: [],
      barred: [],
      deposit_vault: addressAt(call, at.vault),
      deposit_mint: call.at.profile.openMint,
      deposit,
      deposit_shortfall: shortfall,
      outcome: null,
      winning_weight: 0n,
      reward_pool: 0n,
      reward_remaining: 0n,
      deposit_settled: false,
      bump: derived.bump,
      seats_taken_total: 0,
      terminal_reason: null,
    },
    escrow.buyer,
  );
  const payer = addressAt(call, at.payer);
  const refusal = createAccount(call.ledger, payer, derived.address, call.at.profile.escrowProgram, content);
  if (refusal === undefined) save(call, at.escrow, tradeEscrow, { ...escrow, state: stateByte("Frozen") });
  return refusal;
}

/** Moves the deposit to the pool. */
function takeDeposit(call: Call, vault: LiquidityVault | null, deposit: bigint): Refusal | undefined {
  if (vault === null || deposit === 0n) return undefined;
  const book = booked(vault, { available: -deposit, total: -deposit });
  if (!book.ok) return book.error;
  const [from, to, authority] = [at.vaultTokens, at.pool, at.vault];
  const refusal = pay(call, { mint: call.at.profile.openMint, from, to, authority, amount: deposit });
  if (refusal !== undefined) return refusal;
  save(call, at.vault, liquidityVault, book.value);
  return undefined;
}

function logTaken(call: Call, escrow: TradeEscrow, deposit: bigint, shortfall: bigint): undefined {
  call.logs.push(
    encodeEventLine("ArbitrationDepositTaken", {
      reservation_id: escrow.reservation_id,
      merchant: escrow.seller,
      opened_by: addressAt(call, at.party),
      deposit_vault: addressAt(call, at.vault),
      mint: call.at.profile.openMint,
      amount: deposit,
      shortfall,
      timestamp: call.now,
    }),
  );
}

/** Adds to the merchant's claim, creating it the first time. */
function recordShortfall(call: Call, escrow: TradeEscrow, shortfall: bigint): Refusal | undefined {
  const mint = call.at.profile.openMint;
  const derived = call.at.stakeRecoveryClaim(escrow.seller, mint);
  const empty = {
    merchant: escrow.seller,
    mint,
    owed_total: 0n,
    credited_total: 0n,
    case_count: 0,
    bump: derived.bump,
  };
  if (isUntouched(call, at.claim)) {
    const data = encoded(stakeRecoveryClaim, empty);
    const payer = addressAt(call, at.payer);
    const refusal = createAccount(call.ledger, payer, derived.address, call.at.profile.escrowProgram, data);
    if (refusal !== undefined) return refusal;
  }
  const claim = load(call, at.claim, stakeRecoveryClaim);
  if (claim === undefined) return invalidAccount;
  if (claim.owed_total + shortfall > U64_MAX || claim.case_count === CASE_COUNT_MAX) return refuse("Overflow");
  const grown = { ...claim, owed_total: claim.owed_total + shortfall, case_count: claim.case_count + 1 };
  save(call, at.claim, stakeRecoveryClaim, grown);
  call.logs.push(
    encodeEventLine("StakeRecoveryClaimRecorded", {
      reservation_id: escrow.reservation_id,
      merchant: escrow.seller,
      claim: derived.address,
      mint,
      shortfall,
      owed_total: grown.owed_total,
      credited_total: grown.credited_total,
      case_count: grown.case_count,
      timestamp: call.now,
    }),
  );
  return undefined;
}
