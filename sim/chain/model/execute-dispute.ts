/**
 * Executing a dispute case after its reveal window: pays by the decision, re-opens the round, or splits for good.
 * Anybody may call it. Source: protocol 03 D.7, D.8, D.5 (order of events), E8-E12.
 */

import type { Result } from "../../../core/index.ts";
import { err, ok } from "../../../core/index.ts";
import type { DisputeCase, FeeConfig, LiquidityVault, TerminalReason, TradeEscrow } from "../../../core/testing.ts";
import { encodeEventLine, liquidityVault, slotHashesSysvar, tradeEscrow } from "../../../core/testing.ts";
import { booked } from "./book.ts";
import type { Call, Handler, Refusal } from "./call.ts";
import { addressAt, begin, first, invalidAccount, noArguments, refuse, save, U64_MAX } from "./call.ts";
import { saveCase } from "./case-account.ts";
import {
  areTreasuries,
  caseAt,
  checkPool,
  depositVaultAt,
  escrowAt,
  feeConfigAt,
  holds,
  isEscrowTokens,
  isMintOf,
  isVaultTokens,
  publishedPoolAt,
  vaultAt,
} from "./identity.ts";
import { caseSeed } from "./open-dispute.ts";
import { pay } from "./payment.ts";
import { payOut } from "./payout.ts";
import type { Tally } from "./tally.ts";
import { barredAfter, exhaustedReason, poolSuffices, ROUNDS_MAX, reasonByte, requiredPool, tally } from "./tally.ts";
import { stateByte } from "./trade-escrow.ts";

/** Places of the accounts. Source: protocol 03 D.4. */
const at = {
  mint: 0,
  case: 1,
  escrow: 2,
  escrowTokens: 3,
  vault: 4,
  vaultTokens: 5,
  buyerTokens: 6,
  config: 7,
  treasuries: 8,
  openMint: 12,
  pool: 13,
  openVault: 14,
  openTokens: 15,
  tokenProgram: 16,
  depositProgram: 17,
  slotHashes: 18,
  policy: 19,
} as const;

/** Outcome bytes. Source: protocol 03 D.3. */
const outcome = { buyerWins: 0, mutualSettlement: 2 } as const;

/** What an execution works on. */
interface Execution {
  readonly found: DisputeCase;
  readonly escrow: TradeEscrow;
  readonly vault: LiquidityVault;
  /** Where the deposit came from; null when the merchant had no OPEN vault. */
  readonly openVault: LiquidityVault | null;
  readonly config: FeeConfig;
  /** Published number of eligible arbitrators; 0 before there is one, undefined when another account was passed. */
  readonly published: number | undefined;
}

export const executeDisputeOutcome: Handler = (call) => {
  const begun = begin(call, noArguments, "rwwwwwwrwwwwrwwwrrrr");
  if (!begun.ok) return begun.error;
  const read = readExecution(call);
  if (!read.ok) return read.error;
  const execution = read.value;
  const { found, escrow } = execution;
  if (execution.published === undefined) return refuse("InvalidArbitrationPolicy");
  if (found.resolved) return refuse("DisputeAlreadyResolved");
  if (escrow.state !== stateByte("Frozen")) return refuse("InvalidVaultState");
  if (call.now < found.reveal_deadline) return refuse("RevealWindowStillOpen");
  if (escrow.mint === call.at.profile.openMint) return refuse("DepositVaultAliasesSettlementVault");
  const counted = tally(found);
  return counted.outcome === null
    ? undecided(call, execution, counted)
    : decided(call, execution, counted, counted.outcome);
};

/** Identity of every account; the pool has a refusal of its own. */
function readExecution(call: Call): Result<Execution, Refusal> {
  const trade = readTrade(call);
  if (trade === undefined) return err(invalidAccount);
  const poolRefusal = checkPool(call, at.pool, at.openMint, at.depositProgram);
  if (poolRefusal !== undefined) return err(poolRefusal);
  const openVault = depositVaultAt(call, at.openVault, trade.escrow.seller);
  if (openVault === undefined) return err(invalidAccount);
  if (addressAt(call, at.slotHashes) !== slotHashesSysvar) return err(invalidAccount);
  const published = publishedPoolAt(call, at.policy);
  return ok({ ...trade, openVault, published });
}

/** The case, its trade, and everybody the trade may pay. */
function readTrade(call: Call): Omit<Execution, "openVault" | "published"> | undefined {
  const mint = addressAt(call, at.mint);
  const found = caseAt(call, at.case);
  const escrow = escrowAt(call, at.escrow);
  const config = feeConfigAt(call, at.config);
  if (found === undefined || escrow === undefined || config === undefined) return undefined;
  if (found.trade_escrow !== addressAt(call, at.escrow) || escrow.mint !== mint) return undefined;
  if (!isMintOf(call, at.mint, at.tokenProgram) || !isEscrowTokens(call, at.escrowTokens, escrow)) return undefined;
  const vault = vaultAt(call, at.vault, escrow.seller, mint);
  if (vault === undefined || !isVaultTokens(call, at.vaultTokens, escrow.seller, mint)) return undefined;
  const paid = holds(call, at.buyerTokens, mint, escrow.buyer) && areTreasuries(call, at.treasuries, mint, config);
  return paid ? { found, escrow, vault, config } : undefined;
}

/** A unique heaviest outcome. Source: protocol 03 D.8, result table. */
function decided(call: Call, execution: Execution, counted: Tally, winner: number): Refusal | undefined {
  const { found, escrow, vault, config } = execution;
  const buyerWins = winner === outcome.buyerWins;
  const resolved: DisputeCase = {
    ...found,
    resolved: true,
    outcome: winner,
    // Stryker disable next-line EqualityOperator: at the greatest number both answers are that number
    winning_weight: counted.winningWeight > U64_MAX ? U64_MAX : counted.winningWeight,
    deposit_settled: true,
    ...(buyerWins ? forfeited(found) : {}),
  };
  const pay = buyerWins
    ? () =>
        payOut(call, {
          escrow,
          vault,
          config,
          viaDispute: true,
          vaultIndex: at.vault,
          escrowIndex: at.escrow,
          tokensIndex: at.escrowTokens,
          buyerIndex: at.buyerTokens,
          treasuryIndex: at.treasuries,
        })
    : () => (winner === outcome.mutualSettlement ? split(call, execution) : unwind(call, execution));
  return first(
    pay,
    () => (buyerWins ? undefined : returnDeposit(call, execution)),
    () => {
      saveCase(call, at.case, resolved);
      return emitResolved(call, execution, resolved, buyerWins ? 0n : found.deposit);
    },
  );
}

/** The deposit stays in the pool for the winning seats, none of which has claimed yet. */
function forfeited({ deposit, arbitrators }: DisputeCase): Partial<DisputeCase> {
  return { reward_pool: deposit, reward_remaining: deposit, reward_claimed: arbitrators.map(() => false) };
}

/** Too few counted, or a tie: another round while there is one, else an even split. */
function undecided(call: Call, execution: Execution, counted: Tally): Refusal | undefined {
  const { found, published = 0 } = execution;
  const barred = barredAfter(found);
  if (found.round + 1 >= ROUNDS_MAX) {
    return terminal(call, execution, counted, exhaustedReason(found, counted.counted), barred);
  }
  if (!poolSuffices(published, found, barred)) return terminal(call, execution, counted, "PoolExhausted", barred);
  const seed = caseSeed(call, found.reservation_id, addressAt(call, at.escrow));
  if (seed === undefined) return refuse("SlotHashesUnavailable");
  const commitDeadline = call.now + found.commit_window_secs;
  saveCase(call, at.case, {
    ...found,
    barred,
    round: found.round + 1,
    round_opened_at: call.now,
    commit_deadline: commitDeadline,
    reveal_deadline: commitDeadline + found.reveal_window_secs,
    case_seed: seed,
    arbitrators: [],
    commitments: [],
    revealed_outcomes: [],
    weights: [],
  });
  return undefined;
}

/** An even split without a verdict. */
function terminal(
  call: Call,
  execution: Execution,
  counted: Tally,
  reason: TerminalReason,
  barred: readonly string[],
): Refusal | undefined {
  const { found } = execution;
  const resolved: DisputeCase = {
    ...found,
    resolved: true,
    outcome: null,
    deposit_settled: true,
    barred,
    terminal_reason: reasonByte(reason),
  };
  return first(
    () => split(call, execution),
    () => returnDeposit(call, execution),
    () => {
      saveCase(call, at.case, resolved);
      emitResolved(call, execution, resolved, found.deposit);
      call.logs.push(
        encodeEventLine("DisputeTerminalSplit", {
          reservation_id: found.reservation_id,
          reason: reasonByte(reason),
          round: found.round,
          seats_this_round: found.arbitrators.length,
          counted_reveals: counted.counted,
          barred: barred.length,
          seats_taken_total: found.seats_taken_total,
          required_pool: requiredPool(barred),
          published_pool: execution.published ?? 0,
          timestamp: call.now,
        }),
      );
      return undefined;
    },
  );
}

/** All back to the merchant's available liquidity. */
function unwind(call: Call, { escrow, vault }: Execution): Refusal | undefined {
  const book = booked(vault, { pending_settlement: -escrow.amount, available: escrow.amount });
  if (!book.ok) return book.error;
  const refusal = payFromEscrow(call, escrow.mint, at.vaultTokens, escrow.amount);
  if (refusal !== undefined) return refusal;
  save(call, at.vault, liquidityVault, book.value);
  save(call, at.escrow, tradeEscrow, { ...escrow, state: stateByte("Cancelled") });
  return undefined;
}

/** Half to the buyer, the rest, odd unit included, to the merchant's available liquidity; no fee. */
function split(call: Call, { escrow, vault }: Execution): Refusal | undefined {
  const buyerHalf = escrow.amount / 2n;
  const merchantHalf = escrow.amount - buyerHalf;
  const changes = { pending_settlement: -escrow.amount, settled: buyerHalf, available: merchantHalf };
  const book = booked(vault, changes);
  if (!book.ok) return book.error;
  return first(
    () => payFromEscrow(call, escrow.mint, at.buyerTokens, buyerHalf),
    () => payFromEscrow(call, escrow.mint, at.vaultTokens, merchantHalf),
    () => {
      save(call, at.vault, liquidityVault, book.value);
      save(call, at.escrow, tradeEscrow, { ...escrow, state: stateByte("Released") });
      return undefined;
    },
  );
}

function payFromEscrow(call: Call, mint: string, to: number, amount: bigint): Refusal | undefined {
  return pay(call, { mint, from: at.escrowTokens, to, authority: at.escrow, amount });
}

/** The deposit back from the pool, whose authority is the fee configuration. Source: protocol 03 D.2, D.8. */
function returnDeposit(call: Call, { found, openVault }: Execution): Refusal | undefined {
  if (found.deposit === 0n) return undefined;
  if (openVault === null) return invalidAccount;
  const book = booked(openVault, { total: found.deposit, available: found.deposit });
  if (!book.ok) return book.error;
  const [from, to, authority] = [at.pool, at.openTokens, at.config];
  const refusal = pay(call, { mint: call.at.profile.openMint, from, to, authority, amount: found.deposit });
  if (refusal !== undefined) return refusal;
  save(call, at.openVault, liquidityVault, book.value);
  return undefined;
}

function emitResolved(call: Call, { escrow }: Execution, resolved: DisputeCase, refunded: bigint): undefined {
  call.logs.push(
    encodeEventLine("DisputeResolved", {
      reservation_id: resolved.reservation_id,
      buyer: escrow.buyer,
      seller: escrow.seller,
      outcome: resolved.outcome,
      round: resolved.round,
      winning_weight: resolved.winning_weight,
      arbitrator_count: resolved.arbitrators.length,
      reward_pool: resolved.reward_pool,
      deposit_refunded: refunded,
      timestamp: call.now,
    }),
  );
}
