/**
 * Bounds on what is said of one trade: local refusals of an ingress, never of the fold. The parties always have room,
 * so no stranger crowds them out. Source: protocol 04 §2.12; CONVERGENCE "Bounds".
 */

import { GOSSIP_ID_BYTES_MAX, isIdWithin } from "../../engine/admission/ingress.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { contenders, Statements, slot } from "../../engine/statements/table.ts";
import type { AdmissionView } from "../../engine/step-context.ts";
import type { Statement } from "../../kernel/signed.ts";
import type { Reader } from "../../kernel/table.ts";
import { codePoints } from "../../kernel/text.ts";
import type { SettlementInitiate } from "../trade/settlements/schema.ts";
import { COMMENT_POINTS_MAX, ReviewPublish } from "./schema.ts";

/** Strangers' reviews of one settlement that a node keeps; none is ever shown. Source: DESIGN L10. */
export const STRANGERS_REVIEWS_MAX = 64;

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

/** Whether there is room for a review that is not held yet. */
export function withinReviewLimits(reader: Reader, statement: Statement): boolean {
  const { settlement } = statement.payload as ReviewPublish;
  const initiates = contenders<SettlementInitiate>(reader, "settlement", settlement);
  if (initiates.some(({ payload }) => [payload.buyer, payload.seller].includes(statement.signer))) return true;
  const place = slot({ kind: "settlement", name: settlement });
  return reader.find(Statements, "about", `${place}/${ReviewPublish.name}`).length < STRANGERS_REVIEWS_MAX;
}
