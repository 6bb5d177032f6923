/**
 * Bounds on what one wallet may ask for, and on how much of it a node takes from peers.
 * Source: protocol 04 §6.12; CONVERGENCE "Bounds".
 */

import { registered } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import {
  CATEGORIES_MAX,
  CIPHERTEXT_BYTES_MAX,
  DESTINATIONS_MAX,
  DeliveryReport,
  SubscriptionUpdate,
} from "./schema.ts";
import { Receipts, Subscriptions } from "./tables.ts";

/** Subscriptions, and receipts, that a node takes from peers at most. Source: DESIGN L10. */
export const RECORDS_MAX = 1_000_000;

/** Whether a subscription keeps its sizes. */
export function isWithinBounds({ enabled_categories, destinations }: SubscriptionUpdate): boolean {
  if (enabled_categories.length > CATEGORIES_MAX || destinations.length > DESTINATIONS_MAX) return false;
  return destinations.every(({ sealed }) => sealed.ciphertext.length <= CIPHERTEXT_BYTES_MAX);
}

/** Whether there is room for what a peer brings: a register that is held already always has its place. */
export function withinNotificationLimits(reader: Reader, statement: Statement): boolean {
  const { type } = statement;
  if (type.name !== SubscriptionUpdate.name && type.name !== DeliveryReport.name) return true;
  const held = type.name === DeliveryReport.name ? reader.size(Receipts) : reader.size(Subscriptions);
  return held < RECORDS_MAX || registered(reader, statement) !== undefined;
}
