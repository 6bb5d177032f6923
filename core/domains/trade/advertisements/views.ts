/**
 * What an advertisement reads at an instant: what is left, the status it shows, today's quote.
 * Source: CONVERGENCE "Availability", "Advertisement"; protocol 02 B.2, B.8.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { firstOfEach } from "../../../kernel/ordered.ts";
import type { Reader } from "../../../kernel/table.ts";
import { entriesOf } from "../../../kernel/table.ts";
import type { EpochMillis } from "../../../kernel/values.ts";
import { heldUnits } from "./ledger.ts";
import type { Quoter } from "./quotes.ts";
import type { AdvertisementRow, AdvertisementStatus, AdvertisementView } from "./schema.ts";
import { Advertisements, Ledgers } from "./tables.ts";

/** An advertisement's identity and what nodes keep of it. */
export interface Shown {
  readonly identity: string;
  readonly row: AdvertisementRow;
}

/** Whoever knows the instant. */
type At = Pick<Viewer, "now">;

/** Base units that no reservation holds at an instant, which is asked only where there are any; never below zero. */
export function availableUnits(reader: Reader, { identity, row }: Shown, at: At): bigint {
  const ledger = reader.get(Ledgers, identity);
  const held = ledger === undefined || ledger.blocks.length === 0 ? 0n : heldUnits(ledger, at.now);
  const left = row.initial_liquidity.base_units - held;
  return left < 0n ? 0n : left;
}

/** The status to show. */
export function statusShown(reader: Reader, shown: Shown, viewer: Viewer): AdvertisementStatus {
  return ruleOf(viewer.configuration, statusAt)(reader, shown, viewer);
}

/** An Active advertisement with nothing left reads Disabled. Source: protocol 02 B.2. */
export function statusAt(reader: Reader, shown: Shown, at: At): AdvertisementStatus {
  const { status } = shown.row;
  return status === "Active" && availableUnits(reader, shown, at) === 0n ? "Disabled" : status;
}

/** When an advertisement changed last: with its newest statement. Source: protocol 02 B.2. */
export function changedAt(_reader: Reader, { row }: Shown): EpochMillis {
  return row.updated_at;
}

/** The contender that a bare id shows: one with an acknowledged trade, then the smallest. An earned id has only one. */
export function shownById(reader: Reader, id: string): Shown | undefined {
  return contendersOf(reader, id).sort(compareContenders)[0];
}

/** Every advertisement, one for each id, in order of id. */
export function allShown(reader: Reader): readonly Shown[] {
  const all = [...entriesOf(reader, Advertisements)].map(([identity, row]) => ({ identity, row }));
  return firstOfEach(all, ({ row }) => row.id, compareContenders);
}

/** What a read answers. */
export function viewOf(reader: Reader, shown: Shown, quoter: Quoter, viewer: Viewer): AdvertisementView {
  const { row } = shown;
  const available = availableUnits(reader, shown, viewer);
  return {
    available_liquidity: { base_units: available, decimals: row.initial_liquidity.decimals },
    asset_symbol: quoter.symbolOf(row.asset_mint),
    quote: quoter.quoteOf(row),
    ...row,
    status: statusShown(reader, shown, viewer),
    updated_at: ruleOf(viewer.configuration, changedAt)(reader, shown),
  };
}

function contendersOf(reader: Reader, id: string): Shown[] {
  return [...reader.find(Advertisements, "id", id)].flatMap((identity) => {
    const row = reader.get(Advertisements, identity);
    return row === undefined ? [] : [{ identity, row }];
  });
}

function compareContenders(a: Shown, b: Shown): number {
  const traded = (shown: Shown) => shown.row.acknowledged > 0n;
  if (traded(a) !== traded(b)) return traded(a) ? -1 : 1;
  if (a.row.created_at !== b.row.created_at) return a.row.created_at < b.row.created_at ? -1 : 1;
  return a.identity < b.identity ? -1 : 1;
}
