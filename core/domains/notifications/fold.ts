/**
 * The notification folds: a wallet's newest update is its subscription, a provider's newest report of a delivery its
 * receipt. Both are registers of their signer, so nobody else's statement ever touches them.
 * Source: protocol 04 §6.12; CONVERGENCE "Small folds".
 */

import type { FoldUnit } from "../../engine/statements/fold.ts";
import { Statements } from "../../engine/statements/table.ts";
import type { Statement } from "../../kernel/signed.ts";
import { DeliveryReport, deliveryKey, SubscriptionUpdate } from "./schema.ts";
import { Receipts, receiptKey, Subscriptions } from "./tables.ts";

/** A statement that was superseded in the same batch has left the set and says nothing. */
export const subscriptionFold: FoldUnit = {
  name: "subscription",
  touches: { [SubscriptionUpdate.name]: (_, statement, mark) => mark("subscription", statement.identity) },
  refold(draft, identity) {
    const statement = draft.get(Statements, identity) as Statement<SubscriptionUpdate> | undefined;
    if (statement === undefined) return;
    const { wallet, wallet_public_key, enabled_categories, destinations, timestamp } = statement.payload;
    const updated = { wallet, wallet_public_key, enabled_categories, destinations, updated_at: timestamp };
    draft.put(Subscriptions, wallet, updated);
  },
};

/** Whether the claim is a receipt (the provider's service was used for it) is asked when it is read. */
export const receiptFold: FoldUnit = {
  name: "receipt",
  touches: { [DeliveryReport.name]: (_, statement, mark) => mark("receipt", statement.identity) },
  // A report is dropped with its receipt; one that a newer took the place of left it to that.
  leaves: {
    [DeliveryReport.name](draft, { identity, payload }) {
      const { notification_id, service_id, provider } = payload as DeliveryReport;
      const key = receiptKey(provider, deliveryKey(notification_id, service_id));
      if (draft.get(Receipts, key)?.report === identity) draft.put(Receipts, key, undefined);
    },
  },
  refold(draft, identity) {
    const statement = draft.get(Statements, identity) as Statement<DeliveryReport> | undefined;
    if (statement === undefined) return;
    const { notification_id, service_id, provider, recipient_wallet, trigger, status, timestamp } = statement.payload;
    draft.put(Receipts, receiptKey(provider, deliveryKey(notification_id, service_id)), {
      ...{ notification_id, service_id, recipient_wallet, trigger, status, updated_at: timestamp },
      ...{ provider, report: identity },
    });
  },
};
