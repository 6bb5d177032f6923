/**
 * The table of attachments: one record for each statement that keeps the bounds. Source: protocol 02 G.2, O.21.
 */

import { canonicalCid } from "../../../kernel/cid.ts";
import { table } from "../../../kernel/table.ts";
import type { AttachmentPublish } from "./schema.ts";
import { Attachment } from "./schema.ts";

const DIGITS_OF_U64 = 20;

/** Attachments by their statement's identity. */
export const Attachments = table<AttachmentPublish>("attachments", Attachment, {
  root: "state",
  /** Anybody may name a settlement, so nobody is looked for among what others say of it. */
  indexes: { shown: ({ author, subject }) => [`${author}/${subject.Settlement}`] },
  orders: {
    /** Those that name a file, the newest last. */
    naming: {
      under({ cid }) {
        const root = canonicalCid(cid);
        return root === undefined ? [] : [root];
      },
      rank: ({ created_at }) => created_at.toString().padStart(DIGITS_OF_U64, "0"),
    },
  },
});
