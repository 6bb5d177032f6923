/**
 * Notifications: who asked for which, and what becomes of each. Source: protocol 04 §6.
 */

import { COMMON_LIMITS } from "../../engine/admission/bounds.ts";
import { defineDomain, strictly, typeRow } from "../../engine/domain.ts";
import { onChangeOf } from "../../engine/step-context.ts";
import { isWithinBounds } from "./bounds.ts";
import { receiptFold, subscriptionFold } from "./fold.ts";
import { notificationMethods } from "./methods.ts";
import { handOverAgain, onDelivered, planNext, planNotifications } from "./planning.ts";
import { DeliveryReport, SubscriptionUpdate } from "./schema.ts";
import { noteDatesFromStart, noteNotificationDates, sweepNotifications, wakeWhileAny } from "./sweep.ts";
import { Dispatches, Plans, Receipts, Subscriptions } from "./tables.ts";
import { triggers } from "./triggers.ts";

export const notifications = defineDomain({
  name: "notifications",
  types: [
    typeRow(SubscriptionUpdate, COMMON_LIMITS, { validate: strictly(isWithinBounds) }),
    typeRow(DeliveryReport, COMMON_LIMITS),
  ],
  records: [Subscriptions, Receipts],
  tables: [Dispatches, Plans],
  folds: () => [subscriptionFold, receiptFold],
  methods: notificationMethods,
  onStart: [handOverAgain, noteDatesFromStart, wakeWhileAny],
  onChange: [onChangeOf([...triggers.map(({ table }) => table), Dispatches, Receipts], planNotifications)],
  afterChange: [onChangeOf([Dispatches, Receipts], noteNotificationDates)],
  afterCatchUp: [noteNotificationDates],
  onInput: {
    "notification.delivered": (context, { dispatch, delivered }) => onDelivered(context, dispatch, delivered),
  },
  timers: {
    "notification-sweep": (context) => {
      planNext(context);
      sweepNotifications(context);
    },
  },
});
