/**
 * What a review must keep to be admitted, at every ingress alike: its text, and the name of its settlement.
 * Source: protocol 02 H; 04 §2.12.
 */

import { GOSSIP_ID_BYTES_MAX, isIdWithin } from "../../engine/admission/ingress.ts";
import { ruleOf } from "../../engine/overrides.ts";
import type { AdmissionView } from "../../engine/step-context.ts";
import { codePoints } from "../../kernel/text.ts";
import type { ReviewPublish } from "./schema.ts";
import { COMMENT_POINTS_MAX } from "./schema.ts";

/** Control characters but the line feed, and those that turn the direction of text. Source: protocol 02 H row 4. */
const FORBIDDEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Whether a comment may be shown: of a sane length, and of text that reads as it stands. */
export function isComment(comment: string): boolean {
  return codePoints(comment) <= COMMENT_POINTS_MAX && !FORBIDDEN.test(comment.replaceAll("\n", ""));
}

/** Why a review is admitted at no ingress, if so: its comment, or the name of its settlement. */
export function reviewError({ configuration }: AdmissionView, { settlement, comment }: ReviewPublish) {
  const isNamed = ruleOf(configuration, isWithin)(settlement);
  const isShown = comment.length <= 2 * COMMENT_POINTS_MAX && isComment(comment);
  return isNamed && isShown ? undefined : "INVALID_PARAMETER";
}

/** Whether the name of a settlement keeps the size that every ingress asks for. */
export function isWithin(name: string): boolean {
  return isIdWithin(name, GOSSIP_ID_BYTES_MAX);
}
