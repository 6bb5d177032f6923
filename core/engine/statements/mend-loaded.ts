/**
 * What a disk that wore says of the set, put right at a start: memory is folded from all the statements its rows hold,
 * and where that is not what the rows say, the rows follow. A checkpoint is of memory, and needs none of it.
 * Source: CONVERGENCE "Durability", B1.
 */

import type { Draft } from "../../kernel/draft.ts";
import { inMemory, table } from "../../kernel/table.ts";
import type { StepContext } from "../step-context.ts";
import { foldOf } from "../step-context.ts";
import { dropOvertaken } from "./own-statements.ts";
import { isCounted } from "./space.ts";
import { Pending, Statements } from "./table.ts";

/** The identities of statements whose rows were loaded as such that wait, until the start has looked at them. */
export const LoadedWaiting = table<true>("loaded_waiting", inMemory<true>(), { root: "local" });

/** Rows that no step of this life wrote are made to say what memory holds. */
export function mendLoaded(context: StepContext): void {
  if (isCounted(context.base)) return;
  dropKept(context);
  placeRows(context.draft);
}

/** What rows kept that memory had dropped leaves the set, and what it touched is folded again without it. */
function dropKept(context: StepContext): void {
  const { draft, registry, crypto } = context;
  const fold = foldOf(context);
  for (const statement of dropOvertaken(context))
    for (const { touches } of registry.units(crypto)) touches[statement.type.name]?.(draft, statement, fold.mark);
  fold.run();
}

/**
 * A statement whose parent's row was lost waits again, and one whose parent is here does not, whatever table its row
 * lay in. Left where it lay, the row would come back at the next start after the statement itself is gone.
 */
function placeRows(draft: Draft): void {
  const loaded = new Set(draft.keys(LoadedWaiting));
  for (const key of new Set([...draft.keys(Pending), ...loaded])) {
    if (loaded.has(key)) draft.put(LoadedWaiting, key, undefined);
    const waits = draft.get(Pending, key);
    if ((waits !== undefined) === loaded.has(key)) continue;
    draft.put(Pending, key, waits);
    draft.put(Statements, key, draft.get(Statements, key));
  }
}
