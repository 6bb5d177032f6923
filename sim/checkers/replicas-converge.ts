/**
 * Liveness: all nodes hold the same statements, and all that hold the same facts beside are in the same state. Facts
 * may differ: a gossip-only node has none. A node that was away seals nothing until it took a file or compared with two
 * peers, so where there are not as many it may have in its set what others have sealed, and nothing else.
 * Source: DESIGN L2; CONVERGENCE B7.
 */
import type { EpochMillis, Reader } from "../../core/index.ts";
import { absenceOf } from "../../core/index.ts";
import { Statements } from "../../core/testing.ts";
import type { LivenessCheck } from "../liveness.ts";

/** In the end every node holds the same set and shows the same state. Law L2. */
export const replicasConverge: LivenessCheck = {
  name: "replicas-converge",
  missing(world) {
    const nodes = world.nodes.map((node) => ({
      name: node.name,
      roots: world.rootsOf(node.index),
      view: node.driver()?.view,
    }));
    const byFacts = new Map<string, (typeof nodes)[number]>();
    for (const node of nodes) {
      const [{ name, roots }, first = node] = [node, nodes[0]];
      if (roots.statements !== first.roots.statements && !isSealedApart(node.view, first.view))
        return `${name} and ${first.name} hold different statements`;
      const facts = roots.facts + roots.archive;
      const other = byFacts.get(facts) ?? node;
      if (roots.state !== other.roots.state) return `${name} and ${other.name} are in different states`;
      byFacts.set(facts, other);
    }
    return undefined;
  },
};

/** Whether two nodes hold the same statements, of which one has sealed more while the other is away. */
function isSealedApart(one: Reader | undefined, other: Reader | undefined): boolean {
  if (one === undefined || other === undefined || !(isAway(one) || isAway(other))) return false;
  const keys = [...one.keys(Statements)];
  return keys.length === other.size(Statements) && keys.every((key) => other.get(Statements, key) !== undefined);
}

/** Whether a node has noted that it was away: it has compared with a peer since. */
function isAway(view: Reader): boolean {
  return absenceOf(view, 0n as EpochMillis).away;
}
