/**
 * Attachment rules: which payloads make a record. They look at the payload alone, so every node agrees.
 * Owns: attachments. Source: protocol 02 G.5.
 * Not here: whether the author is a party of the settlement, which is asked when a record is read.
 */

import type { ErrorCode } from "../../../errors.ts";
import { codePoints } from "../../../kernel/text.ts";
import type { AttachmentPublish } from "./schema.ts";
import { ATTACHMENT_BYTES_MAX, CAPTION_LENGTH_MAX } from "./schema.ts";

/** The first bound that a payload breaks, in order of precedence. Source: protocol 02 G.5 rows 4-6. */
export function brokenBound(
  payload: AttachmentPublish,
): Extract<ErrorCode, "INVALID_PARAMETER" | "DESERIALIZATION_ERROR"> | null {
  if (payload.size_bytes < 1n || payload.size_bytes > ATTACHMENT_BYTES_MAX) return "INVALID_PARAMETER";
  if (codePoints(payload.caption) > CAPTION_LENGTH_MAX) return "DESERIALIZATION_ERROR";
  return payload.id === "" ? "DESERIALIZATION_ERROR" : null;
}
