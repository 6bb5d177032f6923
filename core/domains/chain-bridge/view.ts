/**
 * The slot view: what this node knows of the chain's head, from its own endpoint or from announcements.
 * Source: protocol 03 C.3, C.4, C.8.
 */

import type { Infer } from "../../kernel/schema.ts";
import { struct } from "../../kernel/schema-composites.ts";
import { bool, u64 } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { table } from "../../kernel/table.ts";
import { EpochMillis, Text } from "../../kernel/values.ts";

/** How long a blockhash is fresh after it was observed, in milliseconds. Source: protocol 03 C.7. */
export const BLOCKHASH_FRESH_MS = 75_000n;
/** How far an announcement's times may be from this node's clock, in milliseconds. Source: protocol 03 C6. */
export const ANNOUNCEMENT_SKEW_MS_MAX = 60_000n;
/** Slots per time, and the slack over it. Source: protocol 05 §6.9. */
const SLOT_MS = 400n;
const SLOTS_SLACK = 1_500n;
/** Announcing origins remembered at most. Source: DESIGN "Bounds". */
export const ORIGINS_MAX = 1_024;

export const SlotObservation = struct("SlotObservation", { blockhash: Text, slot: u64, observed_at: EpochMillis });
export type SlotObservation = Infer<typeof SlotObservation>;
const HeldObservation = struct("HeldObservation", { ...SlotObservation.fields, passed_on: bool });
type HeldObservation = Infer<typeof HeldObservation>;
/** The newest announcement of each origin; `own` is this node's endpoint, `announced` what it last told of it. */
export const SlotObservations = table<HeldObservation>("slot_observations", HeldObservation, {
  root: "local",
  indexes: { passedOn: (row) => (row.passed_on ? [pairOf(row)] : []) },
});
/** The key under which the table holds what the own endpoint showed. */
export const OWN = "own";
/** The key of what peers announced. */
export const ANNOUNCED = "announced";

/** A blockhash and its slot, as an index value. */
export function pairOf({ slot, blockhash }: Pick<SlotObservation, "slot" | "blockhash">): string {
  return `${slot}/${blockhash}`;
}

/** What an origin said last. */
export interface OriginObservation {
  readonly origin: string;
  readonly observation: SlotObservation;
}

/**
 * The view at an instant: this node's own endpoint, else the second-highest fresh slot over origins, and the blockhash
 * that most of them announce there. Source: protocol 03 C9, C10, C11.
 */
export function slotView(reader: Reader, now: EpochMillis): SlotObservation | undefined {
  return freshOwn(reader, now) ?? preferred(freshObservations(reader, now));
}

/** What this node's own endpoint showed, while it is fresh. */
export function freshOwn(reader: Reader, now: EpochMillis): SlotObservation | undefined {
  const own = reader.get(SlotObservations, OWN);
  return own !== undefined && isFresh(own, now) ? own : undefined;
}

/** What origins announced, while it is fresh; the highest slot first. */
export function freshObservations(reader: Reader, now: EpochMillis): readonly OriginObservation[] {
  const observations: OriginObservation[] = [];
  for (const origin of reader.keys(SlotObservations)) {
    const observation = reader.get(SlotObservations, origin);
    if (origin === OWN || origin === ANNOUNCED || observation === undefined || !isFresh(observation, now)) continue;
    observations.push({ origin, observation });
  }
  return observations.sort((a, b) => compareObservations(a.observation, b.observation));
}

/** What one liar cannot raise. */
export function secondHighest(observations: readonly OriginObservation[]): OriginObservation | undefined {
  return observations[1] ?? observations[0];
}

/**
 * Slots of which more than one blockhash was told, of those told no longer before the newest than one is fresh: a node
 * that hears nothing goes on counting what it heard last. Source: protocol 03 C10.
 */
export function forkedSlots(reader: Reader): number {
  const told = [...reader.keys(SlotObservations)].flatMap((origin) => reader.get(SlotObservations, origin) ?? []);
  const newest = told.reduce((most, { observed_at }) => (observed_at > most ? observed_at : most), 0n) as EpochMillis;
  const blockhashes = new Map<bigint, string>();
  const forked = new Set<bigint>();
  for (const observation of told) {
    const { slot, blockhash } = observation;
    if (!isFresh(observation, newest)) continue;
    if ((blockhashes.get(slot) ?? blockhash) !== blockhash) forked.add(slot);
    blockhashes.set(slot, blockhash);
  }
  return forked.size;
}

/**
 * What is shown of observations: the slot that one liar cannot raise, and of its blockhashes the one that most origins
 * announce, of as many the smallest, which stands first. Source: protocol 03 C9, C10.
 */
function preferred(observations: readonly OriginObservation[]): SlotObservation | undefined {
  const shown = secondHighest(observations)?.observation;
  const there = observations.flatMap(({ observation }) => (observation.slot === shown?.slot ? [observation] : []));
  const origins = new Map<string, number>();
  for (const { blockhash } of there) origins.set(blockhash, (origins.get(blockhash) ?? 0) + 1);
  let best = "";
  for (const [blockhash, count] of origins) if (count > (origins.get(best) ?? 0)) best = blockhash;
  return shown?.blockhash === best ? shown : there.find(({ blockhash }) => blockhash === best);
}

function compareObservations(a: SlotObservation, b: SlotObservation): number {
  if (a.slot !== b.slot) return a.slot > b.slot ? -1 : 1;
  return a.blockhash < b.blockhash ? -1 : 1;
}

/**
 * Whether a slot can follow another by now. A node that holds none can tell only that no chain has had more than fit
 * since 1970. Source: protocol 05 §6.9; the second is ours.
 */
export function isReachable(
  newest: Omit<SlotObservation, "blockhash"> | undefined,
  slot: bigint,
  now: EpochMillis,
): boolean {
  if (newest === undefined) return slot * SLOT_MS <= now;
  const elapsed = now > newest.observed_at ? now - newest.observed_at : 0n;
  return slot <= newest.slot + (elapsed + SLOT_MS - 1n) / SLOT_MS + SLOTS_SLACK;
}

function isFresh(observation: SlotObservation, now: EpochMillis): boolean {
  return now - observation.observed_at < BLOCKHASH_FRESH_MS;
}
