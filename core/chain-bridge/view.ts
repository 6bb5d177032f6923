/**
 * The slot view: what this node knows of the chain's head, from its own endpoint or from announcements.
 * Source: protocol 03 C.3, C.4, C.8; 05 §6.9 (plausible maximum).
 */

import type { Infer } from "../kernel/schema.ts";
import { struct } from "../kernel/schema-composites.ts";
import { u64 } from "../kernel/schema-scalars.ts";
import type { Reader } from "../kernel/table.ts";
import { table } from "../kernel/table.ts";
import { EpochMillis, Text } from "../kernel/values.ts";

/** How long a blockhash is fresh after it was observed, in milliseconds. Source: protocol 03 C.7. */
export const BLOCKHASH_FRESH_MS = 75_000n;
/** How far an announcement's times may be from this node's clock, in milliseconds. Source: protocol 03 C6. */
export const ANNOUNCEMENT_SKEW_MS_MAX = 60_000n;
/** Slots per time, and the slack over it. Source: protocol 05 §6.9. */
const SLOT_MS = 400n;
const SLOTS_SLACK = 1_500n;
/** Announcing origins remembered at most. Source: ours. */
export const ORIGINS_MAX = 1_024;

export const SlotObservation = struct("SlotObservation", { blockhash: Text, slot: u64, observed_at: EpochMillis });
export type SlotObservation = Infer<typeof SlotObservation>;
/** The newest announcement of each origin; the key `own` is this node's endpoint. */
export const SlotObservations = table<SlotObservation>("slot_observations", SlotObservation, { root: "local" });
export const OWN = "own";

/** The view at an instant: this node's own endpoint, else the second-highest fresh slot over origins. */
export function slotView(reader: Reader, now: EpochMillis): SlotObservation | undefined {
  return viewOver(reader, (observation) => isFresh(observation, now));
}

function viewOver(reader: Reader, counts: (observation: SlotObservation) => boolean): SlotObservation | undefined {
  const own = reader.get(SlotObservations, OWN);
  if (own !== undefined && counts(own)) return own;
  const heard: SlotObservation[] = [];
  for (const key of reader.keys(SlotObservations)) {
    const observation = reader.get(SlotObservations, key);
    if (key !== OWN && key !== "announced" && observation !== undefined && counts(observation)) heard.push(observation);
  }
  heard.sort((a, b) => (a.slot !== b.slot ? (a.slot > b.slot ? -1 : 1) : a.blockhash < b.blockhash ? -1 : 1));
  return heard[1] ?? heard[0];
}

/**
 * Whether a heard slot can be true, given the fresh one that is believed: when none is fresh, any may be the next
 * first one, or a low slot of one origin would shut out the true ones for ever. Source: protocol 05 §6.9.
 */
export function isPlausible(reader: Reader, slot: bigint, now: EpochMillis): boolean {
  return isReachable(slotView(reader, now), slot, now);
}

/** The same for a slot that somebody stamped on a snapshot, given the newest one held, fresh or not. */
export function isPlausibleStamp(reader: Reader, slot: bigint, now: EpochMillis): boolean {
  return isReachable(slotView(reader, now) ?? viewOver(reader, () => true), slot, now);
}

/**
 * Whether a slot can follow another by now. A node that holds none can tell only that no chain has had more than fit
 * since 1970. Source: protocol 05 §6.9; the second is ours.
 */
export function isReachable(newest: SlotObservation | undefined, slot: bigint, now: EpochMillis): boolean {
  if (newest === undefined) return slot * SLOT_MS <= now;
  const elapsed = now > newest.observed_at ? now - newest.observed_at : 0n;
  return slot <= newest.slot + (elapsed + SLOT_MS - 1n) / SLOT_MS + SLOTS_SLACK;
}

function isFresh(observation: SlotObservation, now: EpochMillis): boolean {
  return now - observation.observed_at < BLOCKHASH_FRESH_MS;
}
