/**
 * Forgetting announcements of slots that cannot be: a node without a slot takes any, and drops the false ones once
 * it knows better, or it would hold for ever what all others refuse. Source: protocol 05 §14.24.
 */

import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { isPlausible, NewestSlots } from "../chain-bridge/newest-slot.ts";
import { SNAPSHOT_UNIT } from "./fold.ts";
import { Snapshots } from "./tables.ts";

/** A reaction: looks through what is held when the slot that is believed has just come, or gone down. */
export function forgetImplausible(context: StepContext): void {
  const { draft, base, now } = context;
  const change = draft.changes().find(({ table }) => table === NewestSlots.name);
  if (change === undefined) return;
  const [before, after] = [base.get(NewestSlots, change.key), draft.get(NewestSlots, change.key)];
  if (before !== undefined && after !== undefined && after.slot >= before.slot) return;
  const fold = foldOf(context);
  for (const identity of [...draft.keys(Snapshots)]) {
    const snapshot = draft.get(Snapshots, identity);
    if (snapshot === undefined || isPlausible(draft, snapshot.slot, now)) continue;
    draft.put(Statements, identity, undefined);
    fold.mark(SNAPSHOT_UNIT, snapshot.producer);
  }
  fold.run();
}
