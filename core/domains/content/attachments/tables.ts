/**
 * The table of attachments: one record for each statement that keeps the bounds. Source: protocol 02 G.2, O.21.
 */

import { table } from "../../../kernel/table.ts";
import type { AttachmentPublish } from "./schema.ts";
import { Attachment } from "./schema.ts";

/** Attachments by their statement's identity. */
export const Attachments = table<AttachmentPublish>("attachments", Attachment, {
  root: "state",
  indexes: { settlement: ({ subject }) => [subject.Settlement] },
});
