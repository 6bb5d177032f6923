/**
 * The attachment fold: a statement that keeps the bounds is a record, and never changes. Source: protocol 02 G.2, G.5.
 */

import type { FoldUnit } from "../../../engine/statements/fold.ts";
import { Statements } from "../../../engine/statements/table.ts";
import type { Draft } from "../../../kernel/draft.ts";
import type { Statement } from "../../../kernel/signed.ts";
import { brokenBound } from "./rules.ts";
import { AttachmentPublish } from "./schema.ts";
import { Attachments } from "./tables.ts";

export const attachmentFold: FoldUnit = {
  name: "attachment",
  touches: { [AttachmentPublish.name]: (_draft, statement, mark) => mark("attachment", statement.identity) },
  refold(draft: Draft, identity) {
    const statement = draft.get(Statements, identity) as Statement<AttachmentPublish> | undefined;
    if (statement === undefined) return;
    draft.put(Attachments, identity, brokenBound(statement.payload) === null ? statement.payload : undefined);
  },
};
