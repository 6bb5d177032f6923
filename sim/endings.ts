/**
 * The tables that reports end with: what each node came to.
 */
import { disputeById, Statements } from "../core/testing.ts";
import type { World } from "./world.ts";

/** A table for people. */
export interface Ending {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Characters of a root that tell two apart at a glance. */
const ROOT_SHORT = 8;
const ROOTS = ["statements root", "facts root", "state root"];

/** Every node with its roots. */
export function rootsTable(world: World): Ending {
  return {
    columns: ["node", ...ROOTS],
    rows: world.nodes.map(({ index }) => [String(index), ...shortRoots(world, index)]),
  };
}

/** Every node with what it shows of a dispute, and its roots. */
export function disputeTable(world: World, dispute: string, gossipOnly: readonly number[]): Ending {
  const rows = world.nodes.map(({ index, driver }) => {
    const view = driver()?.view;
    const row = view && disputeById(view, dispute);
    const mode = gossipOnly.includes(index) ? "gossip-only" : "rpc-connected";
    const statements = String(view?.size(Statements) ?? 0);
    const shown = [row?.status ?? "-", row?.resolution ?? "none"];
    return [String(index), mode, ...shown, statements, ...shortRoots(world, index)];
  });
  return { columns: ["node", "mode", "dispute", "resolution", "statements", ...ROOTS], rows };
}

/** The three roots of a node, short: statements, facts, state. */
function shortRoots(world: World, node: number): readonly string[] {
  const { statements, facts, state } = world.rootsOf(node);
  return [statements, facts, state].map((root) => root.slice(0, ROOT_SHORT));
}
