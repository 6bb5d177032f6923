/**
 * What this node observed, as it says it. Source: OFS-4100 §9; protocol 05 §4.2, §4.4.
 */

import { compareBytes } from "../../kernel/bytes.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import { fromBase58 } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import { epochOf, epochStart, isKept, SLICES } from "./epochs.ts";
import type { Observation, PeerObservation, RewardObservations } from "./schema.ts";
import { Observations, observationKey } from "./tables.ts";

/** Basis points in one. */
const BPS = 10_000;
/** What counts where nothing was proved. Source: protocol 05 §4.2. */
const CONNECTIVITY_UNPROVEN_BPS = 4_000;
const PINNING_UNPROVEN_BPS = 7_000;

/** An epoch as this node saw it; empty for one that it did not see or no longer keeps. */
export function observationsOf(reader: Reader, epoch: bigint, now: EpochMillis): RewardObservations {
  const held = isKept(epoch, now) ? recordsOf(reader, Observations, "epoch", epoch.toString()) : [];
  const peers = held
    .map((observation) => ({ observation, bytes: fromBase58(observation.peer) ?? new Uint8Array(0) }))
    .sort((a, b) => compareBytes(a.bytes, b.bytes));
  return {
    epoch,
    epoch_start_millis: epochStart(epoch),
    epoch_end_millis: epochStart(epoch + 1n),
    peers: peers.map(({ observation }) => viewOf(observation)),
  };
}

/** The newest epoch that has ended. */
export function lastCompletedEpoch(now: EpochMillis): bigint {
  const current = epochOf(now);
  return current === 0n ? 0n : current - 1n;
}

/** Whether a peer answered a content challenge in the current epoch. Source: protocol 05 §4.4. */
export function hasServedContent(reader: Reader, peer: PeerId, now: EpochMillis): boolean {
  return reader.get(Observations, observationKey(epochOf(now), peer))?.served_content === true;
}

function viewOf({ peer, slices, announced_blockhash, served_content }: Observation): PeerObservation {
  return {
    peer,
    availability_bps: Math.floor((bitsIn(slices) * BPS) / SLICES),
    connectivity_bps: announced_blockhash ? BPS : CONNECTIVITY_UNPROVEN_BPS,
    pinning_bps: served_content ? BPS : PINNING_UNPROVEN_BPS,
    announced_blockhash,
    served_content,
  };
}

function bitsIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
