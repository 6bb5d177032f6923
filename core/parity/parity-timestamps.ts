/**
 * When this node last carried a change over to another record: to the reference `updated_at` of advertisements and
 * reservations is that clock. Node-local, in no root, forgotten at a restart, and never written in the default profile,
 * where both read the newest statement. Source: protocol 02 B.2, C.2, O.10.
 */

import { GRANTED } from "../domains/trade/advertisements/allocation.ts";
import { verdictOf } from "../domains/trade/advertisements/ledger.ts";
import { Ledgers } from "../domains/trade/advertisements/tables.ts";
import type { ReservationRow } from "../domains/trade/reservations/schema.ts";
import { Reservations } from "../domains/trade/reservations/tables.ts";
import { Statements } from "../engine/statements/table.ts";
import type { StepContext } from "../engine/step-context.ts";
import type { Infer } from "../kernel/schema.ts";
import { struct } from "../kernel/schema-composites.ts";
import type { Reader } from "../kernel/table.ts";
import { table } from "../kernel/table.ts";
import { EpochMillis } from "../kernel/values.ts";

const ParityTimestamp = struct("ParityTimestamp", { at: EpochMillis });
/** By an advertisement's identity (its liquidity changed), or by a pair (its settlement did). */
export const ParityTimestamps = table<Infer<typeof ParityTimestamp>>("hook_clocks", ParityTimestamp, { root: "local" });

const NEVER = 0n as EpochMillis;

/** The node's clock when an advertisement's liquidity last changed. */
export function liquidityTouchedAt(reader: Reader, advertisement: string): EpochMillis {
  return reader.get(ParityTimestamps, advertisement)?.at ?? NEVER;
}

/** The node's clock when a reservation last followed its settlement. */
export function settlementTouchedAt(reader: Reader, pair: string): EpochMillis {
  return reader.get(ParityTimestamps, pair)?.at ?? NEVER;
}

/** Notes the clock beside every reservation that this step changed. */
export function noteParityTimestamps(context: StepContext): void {
  for (const { table, key } of context.draft.changes()) {
    if (table !== Reservations.name) continue;
    const [before, after] = [context.base.get(Reservations, key), context.draft.get(Reservations, key)];
    const request = after && context.draft.get(Statements, after.request);
    if (after === undefined || request === undefined) continue;
    if (verdictOf(context.draft.get(Ledgers, after.advertisement), request) !== GRANTED) continue;
    const clock = { at: context.now };
    if (movesLiquidity(before, after)) context.draft.put(ParityTimestamps, after.advertisement, clock);
    if (before !== undefined && followsAnew(before, after)) context.draft.put(ParityTimestamps, key, clock);
  }
}

function movesLiquidity(before: ReservationRow | undefined, after: ReservationRow): boolean {
  return before === undefined || before.cancelled_at !== after.cancelled_at;
}

function followsAnew(before: ReservationRow, after: ReservationRow): boolean {
  return before.settling !== after.settling || before.sold !== after.sold;
}
