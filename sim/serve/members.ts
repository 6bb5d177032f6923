/**
 * Which nodes a served network has: those of its first day, those that came since, and those that left for good. A
 * number is never given twice. Source: DESIGN section 6 "serve", L10.
 */
import { below, openStream } from "../random.ts";
import type { SimNode } from "../sim-node.ts";
import type { World } from "../world.ts";

/** Numbers of one served network at most: each has a server of its own. Source: DESIGN "Simulated world". */
export const SERVED_NODES_MAX = 200;
/** Nodes that one that comes later dials first. Source: DESIGN "Simulated world". */
const ENTRYPOINTS = 3;

/** One node, by its place in the list. */
export interface Member {
  readonly gossipOnly: boolean;
  /** Whom it dials first; what every world deals where it was there on the first day. */
  readonly entrypoints: readonly number[] | null;
  readonly left: boolean;
}

/** The nodes of the first day; the last so many have no endpoint of the chain. */
export function firstMembers({
  nodes,
  gossipOnly,
}: {
  readonly nodes: number;
  readonly gossipOnly: number;
}): readonly Member[] {
  return Array.from({ length: nodes }, (_, node) => {
    return { gossipOnly: node >= nodes - gossipOnly, entrypoints: null, left: false };
  });
}

/** The same with one more, who dials some of those that are there. */
export function withNewcomer(members: readonly Member[], seed: bigint, gossipOnly: boolean): readonly Member[] {
  const there = members.flatMap(({ left }, node) => (left ? [] : [node]));
  const stream = openStream(seed, `node/${members.length}/entrypoints`);
  const left = [...there];
  const dialled = there.slice(0, ENTRYPOINTS).flatMap((_, n) => left.splice(below(stream, n, left.length), 1));
  return [...members, { gossipOnly, entrypoints: dialled, left: false }];
}

/** The same without one. */
export function withoutMember(members: readonly Member[], gone: number): readonly Member[] {
  return members.map((member, node) => (node === gone ? { ...member, left: true } : member));
}

/** The nodes of a world that have not left. */
export function nodesThere({ nodes }: Pick<World, "nodes">, members: readonly Member[]): readonly SimNode[] {
  return nodes.filter(({ index }) => members[index]?.left === false);
}
