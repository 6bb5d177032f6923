/**
 * The set itself, which every network has: accepted statements, those that wait for a parent, what is sealed, the queue
 * of what is still to be attached, the calls that wait for it, and how much room is whose.
 * Source: CONVERGENCE "Three layers", B3, B5.
 */

import { defineDomain } from "../domain.ts";
import type { StepContext } from "../step-context.ts";
import { foldOf, onChangeOf } from "../step-context.ts";
import { Attaching } from "./attaching.ts";
import { HeldCalls, Slices } from "./held-calls.ts";
import { dropOvertaken } from "./own-statements.ts";
import { attachMore, beginAttaching } from "./slices.ts";
import { countSpace, countSpaceFromStart, isCounted, Spaces } from "./space.ts";
import { Pending, Seals, Statements } from "./table.ts";

export const statements = defineDomain({
  name: "statements",
  records: [Statements, Pending],
  tables: [Seals, Attaching, HeldCalls, Slices, Spaces],
  onStart: [countSpaceFromStart, mendLoaded],
  onChange: [onChangeOf([Attaching], beginAttaching)],
  afterChange: [onChangeOf([Statements, Pending, Seals], countSpace)],
  afterCatchUp: [countSpace],
  timers: { attach: attachMore },
});

/**
 * What rows may have kept that memory had dropped leaves the set, and what it touched is folded again without it; a
 * checkpoint is of memory.
 */
function mendLoaded(context: StepContext): void {
  if (isCounted(context.base)) return;
  const { draft, registry, crypto } = context;
  const fold = foldOf(context);
  for (const statement of dropOvertaken(context))
    for (const { touches } of registry.units(crypto)) touches[statement.type.name]?.(draft, statement, fold.mark);
  fold.run();
}
