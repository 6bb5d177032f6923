/**
 * With whom a wallet has traded, and how it went: what a proven party reads about its own history.
 * Source: protocol 03 B.2.
 */

import { compareBytes } from "../../../kernel/bytes.ts";
import type { Infer } from "../../../kernel/schema.ts";
import { option, struct } from "../../../kernel/schema-composites.ts";
import { u64 } from "../../../kernel/schema-scalars.ts";
import type { Reader } from "../../../kernel/table.ts";
import { fromBase58 } from "../../../kernel/text.ts";
import { EpochMillis, PeerId } from "../../../kernel/values.ts";
import type { Followed } from "../settlements/queries.ts";
import type { SettlementRow, SettlementState } from "../settlements/schema.ts";
import { settlementsOfParty } from "../settlements/views.ts";

/** Source: protocol 03 B.2. */
export const Counterparty = struct("CounterpartySummary", {
  counterparty: PeerId,
  trades: u64,
  in_progress: u64,
  abandoned: u64,
  /** How many of the above were ever disputed. */
  disputed: u64,
  last_traded_at: option(EpochMillis),
});
export type Counterparty = Infer<typeof Counterparty>;

type Bucket = "trades" | "in_progress" | "abandoned";
const BUCKETS: Readonly<Record<SettlementState, Bucket>> = {
  Approved: "trades",
  Completed: "trades",
  AwaitingPayment: "in_progress",
  PaymentSubmitted: "in_progress",
  Disputed: "in_progress",
  Rejected: "abandoned",
  Cancelled: "abandoned",
};

/** One summary for each other side, the one most traded with first. */
export function counterpartiesOf(
  reader: Reader,
  wallet: PeerId,
  own: readonly Followed[] = settlementsOfParty(reader, wallet),
): readonly Counterparty[] {
  const found = new Map<PeerId, Counterparty>();
  for (const { row } of own) {
    if (row.buyer === row.seller) continue;
    const counterparty = row.buyer === wallet ? row.seller : row.buyer;
    found.set(counterparty, counted(found.get(counterparty) ?? nothingWith(counterparty), row));
  }
  return [...found.values()].sort(compareCounterparties);
}

function nothingWith(counterparty: PeerId): Counterparty {
  return { counterparty, trades: 0n, in_progress: 0n, abandoned: 0n, disputed: 0n, last_traded_at: null };
}

function counted(held: Counterparty, row: SettlementRow): Counterparty {
  const bucket = BUCKETS[row.state];
  const disputed = held.disputed + (row.disputed_at === null ? 0n : 1n);
  const more = { ...held, [bucket]: held[bucket] + 1n, disputed };
  if (bucket !== "trades") return more;
  const traded = row.merchant_responded_at ?? row.closed_at ?? row.updated_at;
  return {
    ...more,
    last_traded_at: held.last_traded_at === null || traded > held.last_traded_at ? traded : held.last_traded_at,
  };
}

function compareCounterparties(a: Counterparty, b: Counterparty): number {
  if (a.trades !== b.trades) return a.trades > b.trades ? -1 : 1;
  const [left, right] = [a.last_traded_at ?? 0n, b.last_traded_at ?? 0n];
  if (left !== right) return left > right ? -1 : 1;
  return compareBytes(bytesOf(a.counterparty), bytesOf(b.counterparty));
}

function bytesOf(peer: PeerId): Uint8Array {
  return fromBase58(peer) ?? new Uint8Array(0);
}
