/**
 * Liveness: all nodes hold the same statements, and so the same state. Facts may differ: a gossip-only node has none.
 */
import type { LivenessCheck } from "../scenario.ts";

export const replicasConverge: LivenessCheck = {
  name: "replicas-converge",
  missing(world) {
    const [first, ...others] = world.nodes.map((node) => ({ name: node.name, roots: world.rootsOf(node.index) }));
    if (first === undefined) return undefined;
    for (const { name, roots } of others) {
      if (roots.statements !== first.roots.statements) return `${name} and ${first.name} hold different statements`;
      const sameFacts = roots.facts === first.roots.facts && roots.archive === first.roots.archive;
      if (sameFacts && roots.state !== first.roots.state) return `${name} and ${first.name} are in different states`;
    }
    return undefined;
  },
};
