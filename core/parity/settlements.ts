/**
 * The reference's settlements and the trades that join them. Source: protocol 02 D, E.1; 03 A.6, W-3.
 */

import { sealByTheHour } from "../domains/trade/sealing/sealing.ts";
import { againstReservation, changesState } from "../domains/trade/settlements/methods.ts";
import type { SettlementRow } from "../domains/trade/settlements/schema.ts";
import { Settlements } from "../domains/trade/settlements/tables.ts";
import { settlementAsFolded, unfoldedSettlements } from "../domains/trade/settlements/views.ts";
import { settlementJoined } from "../domains/trade/trades/methods.ts";
import { override } from "../engine/overrides.ts";
import { recordsEnd } from "../engine/statements/table.ts";
import type { Reader } from "../kernel/table.ts";
import { compareText } from "../kernel/text.ts";
import { latest } from "../kernel/values.ts";
import { unreservedSettlements } from "./unreserved-settlements.ts";

export const settlementOverrides = [
  /** A settlement needs no reservation. Source: protocol 02 D.4; DESIGN §7 #21. */
  override(againstReservation, () => undefined),
  /** Each action is taken in one state only. Source: protocol 02 D.4, D.5. */
  override(changesState, ({ reader }, { identity }, _, from) => {
    const beside = () => unreservedSettlements(reader).find((each) => each.identity === identity)?.row;
    return (reader.get(Settlements, identity) ?? beside())?.state === from;
  }),
  /** One that needs no reservation is shown without it. Source: protocol 02 D.4; DESIGN §7 #21. */
  override(unfoldedSettlements, unreservedSettlements),
  /** What the chain closed changes its date; a case that it cannot read stays Disputed. Source: protocol 03 A.6. */
  override(settlementAsFolded, settlementAsShown),
  /** A trade joins the first settlement of its reservation in order of id. Source: protocol 02 E.1, O.7. */
  override(settlementJoined, (reader, { request }) => firstOfReservation(reader, request.payload.id)),
  /** A settlement may be paid, and a case decided, whenever. Source: CONVERGENCE B6. */
  override(recordsEnd, () => false),
  /** Nothing is ever sealed. Source: CONVERGENCE B7. */
  override(sealByTheHour, () => undefined),
];

/** An even split or a mutual settlement on chain: it reads no decision from either. Source: protocol 03 W-3. */
export function isUndecided(row: SettlementRow): boolean {
  if (!row.decided) return false;
  return row.terminal_split !== null || row.resolution === "MutualSettlement";
}

function settlementAsShown(row: SettlementRow): SettlementRow {
  if (!isUndecided(row)) return { ...row, updated_at: latest([row.updated_at, row.closed_at ?? row.updated_at]) };
  const updated_at = row.disputed_at ?? row.created_at;
  return { ...row, state: row.signed_state, escrow_release_signature: null, updated_at };
}

/** It holds one of each id; of several that we hold the smallest identity comes first. */
function firstOfReservation(reader: Reader, reservation: string): SettlementRow | null {
  const folded = [...reader.find(Settlements, "reservation", reservation)]
    .sort(compareText)
    .flatMap((identity) => reader.get(Settlements, identity) ?? []);
  const beside = unreservedSettlements(reader).flatMap(({ row }) => (row.reservation_id === reservation ? [row] : []));
  const found = [...folded, ...beside];
  return found.sort((a, b) => compareText(a.id, b.id))[0] ?? null;
}
