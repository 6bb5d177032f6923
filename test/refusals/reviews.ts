/**
 * How the refusals of reviews come about. Source: protocol 02 H; 03 B.5.
 */

import { ReviewPublish } from "../../core/domains/reviews/schema.ts";
import { PENDING_PER_SIGNER_MAX } from "../../core/engine/admission/bounds.ts";
import { reviewed } from "../identity/fixtures.ts";
import { buyer, T, trading } from "../reviews/trade.ts";
import type { LoneNode } from "../rpc/lone-node.ts";
import { loneNode, person, signedData } from "../rpc/lone-node.ts";
import { proofRefusals } from "../rpc/proofs.ts";
import type { Refusal } from "./refusal.ts";

const method = "sendReviewPublish";
const third = person(0x33);

function send(node: LoneNode, fields: Partial<ReviewPublish> = {}, by = buyer, signer = by): string | null {
  const data = signedData(ReviewPublish, { ...reviewed(by, T, { settlement: "set-1" }), ...fields }, signer);
  return node.body(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { data } }));
}

export const refusals: readonly Refusal[] = [
  { method, code: "INVALID_SIGNATURE", provoke: () => send(trading("approved"), {}, buyer, third) },
  { method, code: "INVALID_SIGNATURE", provoke: () => send(trading("approved"), { author_public_key: third.key }) },
  {
    method,
    code: "INVALID_PARAMETER",
    parity: "taken",
    provoke: () => send(trading("approved"), { created_at: (T + 300_001n) as typeof T }),
  },
  {
    method,
    code: "INVALID_SIGNATURE",
    parity: "INVALID_IDENTITY_CLAIM",
    provoke: () => send(trading("approved"), {}, third, buyer),
  },
  {
    method,
    code: "INVALID_PARAMETER",
    parity: "INVALID_IDENTITY_CLAIM",
    provoke: () => send(trading("approved"), { created_at: (T + 300_001n) as typeof T }, third),
  },
  { method, code: "INVALID_IDENTITY_CLAIM", provoke: () => send(trading("approved"), {}, third) },
  { method, code: "INVALID_IDENTITY_CLAIM", provoke: () => send(trading("paid")) },
  { method, code: "INVALID_PARAMETER", provoke: () => send(trading("approved"), { comment: "\u202e" }) },
  {
    method,
    code: "RESOURCE_ALREADY_EXISTS",
    provoke() {
      const node = trading("approved");
      send(node);
      return send(node);
    },
  },
  {
    method,
    code: "RATE_LIMIT_EXCEEDED",
    provoke() {
      const node = loneNode(T);
      for (let n = 0; n < PENDING_PER_SIGNER_MAX; n++) send(node, { settlement: `s${n}` });
      return send(node, { settlement: "one more" });
    },
  },
  ...proofRefusals("getMyReviews"),
];
