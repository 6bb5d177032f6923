/**
 * What notifications read. A receipt is a provider's claim about a delivery that this node handed to that very
 * provider; every other claim is in the set and shown to nobody. Source: protocol 04 §6.7, §6.8, §6.12.
 */

import type { Reader } from "../../kernel/table.ts";
import { recordsOf } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import type { EpochMillis, PeerId } from "../../kernel/values.ts";
import type { DeliveryReceipt, Trigger } from "./schema.ts";
import { deliveryKey } from "./schema.ts";
import { isKept } from "./sweep.ts";
import type { DispatchRow } from "./tables.ts";
import { Dispatches, Receipts, receiptKey } from "./tables.ts";
import { notices } from "./texts.ts";

/** Dispatches of one notification, by service id. */
export function dispatchesOf(reader: Reader, notificationId: string, now: EpochMillis): readonly DispatchRow[] {
  return inOrder(recordsOf(reader, Dispatches, "notification", notificationId), now);
}

/** Dispatches to one wallet, by notification id, then service id. */
export function dispatchesTo(reader: Reader, wallet: PeerId, now: EpochMillis): readonly DispatchRow[] {
  return inOrder(recordsOf(reader, Dispatches, "recipient", wallet), now);
}

/** What the gateway says became of a dispatch: its provider's own report, about this recipient and trigger. */
export function receiptOf(reader: Reader, dispatch: DispatchRow, now: EpochMillis): DeliveryReceipt | undefined {
  const delivery = deliveryKey(dispatch.notification_id, dispatch.service_id);
  const receipt = reader.get(Receipts, receiptKey(dispatch.provider, delivery));
  if (receipt === undefined || !isKept(receipt.updated_at, now) || !agrees(receipt, dispatch)) return undefined;
  return receipt;
}

/** Whether a claim speaks of the recipient and trigger that were handed over. Source: protocol 04 §6.8 row 8. */
export function agrees(
  claim: { readonly recipient_wallet: PeerId; readonly trigger: Trigger },
  dispatch: DispatchRow,
): boolean {
  return claim.recipient_wallet === dispatch.recipient_wallet && claim.trigger === dispatch.trigger;
}

/** Whether a trigger ties its recipient to a trade. Source: protocol 04 §6.7. */
export function isAboutTrade(trigger: Trigger): boolean {
  const { category } = notices[trigger];
  return category === "Trading" || category === "Disputes";
}

function inOrder(dispatches: readonly DispatchRow[], now: EpochMillis): readonly DispatchRow[] {
  return dispatches
    .filter((dispatch) => isKept(dispatch.updated_at, now))
    .sort((a, b) => compareText(a.notification_id, b.notification_id) || compareText(a.service_id, b.service_id));
}
