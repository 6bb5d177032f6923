/**
 * How the refusals of attachments come about. Source: protocol 02 G.5, O.20.
 */

import { ATTACHMENTS_PER_AUTHOR_MAX } from "../../core/domains/content/attachments/queries.ts";
import type { AttachmentPublish as Attachment } from "../../core/domains/content/attachments/schema.ts";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { loneNode, signedData } from "../rpc/lone-node.ts";
import { attach, attachment, buyer, merchant, T, third, trade } from "../rpc/node-with-settlement.ts";
import type { Refusal } from "./refusal.ts";

const method = "sendAttachmentPublish";
const send = (node: LoneNode, by: Person, change: Partial<Attachment> = {}, signer = by) => {
  const data = signedData(AttachmentPublish, attachment(by, change), signer);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
};
const node = () => trade(loneNode(T));

export const refusals: readonly Refusal[] = [
  { method, code: "INVALID_SIGNATURE", provoke: () => send(node(), buyer, { size_bytes: 0n }, merchant) },
  {
    method,
    code: "INVALID_IDENTITY_CLAIM",
    provoke: () => send(node(), buyer, { author_public_key: merchant.key }, merchant),
  },
  { method, code: "INVALID_IDENTITY_CLAIM", parity: "taken", provoke: () => send(node(), third) },
  {
    method,
    code: "INVALID_PARAMETER",
    provoke: () => send(node(), third, { size_bytes: 0n, caption: "x".repeat(201) }),
  },
  {
    method,
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => send(node(), buyer, { created_at: (T + 700_001n) as never }),
  },
  {
    method,
    code: "INVALID_PARAMETER",
    parity: "DESERIALIZATION_ERROR",
    provoke: () => send(node(), buyer, { caption: "x".repeat(201), created_at: (T + 700_001n) as never }),
  },
  { method, code: "DESERIALIZATION_ERROR", provoke: () => send(node(), third, { caption: "x".repeat(201) }) },
  { method, code: "DESERIALIZATION_ERROR", provoke: () => send(node(), third, { id: "" }) },
  {
    method,
    code: "RESOURCE_ALREADY_EXISTS",
    provoke: () => {
      const used = node();
      attach(used, buyer);
      return send(used, buyer);
    },
  },
  {
    method,
    code: "RATE_LIMIT_EXCEEDED",
    parity: "taken",
    provoke: () => {
      const used = node();
      for (let i = 0; i < ATTACHMENTS_PER_AUTHOR_MAX; i++) attach(used, buyer, { id: `${i}` });
      return send(used, buyer);
    },
  },
];
