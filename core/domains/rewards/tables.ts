/**
 * Tables of observations: a node's own, in no root. Source: DESIGN "Tables"; protocol 05 §4.2, §14.17.
 */

import { table } from "../../kernel/table.ts";
import type { PeerId } from "../../kernel/values.ts";
import { pairOf } from "../chain-bridge/view.ts";
import { Announcement, Challenge, Observation } from "./schema.ts";

/** Observations by epoch and peer; kept in the store, so that a restart costs no peer its epoch. */
export const Observations = table<Observation>("observations", Observation, {
  root: "local",
  durable: true,
  indexes: { epoch: (observation) => [observation.epoch.toString()] },
});

/** Announced blockhashes that wait for this node's own endpoint to show them, or for another to announce the same. */
export const Announcements = table<Announcement>("blockhash_announcements", Announcement, {
  root: "local",
  indexes: {
    pair: (announcement) => [pairOf(announcement)],
    origin: (announcement) => [announcement.origin],
  },
});

/** One row, `now`. */
export const Challenges = table<Challenge>("content_challenges", Challenge, { root: "local" });

export function observationKey(epoch: bigint, peer: PeerId): string {
  return `${epoch}/${peer}`;
}
