/**
 * What others may ask about settlements: which one a reservation follows, and whom the escrow reached.
 * Source: CONVERGENCE "Settlement"; protocol 03 A.6.
 */

import { childrenBySigner, ownStatements } from "../../../engine/statements/own-statements.ts";
import { contendersOf, Statements } from "../../../engine/statements/table.ts";
import { known } from "../../../kernel/assert.ts";
import type { Statement } from "../../../kernel/signed.ts";
import type { Reader } from "../../../kernel/table.ts";
import { compareText } from "../../../kernel/text.ts";
import type { Identity, PeerId } from "../../../kernel/values.ts";
import type { ReservationRequest } from "../reservations/schema.ts";
import type { Resolution, SettlementRow } from "./schema.ts";
import { SettlementApproved, SettlementInitiate } from "./schema.ts";
import { followRank, namesakesOf, Settlements } from "./tables.ts";

/** Outcomes for which the escrow went, wholly or in part, to the buyer. Source: protocol 03 A.6. */
export function reachedBuyer(resolution: Resolution | null): boolean {
  return resolution !== "MerchantWins" && resolution !== "Invalid";
}

/** Which of two settlements is followed before the other, facts aside. Source: CONVERGENCE "Follow order". */
export function compareFollow(a: Followed, b: Followed): number {
  return compareText(followRank(a.row), followRank(b.row)) || compareText(a.identity, b.identity);
}

export interface Followed {
  readonly identity: Identity;
  readonly row: SettlementRow;
}

/** The settlement of a pair that its reservation follows, found without going through the others. */
export function followedOf(reader: Reader, pair: string): Followed | undefined {
  const identity = reader.ordered(Settlements, "followed", pair)[0];
  const row = identity === undefined ? undefined : reader.get(Settlements, identity);
  return row === undefined ? undefined : { identity: identity as Identity, row };
}

/** The smallest that a bare approve of a settlement reaches, of those in which one is in effect. */
export function leastApproved(reader: Reader, row: SettlementRow): SettlementRow | undefined {
  const identity = reader.ordered(Settlements, "approved", namesakesOf(row))[0];
  return identity === undefined ? undefined : reader.get(Settlements, identity);
}

/**
 * Whether the approve that is in effect on a settlement acknowledges what it pays for. A buyer can begin as many with a
 * seller under one plain id as he likes, after its approve too: a bare one acknowledges the smallest alone.
 * Source: CONVERGENCE "Allocation".
 */
export function isMeant(reader: Reader, { identity, row }: Followed): boolean {
  const least = leastApproved(reader, row);
  if (least === undefined || (least.advertisement === row.advertisement && least.request === row.request)) return true;
  const initiate = known(reader.get(Statements, identity), "a row's initiate");
  const approves = ownStatements<SettlementApproved>(reader, initiate, row.seller, SettlementApproved);
  return approves.some(({ payload }) => payload.settlement_id !== row.id);
}

/** Whether any settlement of a pair was ever paid, disputed or decided. */
export function isTouched(reader: Reader, pair: string): boolean {
  return reader.count(Settlements, "touched", pair) > 0;
}

/** What a buyer began with a seller about requests of theirs: whatever others say under a number costs them nothing. */
export function initiatesIn(
  reader: Reader,
  ids: readonly string[],
  buyer: PeerId,
  seller: PeerId,
): readonly Statement<SettlementInitiate>[] {
  const found = new Map<Identity, Statement<SettlementInitiate>>();
  for (const id of ids) {
    for (const request of contendersOf<ReservationRequest>(reader, { kind: "reservation", name: id }, [
      buyer,
      seller,
    ])) {
      if (request.payload.id !== id) continue;
      for (const each of childrenBySigner(reader, request, buyer)) {
        if (each.type.name !== SettlementInitiate.name || each.idForm === "void") continue;
        const initiate = each as Statement<SettlementInitiate>;
        if (initiate.payload.seller === seller) found.set(each.identity, initiate);
      }
    }
  }
  return [...found.values()];
}
