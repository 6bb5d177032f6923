/**
 * Attachment methods. Source: protocol 02 G.5, G.6, O.20, O.21.
 */

import { withinDomainLimits } from "../../../engine/admission/bounds.ts";
import type { CheckResult, ValidationOrder, ValidationView } from "../../../engine/admission/validation-order.ts";
import {
  commonChecks,
  dateCheck,
  firstOf,
  keyChecks,
  outOfBounds,
  refuseWhen,
} from "../../../engine/admission/validation-order.ts";
import { idParams, mutation, query, signedTypes } from "../../../engine/method.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { contenders } from "../../../engine/statements/table.ts";
import { list } from "../../../kernel/schema-composites.ts";
import { Settlements } from "../../trade/settlements/tables.ts";
import { namesById } from "./bounds.ts";
import { ATTACHMENTS_PER_AUTHOR_MAX, attachmentsOfAuthor, settlementsNamed } from "./queries.ts";
import { brokenBound } from "./rules.ts";
import { AttachmentPublish, PublicAttachment } from "./schema.ts";
import { publicAttachments } from "./views.ts";

/** Source: protocol 02 G.5; the settlement need not be known, but who is no party of a known one is refused (O.20). */
const publishChecks: ValidationOrder = (view, candidate) => {
  const payload = candidate.payload as AttachmentPublish;
  return firstOf(
    () => keyChecks(candidate),
    () => dateCheck(view, candidate),
    () => outOfBounds(brokenBound(payload)),
    () => commonChecks(view, candidate),
    () => refuseWhen(!ruleOf(view.configuration, namesById)(payload), "INVALID_PARAMETER", "id-form"),
    () => refuseWhen(isKnown(view, payload), "RESOURCE_ALREADY_EXISTS"),
    () => ruleOf(view.configuration, againstSettlement)(view, payload),
    () =>
      refuseWhen(
        !withinDomainLimits(view.registry, view.reader, candidate.statement),
        "RATE_LIMIT_EXCEEDED",
        "no-room",
      ),
  );
};

function isKnown({ reader, configuration }: ValidationView, publish: AttachmentPublish): boolean {
  const takes = ruleOf(configuration, takesId);
  return contenders<AttachmentPublish>(reader, "attachment", publish.id).some(({ payload }) => takes(payload, publish));
}

/** Whether one of the same id stands in the way: it is its author's within a settlement. Source: protocol 02 O.21. */
export function takesId(held: AttachmentPublish, { author, subject }: AttachmentPublish): boolean {
  return held.author === author && held.subject.Settlement === subject.Settlement;
}

/** Only parties of a known settlement attach anything to it, and so much. Source: protocol 02 O.20. */
export function againstSettlement({ reader }: ValidationView, { author, subject }: AttachmentPublish): CheckResult {
  const rows = settlementsNamed(reader, subject.Settlement).flatMap((key) => reader.get(Settlements, key) ?? []);
  const isParty = rows.some(({ buyer, seller }) => author === buyer || author === seller);
  if (rows.length > 0 && !isParty) return { code: "INVALID_IDENTITY_CLAIM", reason: "not-a-party" };
  const own = attachmentsOfAuthor(reader, author, subject.Settlement);
  return refuseWhen(own.length >= ATTACHMENTS_PER_AUTHOR_MAX, "RATE_LIMIT_EXCEEDED", "too-many");
}

export const attachmentMethods = {
  getSettlementAttachments: query({
    params: idParams,
    result: list(PublicAttachment),
    source: "OFS-8200 §6; protocol 02 G.6",
    doc: "What a settlement's parties attached to it, without their authors; an unknown settlement has none.",
    read: (reader, { id }, context) => publicAttachments(reader, id, context),
  }),
  sendAttachmentPublish: mutation({
    signed: signedTypes(AttachmentPublish),
    checks: publishChecks,
    answers: "id",
    errors: [
      "INVALID_SIGNATURE",
      "INVALID_IDENTITY_CLAIM",
      "INVALID_PARAMETER",
      "DESERIALIZATION_ERROR",
      "RESOURCE_ALREADY_EXISTS",
      "RATE_LIMIT_EXCEEDED",
    ],
    source: "OFS-8200 §6; protocol 02 G.5",
    doc: "Attaches public content to a settlement by its identifier.",
  }),
};
