/**
 * The set itself, which every network has: accepted statements, those that wait for a parent, what is sealed, and the
 * queue of what is still to be attached. Source: CONVERGENCE "Three layers", B5.
 */

import { defineDomain } from "../domain.ts";
import { Attaching, HeldCalls } from "./attaching.ts";
import { attachMore, beginAttaching } from "./slices.ts";
import { Pending, Seals, Statements } from "./table.ts";

export const statements = defineDomain({
  name: "statements",
  records: [Statements, Pending],
  tables: [Seals, Attaching, HeldCalls],
  onChange: [beginAttaching],
  timers: { attach: attachMore },
});
