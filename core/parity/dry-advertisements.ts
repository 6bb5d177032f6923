/**
 * What the reference would show of an advertisement: it switches one that ran dry to Disabled for good, until its
 * merchant says Active again. The fold keeps no such mark.
 * Source: protocol 02 B.7, P.5 rows 18 to 22.
 */

import { GRANTED } from "../domains/trade/advertisements/allocation.ts";
import { verdictOf } from "../domains/trade/advertisements/ledger.ts";
import { registersOf } from "../domains/trade/advertisements/queries.ts";
import { newest } from "../domains/trade/advertisements/registers.ts";
import type {
  AdvertisementCreate,
  AdvertisementRow,
  AdvertisementStatus,
} from "../domains/trade/advertisements/schema.ts";
import { Ledgers } from "../domains/trade/advertisements/tables.ts";
import { expiryOf } from "../domains/trade/reservations/queries.ts";
import type { ReservationRequest, ReservationRow } from "../domains/trade/reservations/schema.ts";
import { Reservations } from "../domains/trade/reservations/tables.ts";
import { Statements } from "../engine/statements/table.ts";
import type { Statement } from "../kernel/signed.ts";
import type { Reader } from "../kernel/table.ts";
import { recordsOf } from "../kernel/table.ts";
import type { EpochMillis } from "../kernel/values.ts";

interface Hold {
  readonly units: bigint;
  readonly from: EpochMillis;
  /** When it gave its liquidity back; nothing while it holds. */
  readonly until: EpochMillis | undefined;
}

/** The status that the reference would read: Active until a reservation took the last units. */
export function statusToReference(reader: Reader, identity: string, row: AdvertisementRow): AdvertisementStatus {
  if (row.status !== "Active") return row.status;
  const create = reader.get(Statements, identity) as Statement<AdvertisementCreate> | undefined;
  const since = create && newest(registersOf(reader, create).statuses)?.statement.timestamp;
  const holds = holdsOf(reader, identity);
  const ranDry = holds.some(
    ({ from }) => from > (since ?? 0n) && heldAt(holds, from) >= row.initial_liquidity.base_units,
  );
  return ranDry ? "Disabled" : "Active";
}

function holdsOf(reader: Reader, identity: string): readonly Hold[] {
  const ledger = reader.get(Ledgers, identity);
  return recordsOf(reader, Reservations, "advertisement", identity).flatMap((row) => {
    const request = reader.get(Statements, row.request) as Statement<ReservationRequest> | undefined;
    if (request === undefined || verdictOf(ledger, request) !== GRANTED) return [];
    return [{ units: request.payload.amount.base_units, from: request.timestamp, until: endOf(row, request) }];
  });
}

function endOf(row: ReservationRow, request: Statement<ReservationRequest>): EpochMillis | undefined {
  if (row.sold || row.acknowledged) return undefined;
  return row.cancelled_at ?? (row.settling ? undefined : expiryOf(request));
}

function heldAt(holds: readonly Hold[], instant: EpochMillis): bigint {
  let held = 0n;
  for (const { units, from, until } of holds) {
    if (from <= instant && (until === undefined || until > instant)) held += units;
  }
  return held;
}
