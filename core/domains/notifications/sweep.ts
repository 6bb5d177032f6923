/**
 * Forgetting: dispatches and receipts go thirty days after they last changed. A node that has neither is never woken.
 * Source: protocol 04 §6.12.
 */

import type { Turn } from "../../engine/step-context.ts";
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
export function sweepNotifications(turn: Turn): void {
  for (const key of [...turn.draft.keys(Dispatches)]) {
    const dispatch = turn.draft.get(Dispatches, key);
    if (dispatch !== undefined && !isKept(dispatch.updated_at, turn.now)) turn.draft.put(Dispatches, key, undefined);
  }
  if (turn.now > KEPT_MS) forgetReports(turn.draft, (turn.now - BigInt(KEPT_MS)) as EpochMillis);
  wakeWhileAny(turn);
}

/** Sets the timer when the first dispatch or receipt comes. */
export function setSweep(turn: Turn): void {
  if (turn.base.size(Dispatches) + turn.base.size(Receipts) === 0) wakeWhileAny(turn);
}

/** Sets the timer when there is anything to sweep. */
export function wakeWhileAny(turn: Turn): void {
  if (turn.draft.size(Dispatches) + turn.draft.size(Receipts) === 0) return;
  turn.emit({ type: "timer.set", timer: "notification-sweep", at: later(turn.now, SWEEP_EVERY_MS) });
}
