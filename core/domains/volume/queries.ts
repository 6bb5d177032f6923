/**
 * What this node saw settle on chain, summed asset by asset from the records, each time it is read.
 * Source: protocol 02 F.2, O.26.
 */

import { Pending, Statements } from "../../engine/statements/table.ts";
import type { NamedMint } from "../../inputs.ts";
import { U128_MAX } from "../../kernel/compact.ts";
import { identityOfName } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { entriesOf } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { Amount, MintAddress, PublicKey } from "../../kernel/values.ts";
import { Advertisements } from "../trade/advertisements/tables.ts";
import { reservationById } from "../trade/reservations/views.ts";
import type { Followed } from "../trade/settlements/queries.ts";
import { reachedBuyer } from "../trade/settlements/queries.ts";
import { factNameOf } from "../trade/settlements/reservation-numbers.ts";
import type { ChainFact, SettlementRow } from "../trade/settlements/schema.ts";
import { SettlementInitiate } from "../trade/settlements/schema.ts";
import { ChainFacts, Settlements } from "../trade/settlements/tables.ts";
import type { AssetVolume, SettledVolume } from "./schema.ts";
import { VOLUME_SCOPE } from "./schema.ts";

/** What a settlement and a fact both name. */
interface Trade {
  readonly reservation_id: string;
  readonly buyer_public_key: PublicKey;
  readonly seller_public_key: PublicKey;
  readonly amount: Amount;
}

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
    confirmed.add(tradeKey(tradeOf(reader, row)));
    const mint = mintOf(reader, row);
    if (mint === undefined) unattributed += 1n;
    else sums.set(mint, plus(sums.get(mint), row.amount.base_units));
  }
  for (const { row } of beside) {
    confirmed.add(tradeKey(tradeOf(reader, row)));
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

/**
 * The asset that moved: the mint of the chain fact behind the release. A settlement may fit a second
 * advertisement with another mint, and only the fact knows. Without the advertisement's record there is none.
 */
function mintOf(reader: Reader, row: SettlementRow): MintAddress | undefined {
  const advertisement = reader.get(Advertisements, row.advertisement);
  if (advertisement === undefined) return undefined;
  const [fact] = soldFacts(reader, tradeOf(reader, row));
  return fact?.mint ?? advertisement.asset_mint;
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
    const initiate = statement.payload as SettlementInitiate;
    const trade = { ...initiate, reservation_id: requestIdOf(reader, initiate.reservation_id) };
    if (!confirmed.has(tradeKey(trade)) && soldFacts(reader, trade).length > 0) orphans.add(tradeKey(trade));
  }
  return BigInt(orphans.size);
}

/** Facts by which the escrow of a trade reached its buyer, in order of their keys. */
function soldFacts(reader: Reader, trade: Trade): readonly ChainFact[] {
  return [...reader.find(ChainFacts, "reservation", factNameOf(trade.reservation_id))]
    .sort(compareText)
    .flatMap((key) => {
      const fact = reader.get(ChainFacts, key);
      return fact !== undefined && isSale(fact) && isAbout(fact, trade) ? [fact] : [];
    });
}

function isSale(fact: ChainFact): boolean {
  return fact.kind === "released" || reachedBuyer(fact.resolution);
}

function isAbout(fact: ChainFact, { buyer_public_key, seller_public_key, amount }: Trade): boolean {
  return fact.buyer === buyer_public_key && fact.seller === seller_public_key && fact.amount === amount.base_units;
}

function tradeOf(reader: Reader, row: SettlementRow): Trade {
  return { ...row, reservation_id: requestIdOf(reader, row.reservation_id) };
}

/** The id that a reservation's name stands for: itself, or that of the statement whose identity it is. */
function requestIdOf(reader: Reader, name: string): string {
  const identity = identityOfName(name);
  if (identity === undefined) return name;
  const request = reader.get(Statements, identity) ?? reader.get(Pending, identity);
  return (request?.payload as { readonly id?: string } | undefined)?.id ?? name;
}

function tradeKey({ reservation_id, buyer_public_key, seller_public_key, amount }: Trade): string {
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
