/**
 * A trade, a gateway and subscribers on one node: everything that a notification needs, through the real ingresses.
 */

import type { Category, Channel, DeliveryReport as Report } from "../../core/domains/notifications/schema.ts";
import { DeliveryReport, SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import type { PaymentMethodId } from "../../core/domains/payment-methods/schema.ts";
import type { ServiceHealth, ServiceType } from "../../core/domains/providers/schema.ts";
import { HealthUpdate, Registration } from "../../core/domains/providers/schema.ts";
import { AdvertisementCreate, AdvertisementStatusSet } from "../../core/domains/trade/advertisements/schema.ts";
import { DisputeOpen } from "../../core/domains/trade/disputes/schema.ts";
import { ReservationRequest } from "../../core/domains/trade/reservations/schema.ts";
import {
  PaymentSubmitted,
  SettlementApproved,
  SettlementInitiate,
} from "../../core/domains/trade/settlements/schema.ts";
import type { NotificationDelivery } from "../../core/inputs.ts";
import type { Fields, RecordOf } from "../../core/kernel/schema-composites.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { toBase58, toBase64, utf8 } from "../../core/kernel/text.ts";
import type { EpochMillis, FiatCurrency, MintAddress } from "../../core/kernel/values.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto, person, signedData } from "../rpc/lone-node.ts";

/** When the stories begin. */
export const T = 1_786_000_000_000n as EpochMillis;
export const [merchant, buyer, gateway, rival] = [person(0x11), person(0x07), person(0x08), person(0x0a)];
export const ENDPOINT = "https://gw.example.org/deliver";

export const at = (ms: number) => (T + BigInt(ms)) as EpochMillis;
const units = (base_units: number, decimals = 6) => ({ base_units: BigInt(base_units), decimals });
const mint = "2bHPi5hA4zrmPAfrvLmEexg3KJjpTjNkUcxWnzUPeRRU" as MintAddress;

/** A sealed address; `fill` tells one from another. */
export const sealed = (fill = 1, length = 20) => ({
  ephemeral_public: new Uint8Array(32).fill(fill),
  nonce: new Uint8Array(12).fill(fill),
  ciphertext: new Uint8Array(length).fill(fill),
});
export const destination = (service_id = "gw-8", channel: Channel = "Email", fill = 1) => ({
  service_id,
  channel,
  sealed: sealed(fill),
});

export function subscription(by: Person, fields: Partial<SubscriptionUpdate> = {}): SubscriptionUpdate {
  return {
    wallet: by.peer,
    wallet_public_key: by.key,
    enabled_categories: ["Trading", "Marketplace", "Disputes", "Governance", "Infrastructure"] as readonly Category[],
    destinations: [destination()],
    timestamp: T,
    ...fields,
  };
}

/** Sends a payload over RPC under the method of its type. */
export function send<F extends Fields>(node: LoneNode, type: SignedType<F>, payload: RecordOf<F>, by: Person): unknown {
  return node.call(`send${type.name}`, { data: signedData(type, payload, by) });
}

export const subscribe = (node: LoneNode, by: Person, fields: Partial<SubscriptionUpdate> = {}) =>
  send(node, SubscriptionUpdate, subscription(by, fields), by);

interface ServiceFields {
  readonly id?: string;
  readonly type?: ServiceType;
  readonly endpoints?: readonly string[];
  readonly health?: ServiceHealth;
  readonly by?: Person;
}

/** A peer tells of a service. */
export function register(node: LoneNode, fields: ServiceFields = {}): void {
  const { id = "gw-8", type = { Notifications: "Email" }, endpoints = [ENDPOINT], by = gateway, health } = fields;
  const timestamp = node.now as EpochMillis;
  const payload = {
    ...{ service_id: id, service_type: type, provider: by.peer, provider_public_key: by.key, endpoints },
    ...{ supported_ofs: [6000], region: null, capabilities: [], branding: null, pricing: null, payout_wallet: null },
    timestamp,
  };
  node.gossip(Registration, payload, by);
  if (health === undefined) return;
  node.gossip(HealthUpdate, { service_id: id, provider: by.peer, state: health, timestamp: at(1) }, by);
}

export const acts = {
  advertise: (node: LoneNode, timestamp = at(0)) =>
    send(
      node,
      AdvertisementCreate,
      {
        ...{ id: "ad-1", merchant: merchant.peer, merchant_public_key: merchant.key, asset_mint: mint },
        ...{ direction: "Sell" as const, fiat_currency: "KES" as FiatCurrency },
        ...{ min_trade: units(5), max_trade: units(100), initial_liquidity: units(250) },
        ...{ pricing: { Fixed: { price: units(13_000, 2) } } },
        ...{ payment_methods: ["builtin:mpesa-kenya" as PaymentMethodId], timestamp },
      },
      merchant,
    ),
  setStatus: (node: LoneNode, status: "Active" | "Disabled" | "Vacation" | "Deleted", timestamp = at(1)) =>
    send(node, AdvertisementStatusSet, { id: "ad-1", merchant: merchant.peer, status, timestamp }, merchant),
  reserve: (node: LoneNode, timestamp = at(2)) =>
    send(
      node,
      ReservationRequest,
      {
        ...{ id: "42", advertisement_id: "ad-1", requester: buyer.peer, requester_public_key: buyer.key },
        ...{ amount: units(20), agreed_price: units(13_000, 2), agreed_mid: null, timestamp },
      },
      buyer,
    ),
  initiate: (node: LoneNode, timestamp = at(3)) =>
    send(
      node,
      SettlementInitiate,
      {
        ...{ id: "set-1", reservation_id: "42", buyer: buyer.peer, buyer_public_key: buyer.key },
        ...{ seller: merchant.peer, seller_public_key: merchant.key, amount: units(20), timestamp },
      },
      buyer,
    ),
  pay: (node: LoneNode, timestamp = at(4)) =>
    send(
      node,
      PaymentSubmitted,
      { settlement_id: "set-1", buyer: buyer.peer, payment_reference: null, timestamp },
      buyer,
    ),
  approve: (node: LoneNode, timestamp = at(5)) =>
    send(node, SettlementApproved, { settlement_id: "set-1", seller: merchant.peer, timestamp }, merchant),
  dispute: (node: LoneNode, timestamp = at(5)) =>
    send(
      node,
      DisputeOpen,
      {
        ...{ id: "d-1", settlement_id: "set-1", opener: buyer.peer, opener_public_key: buyer.key },
        ...{ reason: "unpaid", timestamp },
      },
      buyer,
    ),
};

/** The settlement that the buyer has paid. */
export function paidTrade(node: LoneNode): void {
  acts.advertise(node);
  acts.reserve(node);
  acts.initiate(node);
  acts.pay(node);
}

/** A report about a delivery, by its gateway unless said otherwise. */
export const reportOf = (of: PayloadOfPost, fields: Partial<Report> = {}): Report => ({
  notification_id: of.notification_id,
  service_id: of.service_id as string,
  provider: gateway.peer,
  provider_public_key: gateway.key,
  recipient_wallet: of.recipient_wallet as Report["recipient_wallet"],
  trigger: of.trigger as Report["trigger"],
  status: "Delivered",
  timestamp: at(10),
  ...fields,
});
export const report = (node: LoneNode, payload: Report, by = gateway) => send(node, DeliveryReport, payload, by);

export interface PayloadOfPost {
  readonly notification_id: string;
  readonly trigger: string;
  readonly recipient_wallet: string;
  readonly service_id: string;
  readonly channel: string;
  readonly subject: string;
  readonly body: string;
}

/** What a node ordered to be handed over. */
export const ordersOf = (node: LoneNode): readonly NotificationDelivery[] =>
  node.effects.filter((effect) => effect.type === "notification.deliver");

export const posted = (order: NotificationDelivery) =>
  JSON.parse(new TextDecoder().decode(order.body)) as PayloadOfPost;

/** Trigger and recipient of everything that was ordered. */
export const toldOf = (node: LoneNode): readonly string[] =>
  ordersOf(node).map((order) => {
    const { trigger, recipient_wallet } = posted(order);
    const name = recipient_wallet === merchant.peer ? "merchant" : recipient_wallet === buyer.peer ? "buyer" : "other";
    return `${trigger} ${name}`;
  });

/** The four members of a proof of a wallet. */
export function proofBy(node: LoneNode, by: Person, domain = "openfiat-my-notifications") {
  const challenge = node.call("getWalletChallenge", { wallet: by.peer }) as { nonce: string };
  const signature = crypto.sign(by.secret, utf8(`${domain}:${by.peer}:${challenge.nonce}`));
  return {
    ...{ wallet: by.peer, public_key: toBase58(crypto.publicKey(by.secret)) },
    ...{ nonce: challenge.nonce, signature: toBase64(signature) },
  };
}
