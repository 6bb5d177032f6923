/**
 * Forgetting: dispatches and receipts go thirty days after they last changed. A node that has neither is never woken.
 * Source: protocol 04 §6.12.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { forgetReports } from "./fold.ts";
import { Dispatches, Receipts } from "./tables.ts";

/** How long a dispatch or a receipt is kept after its last change, in milliseconds. Source: protocol 04 §6.12. */
export const KEPT_MS = 30 * 86_400_000;
/** Between two sweeps, in milliseconds. Source: protocol 04 §7. */
export const SWEEP_EVERY_MS = 3_600_000;

/** Whether a record of this date is still shown at an instant. */
export function isKept(updated: EpochMillis, now: EpochMillis): boolean {
  return later(updated, KEPT_MS) >= now;
}

/** Drops what is too old, and wakes again while anything is left. */
export function sweepNotifications(context: StepContext): void {
  for (const key of [...context.draft.keys(Dispatches)]) {
    const dispatch = context.draft.get(Dispatches, key);
    if (dispatch !== undefined && !isKept(dispatch.updated_at, context.now))
      context.draft.put(Dispatches, key, undefined);
  }
  if (context.now > KEPT_MS) forgetReports(context.draft, (context.now - BigInt(KEPT_MS)) as EpochMillis);
  wakeWhileAny(context);
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
