/**
 * What each fault of parts that wear or are shared does: clocks that run at a wrong rate. Rows as in fault-kinds.ts.
 * Source: DESIGN section 5 "Faults".
 */
import type { FaultOf } from "./fault-plans.ts";
import type { FaultRow } from "./fault-row.ts";
import { nodeOf, ofNode } from "./fault-row.ts";
import type { Drift } from "./node-state.ts";
import { MILLION } from "./random.ts";

/** The kinds of fault whose rows stand here; drawn worlds draw them from a stream of their own. */
export type WearKind = "clock-drift";

export const wearRows: { readonly [K in WearKind]: FaultRow<FaultOf<K>> } = {
  "clock-drift": {
    text: ({ node, ppm }) => `clock of ${node} drifts by ${ppm} ppm`,
    injects: () => ["clock-drift"],
    nodes: ofNode,
    check: ({ ppm }) => (Math.abs(ppm) <= MILLION / 2 ? undefined : "a clock drifts by half of its rate at most"),
    begin: ({ world }, { node, ppm }) => nodeOf(world, node).drift(ppm, world.faults.inject("clock-drift")),
    end: ({ world }, { node }, drift) => nodeOf(world, node).endDrift(drift as Drift),
  },
};
