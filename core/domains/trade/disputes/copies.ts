/**
 * Copied commitments: two arbitrators of one case handed in the same one. Both are kept, for refusing would let a
 * copier who reaches a node first lock the honest one out; the pair is flagged in the log. Source: protocol 03 W-14.
 */

import type { StepContext } from "../../../engine/step-context.ts";
import { toHex } from "../../../kernel/bytes.ts";
import type { DisputeRow } from "./tables.ts";
import { Disputes } from "./tables.ts";

/** A reaction: says once for each copy that it is there. */
export function flagCopies(context: StepContext): void {
  for (const { table, key } of context.draft.changes()) {
    if (table !== Disputes.name) continue;
    const after = context.draft.get(Disputes, key);
    const copies = copiesIn(after);
    if (after === undefined || copies <= copiesIn(context.base.get(Disputes, key))) continue;
    context.emit({ type: "log", level: "warn", event: "copied commitment", fields: { case: after.open, copies } });
  }
}

/** Commitments that another arbitrator of the case handed in as well. */
function copiesIn(row: DisputeRow | undefined): number {
  const commitments = row?.commitments ?? [];
  return commitments.length - new Set(commitments.map(({ commitment }) => toHex(commitment))).size;
}
