/**
 * What the chain moved for a settlement: the facts behind its release, and their asset.
 * Source: protocol 02 F.2; 04 §2.11; CONVERGENCE "Chain facts".
 */

import { Pending, Statements } from "../../../engine/statements/table.ts";
import { identityOfName } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { Amount, MintAddress, PublicKey } from "../../../kernel/values.ts";
import { Advertisements } from "../advertisements/tables.ts";
import { reachedBuyer } from "./queries.ts";
import { factNameOf } from "./reservation-numbers.ts";
import type { ChainFact, SettlementRow } from "./schema.ts";
import { ChainFacts } from "./tables.ts";

/** What a settlement and a fact both name. */
export interface NamedTrade {
  readonly reservation_id: string;
  readonly buyer_public_key: PublicKey;
  readonly seller_public_key: PublicKey;
  readonly amount: Amount;
}

/** A settlement, or what began one, as facts name it: by its reservation's number. */
export function namedTrade<T extends NamedTrade>(reader: Reader, trade: T): T {
  return { ...trade, reservation_id: requestIdOf(reader, trade.reservation_id) };
}

/**
 * The asset that moved: the mint of the chain fact behind the release. A settlement may fit a second
 * advertisement with another mint, and only the fact knows. Without the advertisement's record there is none.
 */
export function mintMoved(reader: Reader, row: SettlementRow): MintAddress | undefined {
  const advertisement = reader.get(Advertisements, row.advertisement);
  if (advertisement === undefined) return undefined;
  const [fact] = row.released ? soldFacts(reader, namedTrade(reader, row)) : [];
  return fact?.mint ?? advertisement.asset_mint;
}

/** Facts by which the escrow of a trade reached its buyer, in order of their keys. */
export function soldFacts(reader: Reader, trade: NamedTrade): readonly ChainFact[] {
  return [...reader.find(ChainFacts, "reservation", factNameOf(trade.reservation_id))]
    .sort(compareText)
    .flatMap((key) => {
      const fact = reader.get(ChainFacts, key);
      return fact !== undefined && isSale(fact) && isAbout(fact, trade) ? [fact] : [];
    });
}

/** The id that a reservation's name stands for: itself, or that of the statement whose identity it is. */
function requestIdOf(reader: Reader, name: string): string {
  const identity = identityOfName(name);
  if (identity === undefined) return name;
  const request = reader.get(Statements, identity) ?? reader.get(Pending, identity);
  return (request?.payload as { readonly id?: string } | undefined)?.id ?? name;
}

function isSale(fact: ChainFact): boolean {
  return fact.kind === "released" || reachedBuyer(fact.resolution);
}

function isAbout(fact: ChainFact, { buyer_public_key, seller_public_key, amount }: NamedTrade): boolean {
  return fact.buyer === buyer_public_key && fact.seller === seller_public_key && fact.amount === amount.base_units;
}
