/**
 * The formula of a wallet's counters. Ours counts no trade of a wallet with itself, ages a trade by the later of its
 * two dates, and takes durations from what the parties or the chain said, never from a node's clock.
 * Owns: nothing. Sees: settlements and the requests behind them. Source: OFS-3000; protocol 04 §2.4, §2.5, §2.11.
 */

import type { Overrides } from "../../engine/overrides.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { compareBytes } from "../../kernel/bytes.ts";
import { fromBase58 } from "../../kernel/text.ts";
import type { Amount, EpochMillis, MintAddress, PeerId } from "../../kernel/values.ts";
import type { PaymentDiscrepancy, SettlementRow } from "../trade/settlements/schema.ts";
import type { MintVolume, ReputationProfile } from "./schema.ts";

/** A settlement with what its reservation adds. */
export interface Trade {
  readonly settlement: SettlementRow;
  readonly requested_at: EpochMillis;
  readonly asset_mint: MintAddress;
}

/** Discrepancies that a payer answers for. Source: protocol 04 §2.4 row 4. */
const PAYERS_FAULT: readonly (PaymentDiscrepancy | null)[] = [
  "IncorrectAmount",
  "WrongReference",
  "DuplicatePayment",
  "IncorrectAccount",
];

/** The counters of a wallet; `trades` are its own, in order of settlement id. */
export function profileOf(
  wallet: PeerId,
  trades: readonly Trade[],
  reservationsMissed: number,
  rules: Overrides,
): ReputationProfile {
  const counted = trades.filter(ruleOf({ rules }, isCounted));
  const rows = counted.map(({ settlement }) => settlement);
  const asSeller = rows.filter((row) => row.seller === wallet && row.payment_submitted_at !== null);
  const asBuyer = rows.filter((row) => row.buyer === wallet);
  const answered = asSeller.filter((row) => row.merchant_responded_at !== null);
  const completed = counted.filter(({ settlement }) => isCompleted(settlement));
  return {
    wallet,
    trades_started: count(rows),
    trades_completed: count(completed),
    trades_cancelled: count(rows.filter((row) => row.state === "Cancelled" || row.state === "Rejected")),
    disputes_involved: count(rows.filter(wasDisputed)),
    disputes_lost: count(rows.filter((row) => wasLost(row, wallet))),
    reservations_missed: BigInt(reservationsMissed),
    payment_responses_due: count(asSeller),
    payment_responses_made: count(answered),
    payments_submitted: count(asBuyer.filter((row) => row.payment_submitted_at !== null)),
    payment_discrepancies: count(asBuyer.filter((row) => PAYERS_FAULT.includes(row.payment_discrepancy))),
    response_latency_sum_ms: sum(answered.map((row) => since(row.payment_submitted_at, row.merchant_responded_at))),
    total_volume: volumeByDecimals(completed, ruleOf({ rules }, isSummed)),
    completed_duration_sum_ms: sum(completed.map(({ settlement }) => settlement).map(ruleOf({ rules }, durationOf))),
    first_active_at: earliest(counted.map(ruleOf({ rules }, activeSince))),
    volume_by_mint: volumeByMint(completed),
  };
}

/** Whether a trade counts: nobody earns anything by trading with himself. Source: protocol 04 §2.11. */
export function isCounted({ settlement }: Trade): boolean {
  return settlement.buyer !== settlement.seller;
}

function isCompleted(row: SettlementRow): boolean {
  return row.state === "Approved" || row.state === "Completed";
}

/** One trade is one dispute, however often it was opened; a decision counts before its open is known. */
function wasDisputed(row: SettlementRow): boolean {
  return row.disputed_at !== null || row.decided;
}

function wasLost(row: SettlementRow, wallet: PeerId): boolean {
  if (row.resolution === "BuyerWins") return row.seller === wallet;
  return row.resolution === "MerchantWins" && row.buyer === wallet;
}

/** How long a completed trade took. Source: protocol 04 §2.4 row 5, §2.11. */
export function durationOf(row: SettlementRow): bigint {
  const answered = row.decided ? null : row.merchant_responded_at;
  return since(row.created_at, answered ?? row.closed_at ?? row.updated_at);
}

/** A buyer signs when a settlement began; he cannot sign it older than the reservation. Source: protocol 04 §2.11. */
export function activeSince({ settlement, requested_at }: Trade): EpochMillis {
  return settlement.created_at > requested_at ? settlement.created_at : requested_at;
}

/**
 * What was completed, in one entry for each number of decimals, in order of first appearance.
 * Source: protocol 04 §2.5, §2.11.
 */
function volumeByDecimals(trades: readonly Trade[], summed: typeof isSummed): readonly Amount[] {
  const sums = new Map<number, bigint>();
  for (const { settlement } of trades) {
    const { decimals, base_units } = settlement.amount;
    const total = (sums.get(decimals) ?? 0n) + base_units;
    if (summed(total)) sums.set(decimals, total);
  }
  return [...sums].map(([decimals, base_units]) => ({ base_units, decimals }));
}

/** Whether a sum stands, however large. */
export function isSummed(_total: bigint): boolean {
  return true;
}

/** What was completed in each asset, in order of the mint's bytes. Source: protocol 04 §2.11. */
function volumeByMint(trades: readonly Trade[]): readonly MintVolume[] {
  const sums = new Map<MintAddress, bigint>();
  for (const { asset_mint, settlement } of trades) {
    sums.set(asset_mint, (sums.get(asset_mint) ?? 0n) + settlement.amount.base_units);
  }
  return [...sums]
    .map(([asset_mint, base_units]) => ({ asset_mint, base_units }))
    .sort((a, b) => compareBytes(bytesOf(a.asset_mint), bytesOf(b.asset_mint)));
}

function bytesOf(mint: MintAddress): Uint8Array {
  return fromBase58(mint) ?? new Uint8Array(0);
}

/** Milliseconds from one instant to a later one; none when either is missing or they stand the other way round. */
export function since(from: EpochMillis | null, until: EpochMillis | null): bigint {
  return from === null || until === null || until < from ? 0n : until - from;
}

function earliest(instants: readonly EpochMillis[]): EpochMillis | null {
  return instants.reduce<EpochMillis | null>((least, each) => (least === null || each < least ? each : least), null);
}

function count(items: readonly unknown[]): bigint {
  return BigInt(items.length);
}

function sum(numbers: readonly bigint[]): bigint {
  return numbers.reduce((total, each) => total + each, 0n);
}
