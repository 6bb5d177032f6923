/**
 * Opening a dispute case: a party freezes the trade, the merchant's OPEN vault pays the deposit as far as it can,
 * and what it cannot becomes a claim on the merchant's stake. Source: protocol 03 D.8, E4.
 */

import type { FeeConfig, LiquidityVault, Result, TradeEscrow } from "../../../core/index.ts";
import {
  addressBytes,
  concat,
  encodeEventLine,
  err,
  i64,
  liquidityVault,
  ok,
  slotHashesSysvar,
  stakeRecoveryClaim,
  struct,
  tradeEscrow,
  u64,
  utf8,
} from "../../../core/index.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { addressAt, begin, first, invalidAccount, load, refuse, save } from "./call.ts";
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
import { encoded } from "./program-accounts.ts";
import { createAccount, transferTokens } from "./programs.ts";
import { stateByte } from "./trade-escrow.ts";

const windowArgs = struct({ commit: i64, reveal: i64 });

/** Shortest and longest commit or reveal window, in seconds. Source: protocol 03 D.8. */
export const WINDOW_SECS_MIN = 60n;
export const WINDOW_SECS_MAX = 604_800n;

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
  if (!inRange(commit) || !inRange(reveal)) return refuse("DisputeWindowOutOfRange");
  const seed = caseSeed(call, escrow.reservation_id, addressAt(call, at.escrow));
  if (seed === undefined) return refuse("SlotHashesUnavailable");
  const available = vault?.available ?? 0n;
  const deposit = config.dispute_filing_fee < available ? config.dispute_filing_fee : available;
  return first(
    () => createCase(call, escrow, config, deposit, { commit, reveal, seed }),
    () => takeDeposit(call, escrow, vault, deposit, config.dispute_filing_fee - deposit),
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
  return window >= WINDOW_SECS_MIN && window <= WINDOW_SECS_MAX;
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
  config: FeeConfig,
  deposit: bigint,
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
      deposit_shortfall: config.dispute_filing_fee - deposit,
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

/** Moves the deposit to the pool, says so, and records a shortfall. */
function takeDeposit(
  call: Call,
  escrow: TradeEscrow,
  vault: LiquidityVault | null,
  deposit: bigint,
  shortfall: bigint,
): Refusal | undefined {
  if (vault !== null && deposit > 0n) {
    const [from, to] = [addressAt(call, at.vaultTokens), addressAt(call, at.pool)];
    const refusal = transferTokens(call.ledger, from, to, addressAt(call, at.vault), deposit);
    if (refusal !== undefined) return refusal;
    save(call, at.vault, liquidityVault, {
      ...vault,
      total: vault.total - deposit,
      available: vault.available - deposit,
    });
  }
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
  return shortfall === 0n ? undefined : recordShortfall(call, escrow, shortfall);
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
