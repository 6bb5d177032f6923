/**
 * What a disk that wore says of the set, put right at a start: memory is folded from all the statements its rows hold,
 * and where that is not what the rows say, the rows follow. A checkpoint is of memory, and needs none of it.
 * Source: CONVERGENCE "Durability", B1.
 */

import type { StoredRow } from "../../inputs.ts";
import type { Draft } from "../../kernel/draft.ts";
import { inMemory, table } from "../../kernel/table.ts";
import type { StepContext } from "../step-context.ts";
import { foldOf } from "../step-context.ts";
import { dropOvertaken } from "./own-statements.ts";
import { isCounted } from "./space.ts";
import { Pending, Statements } from "./table.ts";

/** Tables in which rows of one statement lie. */
type LoadedFrom = "statements" | "pending" | "both";

/**
 * Where rows of a statement were loaded from, by identity, while they are not where the set has it: of one that waits,
 * of one that was dropped, and of one that no longer waits though a row says so.
 */
export const LoadedRows = table<LoadedFrom>("loaded_rows", inMemory<LoadedFrom>(), { root: "local" });

/** Notes rows of statements that a step loaded, once all of them are folded. */
export function noteLoaded(draft: Draft, rows: readonly Pick<StoredRow, "table" | "key">[]): void {
  for (const { table: name, key } of rows) {
    const [from, noted] = [name as LoadedFrom, draft.get(LoadedRows, key)];
    if (noted === undefined && from === "statements" && draft.get(Statements, key) !== undefined) continue;
    draft.put(LoadedRows, key, noted === undefined || noted === from ? from : "both");
  }
  for (const { table: name, key } of draft.changes()) {
    if (name !== Statements.name) continue;
    // Something newer took the place of one that was loaded before, or its parent came.
    if (draft.get(Statements, key) === undefined) draft.put(LoadedRows, key, "both");
    else if (draft.get(LoadedRows, key) === "statements") draft.put(LoadedRows, key, undefined);
  }
}

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
 * A statement whose parent's row was lost waits again, one whose parent is here does not, whatever table its row lay
 * in, and one that was dropped has none. Left where it lay, the row would count again at a later start.
 */
function placeRows(draft: Draft): void {
  for (const key of [...draft.keys(LoadedRows)]) {
    const from = draft.get(LoadedRows, key);
    draft.put(LoadedRows, key, undefined);
    const waits = draft.get(Pending, key);
    if (waits !== undefined && from === "pending") continue;
    draft.put(Pending, key, waits);
    draft.put(Statements, key, draft.get(Statements, key));
  }
}
