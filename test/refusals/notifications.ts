/**
 * How the refusals of notification methods come about. Source: protocol 04 §6.7, §6.8; 03 B.5.
 */

import type { DeliveryReport as Report } from "../../core/domains/notifications/schema.ts";
import { DeliveryReport, SubscriptionUpdate } from "../../core/domains/notifications/schema.ts";
import { SPENT_NONCES_MAX } from "../../core/domains/wallet-proofs/queries.ts";
import { SpentNonces } from "../../core/domains/wallet-proofs/schema.ts";
import { compactWriter } from "../../core/kernel/compact.ts";
import type { StoreRow } from "../../core/ports/store.ts";
import {
  at,
  buyer,
  gateway,
  merchant,
  proofBy,
  register,
  reportOf,
  rival,
  subscription,
  T,
} from "../notifications/stage.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import type { Refusal } from "./refusal.ts";

const ask = (node: LoneNode, method: string, params: object) =>
  node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
/** 32 bytes that are no curve point. */
const NO_POINT = "1111111111111111111111111111111D";

/** A node that remembers as many spent nonces as it can. */
function exhausted(): LoneNode {
  const writer = compactWriter();
  SpentNonces.record.encode({ expires_at: (T + 1n) as never }, writer);
  const bytes = writer.finish();
  const rows = Array.from({ length: SPENT_NONCES_MAX }, (_, n): readonly [string, StoreRow] => {
    return [`${n}`, { table: SpentNonces.name, key: `${n}`, bytes }];
  });
  return loneNode(T, undefined, new Map(rows));
}

function proofs(method: string): readonly Refusal[] {
  const asking = (node: LoneNode, proof: object) => ask(node, method, { id: "nothing", ...proof });
  return [
    {
      method,
      code: "INVALID_IDENTITY_CLAIM",
      parity: "taken",
      provoke() {
        const node = loneNode(T);
        return asking(node, { ...proofBy(node, merchant), wallet: buyer.peer });
      },
    },
    {
      method,
      code: "RESOURCE_NOT_FOUND",
      parity: "taken",
      provoke() {
        const node = loneNode(T);
        return asking(node, { ...proofBy(node, merchant), nonce: "00".repeat(32) });
      },
    },
    {
      method,
      code: "RATE_LIMIT_EXCEEDED",
      parity: "taken",
      provoke() {
        const node = exhausted();
        return asking(node, proofBy(node, merchant));
      },
    },
    {
      method,
      code: "INVALID_REQUEST",
      parity: "taken",
      provoke() {
        const node = loneNode(T);
        const proof = proofBy(node, merchant);
        node.now += 300_001n;
        return asking(node, proof);
      },
    },
    {
      method,
      code: "INVALID_SIGNATURE",
      parity: "taken",
      provoke() {
        const node = loneNode(T);
        return asking(node, proofBy(node, merchant, "openfiat-my-disputes"));
      },
    },
  ];
}

const update = (fields: Partial<SubscriptionUpdate>, by = merchant) =>
  ask(loneNode(T), "sendSubscriptionUpdate", {
    data: signedData(SubscriptionUpdate, subscription(merchant, fields), by),
  });

const post = {
  ...{ notification_id: "00".repeat(32), trigger: "PaymentSubmitted", recipient_wallet: merchant.peer },
  ...{ service_id: "gw-8", channel: "Email", subject: "", body: "" },
};
const report = (fields: Partial<Report>, node = loneNode(T)) =>
  ask(node, "sendDeliveryReport", { data: signedData(DeliveryReport, reportOf(post, fields), gatewayOf(fields)) });
const gatewayOf = ({ provider }: Partial<Report>) => (provider === rival.peer ? rival : gateway);

export const refusals: readonly Refusal[] = [
  ...["getNotificationDispatch", "getNotificationDispatchesByWallet"].flatMap(proofs),
  ...["getDeliveryReceipt", "getDeliveryReceiptsByWallet"].flatMap(proofs),
  {
    method: "sendSubscriptionUpdate",
    code: "INVALID_SIGNATURE",
    provoke: () => update({ wallet_public_key: NO_POINT as SubscriptionUpdate["wallet_public_key"] }),
  },
  {
    method: "sendSubscriptionUpdate",
    code: "INVALID_REQUEST",
    provoke: () => update({ wallet_public_key: rival.key }, rival),
  },
  { method: "sendSubscriptionUpdate", code: "INVALID_SIGNATURE", provoke: () => update({}, rival) },
  {
    method: "sendSubscriptionUpdate",
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => update({ timestamp: at(300_001) }),
  },
  {
    method: "sendDeliveryReport",
    code: "INVALID_SIGNATURE",
    provoke: () => report({ provider_public_key: NO_POINT as Report["provider_public_key"] }),
  },
  { method: "sendDeliveryReport", code: "INVALID_REQUEST", provoke: () => report({ provider_public_key: rival.key }) },
  {
    method: "sendDeliveryReport",
    code: "INVALID_PARAMETER",
    parity: "RESOURCE_NOT_FOUND",
    provoke: () => report({ timestamp: at(300_001) }),
  },
  { method: "sendDeliveryReport", code: "RESOURCE_NOT_FOUND", provoke: () => report({}) },
  {
    method: "sendDeliveryReport",
    code: "INVALID_REQUEST",
    provoke() {
      const node = loneNode(T);
      register(node);
      return report({ provider: rival.peer, provider_public_key: rival.key }, node);
    },
  },
  {
    method: "sendDeliveryReport",
    code: "RESOURCE_NOT_FOUND",
    provoke() {
      const node = loneNode(T);
      register(node);
      return report({}, node);
    },
  },
];
