/**
 * Peers with which a lone node compares its set, and who have nothing else: after two of them it is not away.
 * Source: CONVERGENCE B7.
 */
import { encodeCompact } from "../../core/kernel/schema.ts";
import { SetResponse } from "../../core/network/gossip/reconcile.ts";
import { peerOf } from "../gossip/link.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { person } from "../rpc/lone-node.ts";

export const [first, second] = [person(71), person(72)];

/** The node compares its set with a peer. */
export function compare(node: LoneNode, by: Person): void {
  const peer = peerOf(node, by);
  peer.connect();
  node.accept({ type: "timer.fired", timer: "recover" });
  for (const { request } of peer.sent("GossipSetRequest"))
    peer.answer(request, "GossipSetResponse", encodeCompact(SetResponse, { contents: [] }));
}

export function compareWithTwo(node: LoneNode): void {
  for (const by of [first, second]) compare(node, by);
}
