/**
 * What this node saw settle on chain, summed asset by asset from the records, each time it is read.
 * Source: protocol 02 F.2, O.26.
 */

import { Pending } from "../../engine/statements/table.ts";
import type { NamedMint } from "../../inputs.ts";
import { U128_MAX } from "../../kernel/compact.ts";
import type { Reader } from "../../kernel/table.ts";
import { entriesOf } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { MintAddress } from "../../kernel/values.ts";
import { Advertisements } from "../trade/advertisements/tables.ts";
import { reservationById } from "../trade/reservations/views.ts";
import type { NamedTrade } from "../trade/settlements/moved.ts";
import { mintMoved, namedTrade, soldFacts } from "../trade/settlements/moved.ts";
import type { Followed } from "../trade/settlements/queries.ts";
import { SettlementInitiate } from "../trade/settlements/schema.ts";
import { Settlements } from "../trade/settlements/tables.ts";
import type { AssetVolume, SettledVolume } from "./schema.ts";
import { VOLUME_SCOPE } from "./schema.ts";

interface Sum {
  readonly base_units: bigint;
  readonly settlements: bigint;
}

/**
 * The answer: a row for each asset, the largest first, and what no row holds; `beside` are settlements that are shown
 * without a fold.
 */
export function settledVolume(
  reader: Reader,
  mints: readonly NamedMint[],
  beside: readonly Followed[] = [],
): SettledVolume {
  const sums = new Map<MintAddress, Sum>();
  const confirmed = new Set<string>();
  let unattributed = 0n;
  for (const [, row] of entriesOf(reader, Settlements)) {
    if (!row.released) continue;
    confirmed.add(tradeKey(namedTrade(reader, row)));
    const mint = mintMoved(reader, row);
    if (mint === undefined) unattributed += 1n;
    else sums.set(mint, plus(sums.get(mint), row.amount.base_units));
  }
  for (const { row } of beside) {
    confirmed.add(tradeKey(namedTrade(reader, row)));
    if (!row.released) continue;
    const mint = mintReserved(reader, row.reservation_id);
    if (mint === undefined) unattributed += 1n;
    else sums.set(mint, plus(sums.get(mint), row.amount.base_units));
  }
  const orphans = confirmedOrphans(reader, confirmed);
  return {
    assets: [...sums].map(([mint, sum]) => assetOf(mint, sum, mints)).sort(compareAssets),
    unattributed_settlements: unattributed + orphans,
    settlements_known: BigInt(reader.size(Settlements) + beside.length) + orphans,
    scope: VOLUME_SCOPE,
  };
}

/** The asset of the advertisement behind a reservation. Source: protocol 02 F.2. */
function mintReserved(reader: Reader, reservation: string): MintAddress | undefined {
  const shown = reservationById(reader, reservation);
  return shown && reader.get(Advertisements, shown.row.advertisement)?.asset_mint;
}

/** Settlements whose release was seen and whose reservation or advertisement is not held: they wait for it. */
function confirmedOrphans(reader: Reader, confirmed: ReadonlySet<string>): bigint {
  const orphans = new Set<string>();
  for (const [, statement] of entriesOf(reader, Pending)) {
    if (statement.type.name !== SettlementInitiate.name) continue;
    const trade = namedTrade(reader, statement.payload as SettlementInitiate);
    if (!confirmed.has(tradeKey(trade)) && soldFacts(reader, trade).length > 0) orphans.add(tradeKey(trade));
  }
  return BigInt(orphans.size);
}

function tradeKey({ reservation_id, buyer_public_key, seller_public_key, amount }: NamedTrade): string {
  return JSON.stringify([reservation_id, buyer_public_key, seller_public_key, amount.base_units.toString()]);
}

function plus(sum: Sum = { base_units: 0n, settlements: 0n }, units: bigint): Sum {
  const total = sum.base_units + units;
  return { base_units: total > U128_MAX ? U128_MAX : total, settlements: sum.settlements + 1n };
}

function assetOf(asset_mint: MintAddress, sum: Sum, mints: readonly NamedMint[]): AssetVolume {
  const named = mints.find(({ mint }) => mint === asset_mint);
  return { asset_mint, asset_symbol: named?.symbol ?? null, decimals: named?.decimals ?? null, ...sum };
}

function compareAssets(a: AssetVolume, b: AssetVolume): number {
  if (a.base_units !== b.base_units) return a.base_units > b.base_units ? -1 : 1;
  return compareText(a.asset_mint, b.asset_mint);
}
