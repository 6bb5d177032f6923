/**
 * Forgetting: dispatches and receipts go thirty days after they last changed, so many a step. A node that has neither
 * is never woken. The same timer tells more subscribers of an occasion that has many.
 * Source: protocol 04 §6.12; CONVERGENCE B5.
 */

import type { DatedRows } from "../../engine/dated-rows.ts";
import { noteDated, removeDated, SWEPT_AT_ONCE } from "../../engine/dated-rows.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { known } from "../../kernel/assert.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import type { DispatchRow, ReceiptRow } from "./tables.ts";
import { Dispatches, Plans, Receipts } from "./tables.ts";

/** How long a dispatch or a receipt is kept after its last change, in milliseconds. Source: protocol 04 §6.12. */
export const KEPT_MS = 30 * 86_400_000;
/** Between two sweeps, in milliseconds. Source: protocol 04 §7. */
export const SWEEP_EVERY_MS = 3_600_000;

const dispatches: DatedRows<DispatchRow> = { table: Dispatches, group: "", dateOf: ({ updated_at }) => updated_at };
const receipts: DatedRows<ReceiptRow> = { table: Receipts, group: "", dateOf: ({ updated_at }) => updated_at };

/** Whether a record of this date is still shown at an instant. */
export function isKept(updated: EpochMillis, now: EpochMillis): boolean {
  return later(updated, KEPT_MS) >= now;
}

/** Drops what is too old, and wakes again at once for more of it, else while anything is left. */
export function sweepNotifications(context: StepContext): void {
  if (dropOld(context) && context.draft.size(Plans) === 0) wakeWhileAny(context);
  else context.emit({ type: "timer.set", timer: "notification-sweep", at: context.now });
}

/** A reaction: the dates of dispatches and receipts that a step wrote. */
export function noteNotificationDates({ draft }: StepContext): void {
  for (const { table, key, record } of draft.changes()) {
    if (record === undefined) continue;
    if (table === Dispatches.name) noteDated(draft, Dispatches, key, record as DispatchRow);
    if (table === Receipts.name) noteDated(draft, Receipts, key, record as ReceiptRow);
  }
}

/** At start: those of all that the store kept, or that was folded from it. */
export function noteDatesFromStart({ draft }: StepContext): void {
  for (const key of draft.keys(Dispatches))
    noteDated(draft, Dispatches, key, known(draft.get(Dispatches, key), "a dispatch"));
  for (const key of draft.keys(Receipts)) noteDated(draft, Receipts, key, known(draft.get(Receipts, key), "a receipt"));
}

/** Sets the timer when the first dispatch or receipt comes. */
export function setSweep(context: StepContext): void {
  if (context.base.size(Dispatches) + context.base.size(Receipts) === 0) wakeWhileAny(context);
}

/** Sets the timer when there is anything to sweep. */
export function wakeWhileAny(context: StepContext): void {
  if (context.draft.size(Dispatches) + context.draft.size(Receipts) === 0) return;
  context.emit({ type: "timer.set", timer: "notification-sweep", at: later(context.now, SWEEP_EVERY_MS) });
}

/**
 * One slice; whether that was all. A receipt's report leaves the set with it: no ingress would take it again.
 */
function dropOld({ base, draft, now }: StepContext): boolean {
  if (now <= KEPT_MS) return true;
  const before = now - BigInt(KEPT_MS);
  const sent = removeDated(draft, dispatches, before, SWEPT_AT_ONCE);
  const read = removeDated(draft, receipts, before, SWEPT_AT_ONCE - sent.keys.length);
  for (const key of read.keys) {
    const report = base.get(Receipts, key)?.report;
    if (report !== undefined) draft.put(Statements, report, undefined);
  }
  return sent.isAll && read.isAll;
}
