/**
 * What an announcement must keep to be admitted, at every ingress alike.
 * Source: protocol 05 §6.3 (6b), §6.9, §6.12, §14.23.
 */

import type { AdmissionView } from "../../engine/step-context.ts";
import type { Reader } from "../../kernel/table.ts";
import type { EpochMillis } from "../../kernel/values.ts";
import { isPlausible } from "../chain-bridge/newest-slot.ts";
import type { SnapshotAnnounce } from "./schema.ts";
import { LOCATIONS_MAX } from "./schema.ts";

/** An id that names a file everywhere. Source: protocol 05 §6.12, §14.23. */
const SNAPSHOT_ID = /^[A-Za-z0-9_-]{1,128}$/;

/** Whether a snapshot is of a slot that the chain can have reached. Source: protocol 05 §14.24. */
export function hasPlausibleSlot(reader: Reader, { slot }: Pick<SnapshotAnnounce, "slot">, now: EpochMillis): boolean {
  return isPlausible(reader, slot, now);
}

/** Why an announcement is admitted at no ingress, if so: its form, or a slot that the chain cannot have reached. */
export function announcementError(
  { reader, now }: AdmissionView,
  { id, slot, locations }: SnapshotAnnounce,
): "INVALID_PARAMETER" | "SNAPSHOT_VERIFICATION_FAILED" | undefined {
  if (!SNAPSHOT_ID.test(id) || locations.length > LOCATIONS_MAX) return "INVALID_PARAMETER";
  return isPlausible(reader, slot, now) ? undefined : "SNAPSHOT_VERIFICATION_FAILED";
}
