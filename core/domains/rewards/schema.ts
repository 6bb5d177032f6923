/**
 * What a node observed of its peers in an epoch, and what it says of it. Source: OFS-4100 §9; protocol 05 §4.2, §4.4.
 */

import type { Infer } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool, u16, u32, u64 } from "../../kernel/schema-scalars.ts";
import { EpochMillis, PeerId, Text } from "../../kernel/values.ts";

/** One peer in one epoch: a bit for each slice in which it was there, and what it proved. */
export const Observation = struct("Observation", {
  epoch: u64,
  peer: PeerId,
  slices: u32,
  announced_blockhash: bool,
  served_content: bool,
});
export type Observation = Infer<typeof Observation>;

/** A blockhash that an origin announced, and the number of the input that brought it. */
export const Announcement = struct("Announcement", { origin: PeerId, slot: u64, blockhash: Text, number: u64 });
export type Announcement = Infer<typeof Announcement>;

/** The challenge that is out: whom this node asked for what, and when. */
export const Challenge = struct("ContentChallenge", { peer: PeerId, cid: Text, asked_at: EpochMillis });
export type Challenge = Infer<typeof Challenge>;

/** `false` means unproven. Source: protocol 05 §4.4. */
export const PeerObservation = struct("PeerObservation", {
  peer: PeerId,
  availability_bps: u16,
  connectivity_bps: u16,
  pinning_bps: u16,
  announced_blockhash: bool,
  served_content: bool,
});
export type PeerObservation = Infer<typeof PeerObservation>;

/** An epoch as this node saw it; its end is exclusive. Source: protocol 05 §4.4. */
export const RewardObservations = struct("RewardObservations", {
  epoch: u64,
  epoch_start_millis: EpochMillis,
  epoch_end_millis: EpochMillis,
  peers: list(PeerObservation),
});
export type RewardObservations = Infer<typeof RewardObservations>;
