/**
 * Broadcast trees: along which links a statement travels whole. At first along all; a link on which it came for the
 * second time is lazy from then on, for what the same node puts on the wire, so that each node is pushed about one copy
 * and that by the fastest way. What lazy links would have brought is announced on them (news.ts). A peer of other
 * software is always pushed to. Source: DESIGN "Gossip and sync".
 */

import type { StepContext } from "../../engine/step-context.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { table } from "../../kernel/table.ts";
import { PeerId } from "../../kernel/values.ts";
import { connectedPeers, peerOf } from "../peers/peers.ts";

/** Origins that have a tree of their own; what all others put on the wire shares one more. Source: DESIGN L10. */
export const TREES_MAX = 512;
/** The tree of origins that have none of their own. */
const SHARED = "";

const Tree = struct("BroadcastTree", { lazy: list(PeerId) });

/** The links that are lazy for an origin, by its peer id. */
export const Trees = table("broadcast_trees", Tree, { root: "local", indexes: { lazy: ({ lazy }) => lazy } });

/** The connected peers to which a statement is pushed whole that `origin` put on the wire. */
export function eagerPeers(context: StepContext, origin: PeerId): readonly PeerId[] {
  const lazy = context.draft.get(Trees, keyOf(context, origin))?.lazy ?? [];
  const connected = connectedPeers(context.draft);
  return lazy.length === 0 ? connected : connected.filter((peer) => !lazy.includes(peer));
}

/** A link brings nothing new of what `origin` puts on the wire. */
export function makeLazy(context: StepContext, peer: PeerId, origin: PeerId): void {
  if (!peerOf(context.draft, peer).announces) return;
  const key = keyOf(context, origin);
  const lazy = context.draft.get(Trees, key)?.lazy ?? [];
  if (!lazy.includes(peer)) context.draft.put(Trees, key, { lazy: lazy.concat(peer) });
}

/** A link is needed again for what `origin` puts on the wire. */
export function makeEager(context: StepContext, peer: PeerId, origin: PeerId): void {
  remove(context, peer, keyOf(context, origin));
}

/** A link is new, or over: it counts as needed by all. */
export function forgetLink(context: StepContext, peer: PeerId): void {
  for (const key of context.draft.find(Trees, "lazy", peer)) remove(context, peer, key);
}

function remove(context: StepContext, peer: PeerId, key: string): void {
  const lazy = context.draft.get(Trees, key)?.lazy;
  if (lazy === undefined || !lazy.includes(peer)) return;
  const left = lazy.filter((each) => each !== peer);
  context.draft.put(Trees, key, left.length === 0 ? undefined : { lazy: left });
}

function keyOf({ draft }: StepContext, origin: PeerId): string {
  return draft.get(Trees, origin) !== undefined || draft.size(Trees) < TREES_MAX ? origin : SHARED;
}
