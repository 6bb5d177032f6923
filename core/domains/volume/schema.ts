/**
 * Settled volume: one row for each asset, and what is left out of every row. There is no total: units of
 * different assets cannot be added. Source: protocol 02 F.2, F.3; DESIGN "Laws", L8.
 */

import type { Infer } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { u8, u64, u128 } from "../../kernel/schema-scalars.ts";
import { MintAddress, Text } from "../../kernel/values.ts";

/** What an answer speaks about, to be shown with every figure of it. Source: protocol 02 F.3. */
export const VOLUME_SCOPE =
  "settlements this node has replicated and independently observed confirmed on chain; " +
  "not necessarily the network's entire history";

/** One asset. Without decimals its units have no name: nobody guesses them. Source: protocol 02 F.2, F.3. */
export const AssetVolume = struct("AssetVolume", {
  asset_mint: MintAddress,
  asset_symbol: option(Text),
  decimals: option(u8),
  base_units: u128,
  settlements: u64,
});
export type AssetVolume = Infer<typeof AssetVolume>;

/** Source: protocol 02 F.3. */
export const SettledVolume = struct("SettledVolume", {
  assets: list(AssetVolume),
  unattributed_settlements: u64,
  settlements_known: u64,
  scope: Text,
});
export type SettledVolume = Infer<typeof SettledVolume>;
