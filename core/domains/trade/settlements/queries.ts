/**
 * What others may ask about settlements: which one a reservation follows, and whom the escrow reached.
 * Source: CONVERGENCE "Settlement"; protocol 03 A.6.
 */

import type { Reader } from "../../../kernel/table.ts";
import type { Identity } from "../../../kernel/values.ts";
import type { Resolution, SettlementRow } from "./schema.ts";
import { Settlements } from "./tables.ts";

/** Outcomes for which the escrow went, wholly or in part, to the buyer. Source: protocol 03 A.6. */
export function reachedBuyer(resolution: Resolution | null): boolean {
  return resolution !== "MerchantWins" && resolution !== "Invalid";
}

/** How much one settlement outranks another in what their reservation follows. Source: CONVERGENCE "Follow order". */
export function compareFollow(a: Followed, b: Followed): number {
  const ranks = [
    (row: SettlementRow) => row.approved,
    (row: SettlementRow) => row.signed_state === "Disputed",
    (row: SettlementRow) => row.signed_state === "PaymentSubmitted",
    (row: SettlementRow) => !(row.cancelled_by_buyer || row.cancelled_by_seller),
    (row: SettlementRow) => !row.reject_signed,
  ];
  for (const rank of ranks) {
    const [left, right] = [rank(a.row), rank(b.row)];
    if (left !== right) return left ? -1 : 1;
  }
  if (a.row.created_at !== b.row.created_at) return a.row.created_at < b.row.created_at ? -1 : 1;
  return a.identity < b.identity ? -1 : 1;
}

export interface Followed {
  readonly identity: Identity;
  readonly row: SettlementRow;
}

/** Settlements of a pair, the one that its reservation follows first. */
export function settlementsOfPair(reader: Reader, pair: string): readonly Followed[] {
  const found = reader.find(Settlements, "pair", pair).flatMap((identity) => {
    const row = reader.get(Settlements, identity);
    return row === undefined ? [] : [{ identity: identity as Identity, row }];
  });
  return found.sort(compareFollow);
}
