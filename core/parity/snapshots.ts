/**
 * The reference's snapshots: nothing of an announcement is asked but who makes it. Source: protocol 05 §6.3, §14.23.
 */

import { announcementError, hasPlausibleSlot } from "../domains/snapshots/bounds.ts";
import { forgetImplausible } from "../domains/snapshots/forget.ts";
import { override } from "../engine/overrides.ts";

export const snapshotOverrides = [
  /** Any id, any number of locations, any slot. Source: protocol 05 §14.23, §14.24. */
  override(announcementError, () => undefined),
  override(hasPlausibleSlot, () => true),
  override(forgetImplausible, () => undefined),
];
