/**
 * Forgetting announcements of slots that cannot be: a node without a slot takes any, and drops the false ones once
 * it knows better, or it would hold for ever what all others refuse. Source: protocol 05 §14.24.
 */

import { Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import { isPlausible, NewestSlots } from "../chain-bridge/newest-slot.ts";
import { SNAPSHOT_UNIT } from "./fold.ts";
import { highestAnnounced, Snapshots } from "./tables.ts";

/** Announcements that one step forgets; the next slot that is believed goes on. Source: DESIGN "Work at once". */
export const FORGOTTEN_AT_ONCE = 64;

/** A reaction: looks at those of the highest slots when another slot is believed. */
export function forgetImplausible(context: StepContext): void {
  const { draft, now } = context;
  if (!draft.changes().some(({ table }) => table === NewestSlots.name)) return;
  const fold = foldOf(context);
  for (const identity of highestAnnounced(draft, FORGOTTEN_AT_ONCE)) {
    const snapshot = draft.get(Snapshots, identity);
    if (snapshot === undefined || isPlausible(draft, snapshot.slot, now)) break;
    draft.put(Statements, identity, undefined);
    fold.mark(SNAPSHOT_UNIT, snapshot.producer);
  }
  fold.run();
}
