/**
 * Notifications: what a wallet wants to hear about and where, what this node handed to gateways, and what gateways
 * say became of it. Addresses are sealed to one gateway each; no node opens them.
 * Source: OFS-6000; protocol 04 §6.
 */

import type { Infer, Schema } from "../../kernel/schema.ts";
import { sized } from "../../kernel/schema.ts";
import { extend, list, reveal, struct } from "../../kernel/schema-composites.ts";
import { byteArray, enumeration } from "../../kernel/schema-scalars.ts";
import type { Payload } from "../../kernel/signed.ts";
import { signed } from "../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../kernel/values.ts";

/** Destinations of one subscription. Source: protocol 04 §6.12. */
export const DESTINATIONS_MAX = 16;
/** Bytes of one sealed address. Source: protocol 04 §6.12. */
export const CIPHERTEXT_BYTES_MAX = 1_024;
/** Categories that one subscription lists, repeats included. Source: protocol 04 §6.12. */
export const CATEGORIES_MAX = 5;

/** Wire index of the priority Reputation. Source: protocol 01 §7.5, §8.1. */
const GOSSIP = { ofs: 6000, priority: 3 } as const;

/** What a wallet can enable. Source: protocol 04 §6.3. */
export const Category = enumeration("Trading", "Marketplace", "Disputes", "Governance", "Infrastructure");
export type Category = Infer<typeof Category>;
/** How a gateway reaches people. Source: protocol 04 §6.3. */
export const Channel = enumeration("Email", "Telegram", "Sms", "Push", "Webhook");
export type Channel = Infer<typeof Channel>;
/** Source: protocol 04 §6.3. */
export const Trigger = enumeration(
  "ReservationCreated",
  "ReservationExpiring",
  "PaymentSubmitted",
  "SettlementApproved",
  "EscrowReleased",
  "TradeCompleted",
  "AdvertisementDisabled",
  "ReputationUpdated",
  "EvidenceRequested",
  "ResolutionIssued",
  "ProposalPublished",
  "VotingStarted",
  "ProposalActivated",
  "SnapshotAvailable",
  "NodeMaintenance",
  "ProviderOffline",
);
export type Trigger = Infer<typeof Trigger>;
/** Source: protocol 04 §6.3. */
export const DeliveryStatus = enumeration("Queued", "Sent", "Delivered", "Read", "Failed", "Retried", "Expired");
export type DeliveryStatus = Infer<typeof DeliveryStatus>;

/** An address that only its gateway can read. Source: protocol 04 §6.2, §6.4. */
export const SealedBox = struct("SealedBox", {
  ephemeral_public: byteArray(32),
  nonce: byteArray(12),
  ciphertext: sized(byteArray(null), { items: CIPHERTEXT_BYTES_MAX }),
});
export type SealedBox = Infer<typeof SealedBox>;
/** Source: protocol 04 §6.2. */
export const Destination = struct("Destination", { service_id: Text, channel: Channel, sealed: SealedBox });
export type Destination = Infer<typeof Destination>;
/** Old payloads lack the member; it is signed as an empty list all the same. Source: protocol 04 §6.2, §0.2. */
const Destinations: Schema<readonly Destination[]> = {
  ...sized(list(Destination), { items: DESTINATIONS_MAX }),
  absent: [],
};

/** Signed by the wallet: its whole subscription, a register. Source: protocol 04 §6.4, §6.12. */
export const SubscriptionUpdate = signed("openfiat/notifications/SubscriptionUpdate/v1", {
  outer: "update",
  signer: "wallet",
  key: "wallet_public_key",
  time: "timestamp",
  register: () => "",
  event: "SubscriptionUpdated",
  ...GOSSIP,
  fields: {
    wallet: PeerId,
    wallet_public_key: PublicKey,
    enabled_categories: sized(list(Category), { items: CATEGORIES_MAX }),
    destinations: Destinations,
    timestamp: EpochMillis,
  },
});
export type SubscriptionUpdate = Payload<typeof SubscriptionUpdate>;

/**
 * Signed by a gateway's provider: what became of one delivery, a register for each notification and service.
 * It waits for the service that it names. Source: protocol 04 §6.4, §6.12.
 */
export const DeliveryReport = signed("openfiat/notifications/DeliveryReport/v1", {
  outer: "report",
  signer: "provider",
  key: "provider_public_key",
  time: "timestamp",
  about: { kind: "service", member: "service_id" },
  register: (payload) => deliveryKey(payload.notification_id, payload.service_id),
  event: {
    names: [
      "NotificationQueued",
      "NotificationSent",
      "NotificationDelivered",
      "NotificationRead",
      "NotificationFailed",
      "NotificationRetried",
      "NotificationExpired",
    ],
    of: (payload) => `Notification${payload.status}`,
  },
  ...GOSSIP,
  fields: {
    notification_id: Text,
    service_id: Text,
    provider: PeerId,
    provider_public_key: PublicKey,
    recipient_wallet: PeerId,
    trigger: Trigger,
    status: DeliveryStatus,
    timestamp: EpochMillis,
  },
});
export type DeliveryReport = Payload<typeof DeliveryReport>;

/** What a wallet wants; public, it published it about itself. Source: protocol 04 §6.2. */
export const Subscription = struct("Subscription", {
  wallet: PeerId,
  wallet_public_key: PublicKey,
  enabled_categories: list(Category),
  destinations: list(Destination),
  updated_at: EpochMillis,
});
export type Subscription = Infer<typeof Subscription>;

/** What this node handed over, in full. Source: protocol 04 §6.2. */
export const DispatchRecord = struct("DispatchRecord", {
  notification_id: Text,
  service_id: Text,
  recipient_wallet: PeerId,
  trigger: Trigger,
  channel: Channel,
  status: DeliveryStatus,
  updated_at: EpochMillis,
});
export type DispatchRecord = Infer<typeof DispatchRecord>;

/** What a gateway claims, in full. Source: protocol 04 §6.2. */
export const DeliveryReceipt = struct("DeliveryReceipt", {
  notification_id: Text,
  service_id: Text,
  recipient_wallet: PeerId,
  trigger: Trigger,
  status: DeliveryStatus,
  updated_at: EpochMillis,
});
export type DeliveryReceipt = Infer<typeof DeliveryReceipt>;

/** What a stranger may read, its recipient an empty string unless he named it. Source: protocol 04 §6.7. */
const UnnamedDispatch = reveal(
  "UnnamedDispatch",
  DispatchRecord,
  "notification_id",
  "service_id",
  "trigger",
  "channel",
  "status",
  "updated_at",
);
const UnnamedReceipt = reveal(
  "UnnamedReceipt",
  DeliveryReceipt,
  "notification_id",
  "service_id",
  "trigger",
  "status",
  "updated_at",
);
/** Source: protocol 04 §6.7. */
export const ShownDispatch = extend("NotificationDispatch", UnnamedDispatch, { recipient_wallet: Text });
export type ShownDispatch = Infer<typeof ShownDispatch>;
/** Source: protocol 04 §6.7. */
export const ShownReceipt = extend("NotificationReceipt", UnnamedReceipt, { recipient_wallet: Text });
export type ShownReceipt = Infer<typeof ShownReceipt>;

/** A dispatch as a reader may see it: with its recipient, or without. */
export function showDispatch(dispatch: DispatchRecord, named: boolean): ShownDispatch {
  return { ...UnnamedDispatch.of(dispatch), recipient_wallet: named ? dispatch.recipient_wallet : "" };
}

/** A receipt as a reader may see it: with its recipient, or without. */
export function showReceipt(receipt: DeliveryReceipt, named: boolean): ShownReceipt {
  return { ...UnnamedReceipt.of(receipt), recipient_wallet: named ? receipt.recipient_wallet : "" };
}

/** What a gateway is sent, members in this order. Source: protocol 04 §6.2. */
export const NotificationPayload = struct("NotificationPayload", {
  notification_id: Text,
  trigger: Trigger,
  recipient_wallet: PeerId,
  service_id: Text,
  channel: Channel,
  sealed_destination: SealedBox,
  subject: Text,
  body: Text,
});

/** Where a notification through one service is kept. Both texts are strangers', so nothing is merely joined. */
export function deliveryKey(notificationId: string, serviceId: string): string {
  return JSON.stringify([notificationId, serviceId]);
}
