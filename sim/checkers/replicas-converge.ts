/**
 * Liveness: all nodes hold the same statements, and all that hold the same facts beside are in the same state. Facts
 * may differ: a gossip-only node has none.
 */
import type { LivenessCheck } from "../liveness.ts";

/** In the end every node holds the same set and shows the same state. Law L2. */
export const replicasConverge: LivenessCheck = {
  name: "replicas-converge",
  missing(world) {
    const nodes = world.nodes.map((node) => ({ name: node.name, roots: world.rootsOf(node.index) }));
    const byFacts = new Map<string, (typeof nodes)[number]>();
    for (const node of nodes) {
      const [{ name, roots }, first = node] = [node, nodes[0]];
      if (roots.statements !== first.roots.statements) return `${name} and ${first.name} hold different statements`;
      const facts = roots.facts + roots.archive;
      const other = byFacts.get(facts) ?? node;
      if (roots.state !== other.roots.state) return `${name} and ${other.name} are in different states`;
      byFacts.set(facts, other);
    }
    return undefined;
  },
};
