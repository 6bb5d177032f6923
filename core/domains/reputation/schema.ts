/**
 * Reputation: counters about one wallet, computed when asked from the trades that this node holds. Integers only; no
 * score, no tier, no opinion. Source: OFS-3000; protocol 04 §2.2.
 */

import type { Infer } from "../../kernel/schema.ts";
import { extend, list, option, struct } from "../../kernel/schema-composites.ts";
import { u64 } from "../../kernel/schema-scalars.ts";
import { Amount, EpochMillis, MintAddress, PeerId } from "../../kernel/values.ts";

/** The members that every node answers. Source: protocol 04 §2.2. */
export const Counters = struct("ReputationCounters", {
  wallet: PeerId,
  trades_started: u64,
  trades_completed: u64,
  trades_cancelled: u64,
  disputes_involved: u64,
  disputes_lost: u64,
  reservations_missed: u64,
  payment_responses_due: u64,
  payment_responses_made: u64,
  payments_submitted: u64,
  payment_discrepancies: u64,
  response_latency_sum_ms: u64,
  /** One entry for each number of decimals, whatever the asset: kept for existing clients. */
  total_volume: list(Amount),
  completed_duration_sum_ms: u64,
  first_active_at: option(EpochMillis),
});

/** What a wallet completed in one asset, in its smallest unit. Source: protocol 04 §2.11. */
export const MintVolume = struct("MintVolume", { asset_mint: MintAddress, base_units: u64 });
export type MintVolume = Infer<typeof MintVolume>;

/** The counters, and the volume of each asset apart. Source: protocol 04 §2.2, §2.11. */
export const ReputationProfile = extend("ReputationProfile", Counters, { volume_by_mint: list(MintVolume) });
export type ReputationProfile = Infer<typeof ReputationProfile>;
