/**
 * What each fault of parts that wear or are shared does: lines of many directions, clocks that run at a
 * wrong rate, rows that change on a disk.
 * Rows as in fault-kinds.ts. Source: DESIGN section 5 "Faults".
 */

import type { SharedLine } from "./bottlenecks.ts";
import type { FaultOf } from "./fault-plans.ts";
import type { FaultRow } from "./fault-row.ts";
import { nodeOf, ofNode } from "./fault-row.ts";
import { share, unshare } from "./network-faults.ts";
import type { Drift } from "./node-state.ts";
import { MILLION } from "./random.ts";

/** The kinds of fault whose rows stand here; drawn worlds draw them from a stream of their own. */
export type WearKind = "shared-line" | "clock-drift" | "bit-rot" | "misdirected-write";

export const wearRows: { readonly [K in WearKind]: FaultRow<FaultOf<K>> } = {
  "shared-line": {
    text: ({ nodes, bytesPerMs }) => `one line of ${bytesPerMs} bytes a millisecond for ${nodes.join(",")}`,
    injects: () => ["shared-bandwidth"],
    nodes: ({ nodes }) => nodes,
    check: ({ nodes }) => (nodes.length > 0 ? undefined : "a line is shared by a node at least"),
    begin: ({ world: { network } }, { nodes, bytesPerMs }) => share(network, nodes, bytesPerMs),
    end: ({ world: { network } }, _, line) => unshare(network, line as SharedLine),
  },
  "clock-drift": {
    text: ({ node, ppm }) => `clock of ${node} drifts by ${ppm} ppm`,
    injects: () => ["clock-drift"],
    nodes: ofNode,
    check: ({ ppm }) => (Math.abs(ppm) <= MILLION / 2 ? undefined : "a clock drifts by half of its rate at most"),
    begin: ({ world }, { node, ppm }) => nodeOf(world, node).drift(ppm, world.faults.inject("clock-drift")),
    end: ({ world }, { node }, drift) => nodeOf(world, node).endDrift(drift as Drift),
  },
  "bit-rot": {
    text: ({ node, rows }) => `${rows} rotten ${rows === 1 ? "row" : "rows"} on disk ${node}`,
    injects: () => ["bit-rot"],
    nodes: ofNode,
    begin: ({ world }, { node, rows }) => nodeOf(world, node).disk.rot(rows, world.faults.inject("bit-rot")),
  },
  "misdirected-write": {
    text: ({ node }) => `misdirected write on disk ${node}`,
    injects: () => ["misdirected-write"],
    nodes: ofNode,
    begin: ({ world }, { node }) => nodeOf(world, node).disk.misdirect(world.faults.inject("misdirected-write")),
    // What has not gone astray by then no longer does.
    end: ({ world }, { node }) => nodeOf(world, node).disk.misdirect(undefined),
  },
};
