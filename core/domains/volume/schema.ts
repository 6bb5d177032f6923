/**
 * Settled volume: one row for each asset, and what is left out of every row. There is no total: units of
 * different assets cannot be added. Source: protocol 02 F.2, F.3; DESIGN "Laws", L8.
 */

import { U64_MAX } from "../../kernel/compact.ts";
import { isNumber } from "../../kernel/json.ts";
import type { Infer, Schema } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { u8, u64 } from "../../kernel/schema-scalars.ts";
import { MintAddress, Text } from "../../kernel/values.ts";

/** What an answer speaks about, to be shown with every figure of it. Source: protocol 02 F.3. */
export const VOLUME_SCOPE =
  "settlements this node has replicated and independently observed confirmed on chain; " +
  "not necessarily the network's entire history";

/** The largest sum: a greater one stays there. Source: protocol 02 F.2. */
export const UNITS_SUM_MAX = (1n << 128n) - 1n;
const DIGITS = /^(?:0|[1-9][0-9]{0,38})$/;

/** A sum of base units: 128 bits, written whole where the reference fails. Source: protocol 02 F.2, F.3. */
export const UnitsSum: Schema<bigint> = {
  shape: { type: "integer", bits: 64, signed: false },
  decode(node, decoder) {
    const value = isNumber(node) && DIGITS.test(node.text) ? BigInt(node.text) : undefined;
    if (value !== undefined && value <= UNITS_SUM_MAX) return value;
    decoder.fail("expected an unsigned 128-bit integer");
    return 0n;
  },
  write: (value) => value.toString(),
  encode(value, writer) {
    writer.varint(value >> 64n);
    writer.varint(value & U64_MAX);
  },
  read: (reader) => (reader.varint(64) << 64n) | reader.varint(64),
};

/** One asset. Without decimals its units have no name: nobody guesses them. Source: protocol 02 F.2, F.3. */
export const AssetVolume = struct("AssetVolume", {
  asset_mint: MintAddress,
  asset_symbol: option(Text),
  decimals: option(u8),
  base_units: UnitsSum,
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
