/**
 * The tables of notifications. Subscriptions and receipts are folded from the set; dispatches are this node's own
 * memory of what it handed over, in no root and no snapshot. Source: protocol 04 §6.2, §6.12.
 */

import type { Infer } from "../../kernel/schema.ts";
import { extend, option, struct } from "../../kernel/schema-composites.ts";
import { inMemory, table } from "../../kernel/table.ts";
import { minuteOf, PeerId, Text } from "../../kernel/values.ts";
import type { Trigger } from "./schema.ts";
import { DeliveryReceipt, DispatchRecord, SealedBox, Subscription } from "./schema.ts";

/** Subscriptions by wallet. */
export const Subscriptions = table<Subscription>("notification_subscriptions", Subscription, {
  root: "state",
  indexes: { category: (row) => [...new Set(row.enabled_categories)] },
});

/** A receipt, who claims it, and the identity of the report behind it. */
export const ReceiptRow = extend("ReceiptRow", DeliveryReceipt, { provider: PeerId, report: Text });
export type ReceiptRow = Infer<typeof ReceiptRow>;

/** Receipts by provider, notification and service. */
export const Receipts = table<ReceiptRow>("notification_receipts", ReceiptRow, {
  root: "state",
  indexes: { minute: (row) => [`${minuteOf(row.updated_at)}`] },
});

/** An occasion of which subscribers are still to be told: who they are, and how many of them were. */
export interface Plan {
  readonly trigger: Trigger;
  readonly source: Uint8Array;
  readonly wallets: readonly string[];
  readonly told: number;
}
/** Plans under way, the first first. A restart forgets them, as what was queued longer is handed over again. */
export const Plans = table<Plan>("notification_plans", inMemory<Plan>(), { root: "local" });

/** What has still to be handed over, and where. */
const Handover = struct("Handover", { endpoint: Text, sealed: SealedBox });

/** A dispatch, whose gateway it went to, and while it is queued what to hand over. */
export const DispatchRow = extend("DispatchRow", DispatchRecord, { provider: PeerId, handover: option(Handover) });
export type DispatchRow = Infer<typeof DispatchRow>;

/** Dispatches by notification and service. */
export const Dispatches = table<DispatchRow>("notification_dispatches", DispatchRow, {
  root: "local",
  durable: true,
  indexes: {
    notification: (row) => [row.notification_id],
    recipient: (row) => [row.recipient_wallet],
    queued: (row) => (row.status === "Queued" ? [""] : []),
    minute: (row) => [`${minuteOf(row.updated_at)}`],
  },
});

/** Where a receipt stands; no peer id holds a slash. */
export function receiptKey(provider: PeerId, delivery: string): string {
  return `${provider}/${delivery}`;
}
