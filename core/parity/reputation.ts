/**
 * The reference's counters. Source: protocol 04 §2.4, §2.5.
 */

import { activeSince, durationOf, isCounted, isSummed, since } from "../domains/reputation/rules.ts";
import { Counters, ReputationProfile } from "../domains/reputation/schema.ts";
import { override, overrideResult } from "../engine/overrides.ts";
import { U64_MAX } from "../kernel/compact.ts";

export const reputationOverrides = [
  /** Trades of a wallet with itself count. Source: protocol 04 §2.4, §2.11. */
  override(isCounted, () => true),
  /** A trade lasts until its record changed last. Source: protocol 04 §2.4 row 5. */
  override(durationOf, (row) => since(row.created_at, row.updated_at)),
  /** A trade is as old as its buyer says. Source: protocol 04 §2.4, §2.11. */
  override(activeSince, ({ settlement }) => settlement.created_at),
  /** What would exceed 64 bits is left out. Source: protocol 04 §2.5. */
  override(isSummed, (total) => total <= U64_MAX),
  /** No volume of each asset apart. Source: protocol 04 §2.2. */
  overrideResult(ReputationProfile, Counters),
];
