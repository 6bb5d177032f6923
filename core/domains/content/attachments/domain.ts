/**
 * Attachments: files that parties show about their settlements. Source: protocol 02 G.
 */

import { COMMON_LIMITS } from "../../../engine/admission/bounds.ts";
import { defineDomain, strictly, typeRow } from "../../../engine/domain.ts";
import { namesWithin } from "./bounds.ts";
import { attachmentFold } from "./fold.ts";
import { attachmentMethods } from "./methods.ts";
import { ATTACHMENTS_MAX, attachmentsOfAuthor } from "./queries.ts";
import { AttachmentPublish } from "./schema.ts";
import { Attachments } from "./tables.ts";

export const attachments = defineDomain({
  name: "attachments",
  types: [
    typeRow(
      AttachmentPublish,
      {
        ...COMMON_LIMITS,
        // An id is its author's within one settlement, where the bound below counts them.
        contendersMax: Infinity,
        withinLimits(reader, { signer, payload }) {
          const { subject } = payload as AttachmentPublish;
          return attachmentsOfAuthor(reader, signer, subject.Settlement).length < ATTACHMENTS_MAX;
        },
      },
      { validate: strictly(namesWithin) },
    ),
  ],
  records: [Attachments],
  folds: () => [attachmentFold],
  methods: attachmentMethods,
});
