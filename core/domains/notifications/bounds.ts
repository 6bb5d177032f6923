/**
 * Bounds on what one wallet may ask for, at every ingress alike. How many do is bounded by their bytes alone, since no
 * bound that people share is filled by who comes first. Source: protocol 04 §6.12; CONVERGENCE B2.
 */

import type { SubscriptionUpdate } from "./schema.ts";
import { CATEGORIES_MAX, CIPHERTEXT_BYTES_MAX, DESTINATIONS_MAX } from "./schema.ts";

/** Whether a subscription keeps its sizes. */
export function isWithinBounds({ enabled_categories, destinations }: SubscriptionUpdate): boolean {
  if (enabled_categories.length > CATEGORIES_MAX || destinations.length > DESTINATIONS_MAX) return false;
  return destinations.every(({ sealed }) => sealed.ciphertext.length <= CIPHERTEXT_BYTES_MAX);
}
