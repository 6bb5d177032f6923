/**
 * A courier with an order of its own for every node: all get the same events, no two in the same order. Nothing it
 * brings is forged. Source: protocol 03 E S13, W-4.
 */

import { encodeCompact } from "../../core/index.ts";
import type { GossipEvent } from "../../core/testing.ts";
import { GossipEvent as GossipEventSchema, OFS_GOSSIP } from "../../core/testing.ts";
import type { Attacker } from "./attacker.ts";

/** Every order of so many things, by their places. */
export function ordersOf(count: number): readonly (readonly number[])[] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
  );
}

/** Brings each node the event that is next in its order of chapters; odd nodes read each chapter backwards. */
export function bringNext(courier: Attacker, chapters: readonly (readonly GossipEvent[])[], time: number): void {
  const orders = ordersOf(chapters.length);
  for (const node of courier.world.nodes) {
    const order = orders[node.index % orders.length] ?? [];
    const told = order.flatMap((at) => {
      const chapter = chapters[at] ?? [];
      return node.index % 2 === 0 ? chapter : chapter.toReversed();
    });
    const next = told[time];
    if (next !== undefined)
      courier.send(node.wallet.peer, OFS_GOSSIP, "GossipPush", encodeCompact(GossipEventSchema, next));
  }
}
