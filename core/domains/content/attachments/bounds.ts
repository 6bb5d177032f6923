/**
 * Bounds on the name that an attachment gives to its settlement, which is no member that ends in `id`: refusals of an
 * ingress, never of the fold. Source: protocol 01 §15 W12, 02 O.24.
 */

import { GOSSIP_ID_BYTES_MAX, isIdForm, isIdWithin } from "../../../engine/admission/ingress.ts";
import type { AttachmentPublish } from "./schema.ts";

/** Whether the name keeps the length that every ingress asks for. Source: protocol 01 §15 W12. */
export function namesWithin({ subject }: AttachmentPublish): boolean {
  return isIdWithin(subject.Settlement, GOSSIP_ID_BYTES_MAX);
}

/** Whether the name has the form of an id over RPC. Source: protocol 01 §15 W12, 02 O.24. */
export function namesById({ subject }: AttachmentPublish): boolean {
  return isIdForm(subject.Settlement);
}
