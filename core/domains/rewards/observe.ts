/**
 * What is observed: a peer is there in the slice in which an event of its own making reached this node; it
 * reached the chain when it announced a blockhash that this node's own endpoint has shown; it serves content
 * when it answered a challenge. Source: OFS-4100 §9; protocol 05 §4.2, §14.17, §14.19.
 */

import { ruleOf } from "../../engine/overrides.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import { recordsOf } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import type { GossipEvent } from "../../network/gossip/envelope.ts";
import { Events } from "../../network/gossip/envelope.ts";
import { BlockhashAnnounced } from "../chain-bridge/gossip-events.ts";
import { OWN, pairOf, SlotObservations } from "../chain-bridge/view.ts";
import { EPOCHS_KEPT, epochOf, sliceOf } from "./epochs.ts";
import type { Announcement, Observation } from "./schema.ts";
import { Announcements, Observations, observationKey } from "./tables.ts";

/** How old an event may be to show that its origin is there, in milliseconds. Source: protocol 05 §14.17. */
export const PRESENCE_AGE_MS_MAX = 900_000n;
/** Origins of one announced blockhash that are credited. Source: protocol 05 §14.19. */
export const CREDITED_ORIGINS_MAX = 3;
/** Peers observed in one epoch at most. Source: DESIGN L10. */
export const OBSERVED_PEERS_MAX = 10_000;
/** Announcements of one origin, and in all, that wait to be confirmed. Source: DESIGN L10. */
export const ANNOUNCEMENTS_PER_ORIGIN_MAX = 32;
export const ANNOUNCEMENTS_MAX = 8_192;
/** Stands for this node's own endpoint among origins. */
const ENDPOINT = "" as PeerId;

/** Looks at what the step stored: events of origins, and the head that this node's endpoint showed. */
export function observePeers(context: StepContext): void {
  for (const { table, key, record } of context.draft.changes()) {
    if (table === Events.name && record !== undefined && context.base.get(Events, key) === undefined)
      ruleOf(context.configuration, observeEvent)(context, (record as { readonly event: GossipEvent }).event);
    if (table === SlotObservations.name && key === OWN && record !== undefined)
      noteAnnouncement(context, ENDPOINT, record as { readonly slot: bigint; readonly blockhash: string });
  }
}

/** A peer answered a content challenge: it serves content, and is there. Source: protocol 05 §4.3. */
export function observeServing(context: StepContext, peer: PeerId): void {
  credit(context, peer, context.now, { served_content: true });
}

/** An origin is there when its event reaches this node soon; what it announces is for this node's endpoint to show. */
export function observeEvent(context: StepContext, event: GossipEvent): void {
  if (context.now - event.timestamp > PRESENCE_AGE_MS_MAX) return;
  credit(context, event.origin, context.now, {});
  if (!announcesBlockhash(event)) return;
  const announcement = decodeCompact(BlockhashAnnounced, event.payload);
  if (announcement !== undefined) noteAnnouncement(context, event.origin, announcement);
}

export function announcesBlockhash({ ofs_spec, event_type }: GossipEvent): boolean {
  return ofs_spec === 4300 && event_type === "BlockhashAnnounced";
}

/** Keeps an announcement, and credits the first origins of the same one once this node's endpoint has shown it. */
function noteAnnouncement(
  context: StepContext,
  origin: PeerId,
  announced: { readonly slot: bigint; readonly blockhash: string },
): void {
  const announcement: Announcement = {
    origin,
    slot: announced.slot,
    blockhash: announced.blockhash,
    number: BigInt(context.number),
  };
  const key = `${pairOf(announcement)}/${origin}`;
  if (context.draft.get(Announcements, key) !== undefined) return;
  makeRoom(context, origin);
  if (context.draft.size(Announcements) >= ANNOUNCEMENTS_MAX) return;
  context.draft.put(Announcements, key, announcement);
  const same = recordsOf(context.draft, Announcements, "pair", pairOf(announcement));
  if (!same.some((each) => each.origin === ENDPOINT)) return;
  const origins = same.filter((each) => each.origin !== ENDPOINT).sort(compareArrival);
  for (const each of origins.slice(0, CREDITED_ORIGINS_MAX))
    credit(context, each.origin, context.now, { announced_blockhash: true });
}

function makeRoom(context: StepContext, origin: PeerId): void {
  const held = recordsOf(context.draft, Announcements, "origin", origin);
  if (held.length < ANNOUNCEMENTS_PER_ORIGIN_MAX) return;
  const oldest = [...held].sort(compareArrival)[0];
  if (oldest !== undefined) context.draft.put(Announcements, `${pairOf(oldest)}/${origin}`, undefined);
}

function compareArrival(a: Announcement, b: Announcement): number {
  if (a.number !== b.number) return a.number < b.number ? -1 : 1;
  return a.origin < b.origin ? -1 : 1;
}

/** Adds to what is known of a peer in an epoch: being there, and what it proved. */
export function credit(
  context: StepContext,
  peer: PeerId,
  at: bigint,
  proved: Partial<Pick<Observation, "announced_blockhash" | "served_content">>,
): void {
  const epoch = epochOf(at);
  const key = observationKey(epoch, peer);
  const held = context.draft.get(Observations, key);
  if (held === undefined && !withinEpochLimits(context, epoch)) return;
  const after: Observation = {
    epoch,
    peer,
    slices: (held?.slices ?? 0) | (1 << sliceOf(at)),
    announced_blockhash: proved.announced_blockhash ?? held?.announced_blockhash ?? false,
    served_content: proved.served_content ?? held?.served_content ?? false,
  };
  const same =
    held !== undefined &&
    held.slices === after.slices &&
    held.announced_blockhash === after.announced_blockhash &&
    held.served_content === after.served_content;
  if (!same) context.draft.put(Observations, key, after);
}

/** Room for one more peer in an epoch. The first peer of an epoch takes the place of those no longer kept. */
function withinEpochLimits(context: StepContext, epoch: bigint): boolean {
  const current = epochOf(context.now);
  if (epoch > current + 1n || epoch + EPOCHS_KEPT < current) return false;
  const observed = context.draft.count(Observations, "epoch", epoch.toString());
  if (observed === 0) {
    for (const key of [...context.draft.keys(Observations)]) {
      const held = context.draft.get(Observations, key);
      if (held !== undefined && held.epoch + EPOCHS_KEPT < current) context.draft.put(Observations, key, undefined);
    }
  }
  return observed < OBSERVED_PEERS_MAX;
}
