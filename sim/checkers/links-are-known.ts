/**
 * A node goes on to know of every connection that it knew of when it was told, until either end has closed it: in the
 * end, and once a memory that was given up is built again, because nobody tells of a connection twice. One that it does
 * not know of brings it nothing and takes nothing. Source: protocol 01 §5.5; DESIGN L2 (never of restart).
 */
import type { Reader } from "../../core/index.ts";
import { Peers } from "../../core/testing.ts";
import type { CheckContext, Checker, StepSeen } from "../checker.ts";

interface Links {
  /** Peers at the other end of what is open. */
  readonly open: Set<string>;
  /** The memory is new: it is only loaded, as while a disk refuses writes, or nothing has come to it from outside. */
  fresh: "loaded" | "started" | undefined;
}

/** What a memory is built from, before anything new comes. */
const BUILDING: readonly StepSeen["input"]["type"][] = ["store.loaded", "started", "peer.connected"];

/** No connection is forgotten. */
export function linksAreKnown({ violate, keep }: CheckContext): Checker {
  const nodes = keep(() => new Map<number, Links>());
  const of = (node: number): Links => {
    const known = nodes.get(node) ?? { open: new Set(), fresh: undefined };
    nodes.set(node, known);
    return known;
  };
  function look(node: number, { open }: Links, view: Reader): void {
    const unknown = [...open].find((peer) => !isKnown(view, peer));
    if (unknown !== undefined) violate(`node ${node} does not know that it is connected to ${unknown}`);
  }
  return {
    name: "links-are-known",
    onStep({ node, input, effects, view }) {
      const own = of(node);
      if (input.type === "store.loaded") own.fresh = "loaded";
      if (input.type === "started") own.fresh = "started";
      // Networks other than the marketplace's keep no such table.
      if (input.type === "peer.connected" && isKnown(view, input.peer)) own.open.add(input.peer);
      if (input.type === "peer.disconnected") own.open.delete(input.peer);
      for (const effect of effects) if (effect.type === "peer.disconnect") own.open.delete(effect.peer);
      if (own.fresh !== "started" || BUILDING.includes(input.type)) return;
      own.fresh = undefined;
      look(node, own, view);
    },
    onCrash: ({ node }) => void nodes.delete(node),
    onEnd(end) {
      for (const { node, view } of end.nodes) if (of(node).fresh === undefined) look(node, of(node), view);
    },
  };
}

function isKnown(view: Reader, peer: string): boolean {
  return view.get(Peers, peer)?.connected === true;
}
