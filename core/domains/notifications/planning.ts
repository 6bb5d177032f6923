/**
 * Planning: what a step changed becomes notifications, each through every gateway that its recipient chose, kept as a
 * dispatch before anything leaves the node. Source: protocol 04 §6.6, §6.12.
 */

import type { StepContext } from "../../engine/step-context.ts";
import { toHex } from "../../kernel/bytes.ts";
import { TRANSCRIPT } from "../../kernel/schema.ts";
import { firstOf } from "../../kernel/table.ts";
import { compareText, toBase58, utf8 } from "../../kernel/text.ts";
import type { PeerId, Signature } from "../../kernel/values.ts";
import { serviceById } from "../providers/queries.ts";
import { notificationId } from "./identity.ts";
import type { Destination, Subscription, Trigger } from "./schema.ts";
import { deliveryKey, NotificationPayload } from "./schema.ts";
import { setSweep } from "./sweep.ts";
import type { DispatchRow } from "./tables.ts";
import { Dispatches, Plans, Subscriptions } from "./tables.ts";
import { notices } from "./texts.ts";
import type { Occasion } from "./triggers.ts";
import { triggers } from "./triggers.ts";

/** Dispatches that wait for their gateway at most; beyond, nothing is planned. Source: protocol 04 §6.12. */
export const QUEUED_MAX = 10_000;
/** Dispatches remembered at most; beyond, nothing is planned until old ones go. Source: DESIGN L10. */
export const DISPATCHES_MAX = 1_000_000;
/** Subscribers that one step plans for, each with as many as sixteen destinations. Source: DESIGN "Work at once". */
export const PLANNED_AT_ONCE = 16;
/** Occasions of which many are told that are under way at most. Source: DESIGN L10. */
export const PLANS_MAX = 64;

/** Why a destination gets nothing. Source: protocol 04 §6.6; the last is ours. */
type Skipped =
  | "gateway-unknown"
  | "not-a-notification-gateway"
  | "channel-mismatch"
  | "gateway-unhealthy"
  | "gateway-has-no-endpoint"
  | "queue-full";

/** A gateway that may be handed a notification. */
interface Gateway {
  readonly provider: PeerId;
  readonly endpoint: string;
}

/** Plans a notification for everything that happened in this step. */
export function planNotifications(context: StepContext): void {
  if (context.draft.size(Subscriptions) > 0) {
    for (const { table, key, record } of context.draft.changes()) {
      if (record === undefined) continue;
      for (const row of triggers) {
        if (row.table.name !== table) continue;
        const before = context.base.get(row.table, key) as never;
        const occasion = row.occasion(context, { key, before, after: record as never });
        if (occasion !== undefined) planOccasion(context, row.trigger, occasion);
      }
    }
  }
  setSweep(context);
}

/** Hands over again what was still queued when the node went down. */
export function handOverAgain(context: StepContext): void {
  for (const key of [...context.draft.find(Dispatches, "queued", "")].sort(compareText)) {
    const dispatch = context.draft.get(Dispatches, key);
    if (dispatch !== undefined) handOver(context, key, dispatch);
  }
}

/** A gateway took a notification, or could not be given it. Never tried again. Source: protocol 04 §6.6. */
export function onDelivered(context: StepContext, key: string, delivered: boolean): void {
  const dispatch = context.draft.get(Dispatches, key);
  if (dispatch?.status !== "Queued") return;
  const status = delivered ? "Sent" : "Failed";
  context.draft.put(Dispatches, key, { ...dispatch, status, updated_at: context.now, handover: null });
}

/**
 * Plans one notification for every recipient that wants its category; where these are many, some now and the others
 * with the timer. There are no more of them than may be queued.
 */
export function planOccasion(context: StepContext, trigger: Trigger, { source, recipients }: Occasion): void {
  const { draft, now, number } = context;
  if (recipients !== "subscribers") return planFor(context, trigger, source, recipients);
  const found = draft.find(Subscriptions, "category", notices[trigger].category, QUEUED_MAX);
  if (found.length <= PLANNED_AT_ONCE) return planFor(context, trigger, source, [...found].sort(compareText));
  if (draft.size(Plans) >= PLANS_MAX) return skip(context, trigger, "queue-full");
  draft.put(Plans, `${number}/${toHex(source)}/${trigger}`, { trigger, source, wallets: found, told: 0 });
  context.emit({ type: "timer.set", timer: "notification-sweep", at: now });
}

/** Goes on with the first plan that is under way. */
export function planNext(context: StepContext): void {
  const [key] = firstOf(context.draft.keys(Plans), 1);
  const plan = key === undefined ? undefined : context.draft.get(Plans, key);
  if (key === undefined || plan === undefined) return;
  const { trigger, source, wallets } = plan;
  const told = plan.told + PLANNED_AT_ONCE;
  planFor(context, trigger, source, wallets.slice(plan.told, told));
  context.draft.put(Plans, key, told < wallets.length ? { ...plan, told } : undefined);
}

function planFor(context: StepContext, trigger: Trigger, source: Uint8Array, wallets: readonly string[]): void {
  for (const wallet of wallets) {
    const subscription = context.draft.get(Subscriptions, wallet);
    if (subscription?.enabled_categories.includes(notices[trigger].category))
      planAt(context, trigger, source, subscription);
  }
}

function planAt(
  context: StepContext,
  trigger: Trigger,
  source: Uint8Array,
  { wallet, destinations }: Subscription,
): void {
  const notification_id = notificationId(context.crypto, trigger, source, wallet);
  for (const destination of destinations) {
    const { service_id, channel, sealed } = destination;
    const key = deliveryKey(notification_id, service_id);
    if (context.draft.get(Dispatches, key) !== undefined) continue;
    const gateway = gatewayFor(context, destination);
    if (typeof gateway === "string") {
      skip(context, trigger, gateway);
      continue;
    }
    const { provider, endpoint } = gateway;
    const dispatch: DispatchRow = {
      notification_id,
      ...{ service_id, recipient_wallet: wallet, trigger, channel, provider },
      ...{ status: "Queued", updated_at: context.now, handover: { endpoint, sealed } },
    };
    context.draft.put(Dispatches, key, dispatch);
    handOver(context, key, dispatch);
  }
}

function skip(context: StepContext, trigger: Trigger, reason: Skipped): void {
  context.emit({ type: "log", level: "debug", event: "notification skipped", fields: { trigger, reason } });
}

/** The first test that fails keeps a destination from its notification. Source: protocol 04 §6.6. */
function gatewayFor(context: StepContext, { service_id, channel }: Destination): Gateway | Skipped {
  const service = serviceById(context.draft, service_id, context.now);
  if (service === undefined) return "gateway-unknown";
  if (!("Notifications" in service.service_type)) return "not-a-notification-gateway";
  if (service.service_type.Notifications !== channel) return "channel-mismatch";
  if (service.health !== "Online" && service.health !== "Maintenance") return "gateway-unhealthy";
  const endpoint = service.endpoints[0];
  if (endpoint === undefined) return "gateway-has-no-endpoint";
  const queued = context.draft.count(Dispatches, "queued", "");
  if (queued >= QUEUED_MAX || context.draft.size(Dispatches) >= DISPATCHES_MAX) return "queue-full";
  return { provider: service.provider, endpoint };
}

/** Orders a delivery: the payload's bytes, and this node's signature over their SHA-256. Source: protocol 04 §6.12. */
function handOver(context: StepContext, key: string, dispatch: DispatchRow): void {
  const { notification_id, trigger, recipient_wallet, service_id, channel, handover } = dispatch;
  if (handover === null) return;
  const { subject, body } = notices[trigger];
  const payload = { notification_id, trigger, recipient_wallet, service_id, channel, subject, body };
  const text = NotificationPayload.write({ ...payload, sealed_destination: handover.sealed }, TRANSCRIPT);
  const bytes = utf8(text);
  const { crypto, configuration } = context;
  context.emit({
    type: "notification.deliver",
    dispatch: key,
    endpoint: handover.endpoint,
    body: bytes,
    node: configuration.peerId,
    signature: toBase58(crypto.sign(configuration.secretKey, crypto.sha256(bytes))) as Signature,
  });
}
