/**
 * Reward time: epochs of a day, in slices of an hour. Source: OFS-4100 §9; protocol 05 §4.2.
 */

import type { EpochMillis } from "../../kernel/values.ts";

/** Length of an epoch, in milliseconds. Source: protocol 05 §4.2. */
export const EPOCH_MS = 86_400_000n;
/** Slices of an epoch. Source: protocol 05 §4.2. */
export const SLICES = 24;
const SLICE_MS = EPOCH_MS / BigInt(SLICES);
/** Completed epochs that are kept beside the current one. Source: protocol 05 §4.2. */
export const EPOCHS_KEPT = 7n;

export function epochOf(instant: bigint): bigint {
  return instant / EPOCH_MS;
}

export function epochStart(epoch: bigint): EpochMillis {
  return (epoch * EPOCH_MS) as EpochMillis;
}

/** The slice of its epoch in which an instant lies, from 0. */
export function sliceOf(instant: bigint): number {
  return Number((instant % EPOCH_MS) / SLICE_MS);
}

/** Whether observations of an epoch are still kept. */
export function isKept(epoch: bigint, now: EpochMillis): boolean {
  return epoch + EPOCHS_KEPT >= epochOf(now) && epoch <= epochOf(now);
}
