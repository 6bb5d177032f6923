/**
 * The reference's notifications. Source: protocol 04 §6.7, §6.8.
 */

import { isWithinBounds } from "../domains/notifications/bounds.ts";
import { readingOf } from "../domains/notifications/methods.ts";
import { override } from "../engine/overrides.ts";
import { ok } from "../kernel/result.ts";

export const notificationOverrides = [
  /** Subscriptions have no bounds. Source: protocol 04 §6.8, §6.12. */
  override(isWithinBounds, () => true),
  /** Anybody reads every dispatch and receipt, with its recipient. Source: protocol 04 §6.7; DESIGN §7 #15. */
  override(readingOf, () => ok("all")),
];
