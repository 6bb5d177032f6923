/**
 * Which moves do not touch each other: after either, the other can still happen, and both orders lead to the same
 * state. A move of one node reads and writes that node, its endpoint, what is under way to it, and its own clients; it
 * adds to what is under way to others. Source: DESIGN section 5.1.
 */
import type { Move, WorldState } from "./moves.ts";
import type { SmallWorld } from "./small-world.ts";

/** What a move touches. */
export interface Footprint {
  /** The node that it moves; none for what happens between nodes. */
  readonly node: number | undefined;
  /** Parts of the environment, as bits. */
  readonly parts: number;
  /** What was under way and is so no longer. */
  readonly item: number | undefined;
  /** Whether it touches everything: links, the clock, processes. */
  readonly whole: boolean;
}

const DROPS = 1;
const COPIES = 2;
const CHAIN = 4;
const FIRST_CLIENT = 8;
const WHOLE: Footprint = { node: undefined, parts: 0, item: undefined, whole: true };

/** The footprint of a move, the same in every state. */
export function footprintOf(world: SmallWorld, move: Move): Footprint {
  switch (move.kind) {
    case "deliver": {
      const item = world.itemAt(move.item);
      if (item.kind === "dial" || item.kind === "write") return WHOLE;
      return { node: item.to, parts: 0, item: move.item, whole: false };
    }
    case "drop":
      return { node: undefined, parts: DROPS, item: move.item, whole: false };
    case "copy":
      return { node: undefined, parts: COPIES, item: move.item, whole: false };
    // An endpoint goes on to the same stage, however much further the chain is by then.
    case "look":
      return { node: move.node, parts: 0, item: undefined, whole: false };
    case "chain":
      return { node: undefined, parts: CHAIN, item: undefined, whole: false };
    case "timer":
      return { node: move.node, parts: 0, item: undefined, whole: false };
    case "sync":
      return { node: move.node, parts: clientsOf(world, move.node), item: undefined, whole: false };
    case "call": {
      const vias = new Set(world.clients()[move.client]?.map(({ via }) => via));
      const [via] = vias;
      if (vias.size !== 1) return WHOLE;
      return { node: via, parts: FIRST_CLIENT << move.client, item: undefined, whole: false };
    }
    default:
      return WHOLE;
  }
}

/** Whether two moves that can both happen may happen in either order. */
export function areIndependent(a: Footprint, b: Footprint): boolean {
  if (a.whole || b.whole || (a.parts & b.parts) !== 0) return false;
  if (a.node !== undefined && a.node === b.node) return false;
  return a.item === undefined || a.item !== b.item;
}

/** Whether a move changed no more of the environment than its footprint says. */
export function keptTo({ whole, parts }: Footprint, before: WorldState, after: WorldState): boolean {
  return whole || parts !== 0 || before.environment === after.environment;
}

/** Clients who talk to a node: it answers them. */
function clientsOf(world: SmallWorld, node: number): number {
  let parts = 0;
  world.clients().forEach((calls, client) => {
    if (calls.some(({ via }) => via === node)) parts |= FIRST_CLIENT << client;
  });
  return parts;
}
