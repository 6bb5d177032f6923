/**
 * Rows of a node's own store, taken into memory: all of them at a start, or what was written and removed since a
 * checkpoint. They were verified when they came, so neither clocks nor signatures are asked again.
 * Source: CONVERGENCE "Durability".
 */

import type { StoredRow } from "../inputs.ts";
import { compactReader } from "../kernel/compact.ts";
import type { Statement } from "../kernel/signed.ts";
import type { StoreWrite } from "../ports/store.ts";
import type { Network } from "./domain.ts";
import type { Fold } from "./statements/fold.ts";
import { foldInto } from "./statements/fold.ts";
import { noteLoaded } from "./statements/mend-loaded.ts";
import { isCounted } from "./statements/space.ts";
import { Pending, Statements } from "./statements/table.ts";
import type { StepContext } from "./step-context.ts";

/** Takes rows of a store, in any order. */
export function takeRows(network: Network, context: StepContext, rows: readonly StoredRow[]): void {
  const fold = foldOver(context);
  const read = rows.filter((row) => takeRow(network, context, fold, row));
  fold.run();
  // A checkpoint is of memory, which is what its rows say.
  if (isCounted(context.base)) return;
  noteLoaded(
    context.draft,
    read.filter(({ table }) => isOfStatements(table)),
  );
}

/**
 * Takes what was written and, with `null`, removed since a checkpoint; removals have to come before all else, since
 * what took the place of a statement comes as a row of its own.
 */
export function takeChanges(network: Network, context: StepContext, changes: readonly StoreWrite[]): void {
  const fold = foldOver(context);
  for (const { table, key, bytes } of changes) {
    if (bytes === null) removeRow(network, context, fold, { table, key });
    else takeRow(network, context, fold, { table, key, bytes });
  }
  fold.run();
  for (const note of network.catchUps) note(context);
}

/** Whether the row could be read. */
function takeRow(network: Network, context: StepContext, fold: Fold, { table: name, key, bytes }: StoredRow): boolean {
  const table = network.tablesByName.get(name);
  if (table === undefined) return false;
  const reader = compactReader(bytes);
  const record = table.record.read(reader, network.typesByName);
  if (reader.failed()) {
    context.emit({ type: "log", level: "error", event: "unreadable row", fields: { table: name } });
    return false;
  }
  if (isOfStatements(name)) {
    fold.admit(record as Statement);
    return true;
  }
  const before = context.draft.get(table, key);
  context.draft.put(table, key, record);
  for (const load of network.loaders) {
    load(context.draft, name, key, record, fold.mark);
    // What the row was about before has to be folded again as well.
    if (before !== undefined) load(context.draft, name, key, before, fold.mark);
  }
  return true;
}

function removeRow(
  network: Network,
  { draft, registry, crypto }: StepContext,
  fold: Fold,
  { table: name, key }: Pick<StoreWrite, "table" | "key">,
): void {
  const table = network.tablesByName.get(name);
  const before = table === undefined ? undefined : draft.get(table, key);
  if (table === undefined || before === undefined) return;
  draft.put(table, key, undefined);
  if (!isOfStatements(name)) for (const load of network.loaders) load(draft, name, key, before, fold.mark);
  if (name !== Statements.name) return;
  const statement = before as Statement;
  for (const { leaves } of registry.units(crypto)) leaves?.[statement.type.name]?.(draft, statement, fold.mark);
}

function foldOver({ draft, registry, crypto }: StepContext): Fold {
  const units = registry.units(crypto).map((unit) => unit.loading ?? unit);
  return foldInto(draft, units);
}

function isOfStatements(table: string): boolean {
  return table === Statements.name || table === Pending.name;
}
