/**
 * The set itself, which every network has: accepted statements, those that wait for a parent, what is sealed, the queue
 * of what is still to be attached, the calls that wait for it, and how much room is whose.
 * Source: CONVERGENCE "Three layers", B3, B5.
 */

import { defineDomain } from "../domain.ts";
import { onChangeOf } from "../step-context.ts";
import { Attaching } from "./attaching.ts";
import { HeldCalls, Slices } from "./held-calls.ts";
import { LoadedRows, mendLoaded } from "./mend-loaded.ts";
import { attachMore, beginAttaching } from "./slices.ts";
import { countSpace, countSpaceFromStart, Spaces } from "./space.ts";
import { Pending, Seals, Statements } from "./table.ts";

export const statements = defineDomain({
  name: "statements",
  records: [Statements, Pending],
  tables: [Seals, Attaching, HeldCalls, Slices, Spaces, LoadedRows],
  onStart: [countSpaceFromStart, mendLoaded],
  onChange: [onChangeOf([Attaching], beginAttaching)],
  afterChange: [onChangeOf([Statements, Pending, Seals], countSpace)],
  afterCatchUp: [countSpace],
  timers: { attach: attachMore },
});
