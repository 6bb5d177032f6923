/**
 * Liveness: all nodes hold the same statements, and all that hold the same facts beside are in the same state. Facts
 * may differ: a gossip-only node has none. A node that was away seals nothing until it took a file or compared with two
 * peers, so where there are not as many it may have in its set what others have sealed, and nothing else. A node
 * without an endpoint that two liars told of one slot announces its files with it, and whoever knows better refuses
 * those. Source: DESIGN L2; CONVERGENCE B7; protocol 05 §6.3 (6b), §6.9.
 */
import type { EpochMillis, Reader } from "../../core/index.ts";
import { absenceOf } from "../../core/index.ts";
import { NewestSlots, SnapshotAnnounce, Statements } from "../../core/testing.ts";
import type { LivenessCheck } from "../liveness.ts";
import type { World } from "../world.ts";

/** In the end every node holds the same set and shows the same state. Law L2. */
export const replicasConverge: LivenessCheck = {
  name: "replicas-converge",
  missing(world) {
    const nodes = world.nodes.map((node) => ({
      name: node.name,
      roots: world.rootsOf(node.index),
      view: node.driver()?.view,
    }));
    const byHeld = new Map<string, (typeof nodes)[number]>();
    for (const node of nodes) {
      const [{ name, roots }, first = node] = [node, nodes[0]];
      if (roots.statements !== first.roots.statements && !mayDiffer(world, node.view, first.view))
        return `${name} and ${first.name} hold different statements`;
      const held = roots.statements + roots.facts + roots.archive;
      const other = byHeld.get(held) ?? node;
      if (roots.state !== other.roots.state) return `${name} and ${other.name} are in different states`;
      byHeld.set(held, other);
    }
    return undefined;
  },
};

/** Whether two nodes may hold what makes their roots differ: more sealed by one, or what one took who was fooled. */
function mayDiffer(world: World, one: Reader | undefined, other: Reader | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const apart = [...heldOnlyBy(one, other), ...heldOnlyBy(other, one)];
  // The same statements, of which one has sealed more while the other is away.
  if (apart.length === 0) return isAway(one) || isAway(other);
  const slot = world.chain()?.slot("processed");
  return slot !== undefined && apart.every((key) => tookSlotAfter(slot, one, key) || tookSlotAfter(slot, other, key));
}

/** Keys of statements that one node has in its set and the other has not. */
function heldOnlyBy(one: Reader, other: Reader): readonly string[] {
  return [...one.keys(Statements)].filter((key) => other.get(Statements, key) === undefined);
}

/** Whether a node that no endpoint told better holds the announcement of a file at a slot which the chain never had. */
function tookSlotAfter(slot: bigint, view: Reader, key: string): boolean {
  const held = view.get(Statements, key);
  if (held?.type.name !== SnapshotAnnounce.name || view.get(NewestSlots, "held")?.by === "own") return false;
  return (held.payload as SnapshotAnnounce).slot > slot;
}

/** Whether a node has noted that it was away: it has compared with a peer since. */
function isAway(view: Reader): boolean {
  return absenceOf(view, 0n as EpochMillis).away;
}
