/**
 * The sweep, once a minute: what has become too old leaves the log, the orphans, what was refused and what was
 * compared, so many rows a step, and then the peers, the claims and the allowances; a node with few peers asks one of
 * them for more. Of the set nothing is dropped; what is terminal is sealed.
 * Source: protocol 01 §5.5 (60 s), §7.6 (retention), §13.1 (H); 05 §8.2; CONVERGENCE B4, B5; the rest is DESIGN L10.
 */

import { RECOVERY_AGE_MS_MAX, STATEMENT_AGE_MS_MAX } from "../../engine/admission/ingress.ts";
import type { DatedRows } from "../../engine/dated-rows.ts";
import { DatedHours, noteDated, removeDated, SWEPT_AT_ONCE } from "../../engine/dated-rows.ts";
import { Pending } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { known } from "../../kernel/assert.ts";
import type { Draft } from "../../kernel/draft.ts";
import type { Table } from "../../kernel/table.ts";
import { later } from "../../kernel/values.ts";
import { sweepClaims } from "../peers/address-claims.ts";
import { sweepObserved } from "../peers/observed-addresses.ts";
import { sweepPeers } from "../peers/peers.ts";
import { sweepLinks } from "./credit.ts";
import type { StoredEvent } from "./envelope.ts";
import { Events, plainOf } from "./envelope.ts";
import { askForMore } from "./exchange.ts";
import { ComparedRanges, forgetRangesOver } from "./idle-ranges.ts";
import { forgetEventsOf } from "./originate.ts";
import { Refusals } from "./refused.ts";

/** How often, in milliseconds. Source: protocol 01 §5.5. */
export const SWEEP_EVERY_MS = 60_000;
/**
 * How long the log keeps an event, in milliseconds; a comparison still carries its statement. Source: protocol 01 §7.6.
 */
export const LOG_MS = BigInt(STATEMENT_AGE_MS_MAX);
/** How long an orphan waits after its date, in milliseconds: a comparison brings it as long. Source: CONVERGENCE B4. */
export const ORPHAN_MS = BigInt(RECOVERY_AGE_MS_MAX);

/** Takes away so many expired rows, and what goes with each. */
type Take = (context: StepContext, most: number) => { readonly keys: readonly string[]; readonly isAll: boolean };

/** By the names of their tables, what notes a row that leaves by a date. */
const NOTED = new Map([noting(Pending), noting(Refusals), noting(ComparedRanges), noting(Events)]);

/** The timer `sweep`: one slice of the expired rows, and the next at once; everything else follows the last one. */
export function sweep(context: StepContext): void {
  if (!takeExpired(context, expiredAt(context), SWEPT_AT_ONCE)) return goOnSweeping(context);
  if (!sweepLinks(context, SWEPT_AT_ONCE)) return goOnSweeping(context);
  sweepPeers(context);
  sweepClaims(context);
  sweepObserved(context);
  for (const seal of context.registry.seals) seal(context);
  askForMore(context);
  sweepSoon(context);
}

/** At start: notes the rows that the store kept, and takes the expired of the log before anybody is given them. */
export function sweepFromStart(context: StepContext): void {
  const { base, draft } = context;
  // A checkpoint holds what was noted.
  if (base.size(DatedHours) === 0) noteLoaded(draft);
  if (takeExpired(context, [logAt(context)], SWEPT_AT_ONCE)) sweepSoon(context);
  else goOnSweeping(context);
}

function noteLoaded(draft: Draft): void {
  for (const key of draft.keys(Pending)) noteDated(draft, Pending, key, known(draft.get(Pending, key), "an orphan"));
  for (const key of draft.keys(Events)) noteDated(draft, Events, key, known(draft.get(Events, key), "an event"));
}

/** After a step: the dates of what it wrote. */
export function noteDates({ draft }: StepContext): void {
  for (const { table, key, record } of draft.changes())
    if (record !== undefined) NOTED.get(table)?.(draft, key, record);
}

/** Takes away so many rows; whether that was all. */
export function takeExpired(context: StepContext, takes: readonly Take[], most: number): boolean {
  let left = most;
  for (const take of takes) {
    const { keys, isAll } = take(context, left);
    left -= keys.length;
    if (!isAll) return false;
  }
  return true;
}

/** All that is expired. What carried an orphan goes with it, of whatever date: it would only bring it again. */
export function expiredAt(context: StepContext): readonly Take[] {
  const { now } = context;
  return [
    taking({ table: Pending, group: "", dateOf: ({ timestamp }) => timestamp }, now - ORPHAN_MS, forgetEventsOf),
    taking({ table: Refusals, group: "", dateOf: ({ until }) => until }, now + 1n, forgetRangesOver),
    taking({ table: ComparedRanges, group: "", dateOf: ({ until }) => until }, now + 1n),
    ...[...context.registry.events].map(([ofs, { keptMs }]) => plainAt(context, ofs, keptMs)),
    logAt(context),
  ];
}

/** The same of the log. */
function logAt({ now }: StepContext): Take {
  return taking({ table: Events, group: "", dateOf: dateOfEvent }, now - LOG_MS);
}

/** The same of events without a statement, of one specification, which are kept as long as whoever reads them says. */
function plainAt({ now }: StepContext, ofs: number, keptMs: bigint): Take {
  return taking({ table: Events, group: plainOf(ofs), dateOf: dateOfEvent }, now - keptMs);
}

function dateOfEvent({ event }: StoredEvent): bigint {
  return event.timestamp;
}

function taking<R>(rows: DatedRows<R>, before: bigint, forget?: (context: StepContext, key: string) => void): Take {
  return (context, most) => {
    const taken = removeDated(context.draft, rows, before, most);
    if (forget !== undefined) for (const key of taken.keys) forget(context, key);
    return taken;
  };
}

function noting<R>(noted: Table<R>) {
  const note = (draft: Draft, key: string, record: unknown) => noteDated(draft, noted, key, record as R);
  return [noted.name, note] as const;
}

function goOnSweeping({ now, emit }: StepContext): void {
  emit({ type: "timer.set", timer: "sweep", at: now });
}

function sweepSoon(context: StepContext): void {
  context.emit({ type: "timer.set", timer: "sweep", at: later(context.now, SWEEP_EVERY_MS) });
}
