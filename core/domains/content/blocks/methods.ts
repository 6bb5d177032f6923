/**
 * Content methods: a block, a file, and the one unsigned send. Source: protocol 02 G.6.
 */

import type { CallFailure } from "../../../engine/method.ts";
import { call } from "../../../engine/method.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import { concat } from "../../../kernel/bytes.ts";
import type { Cid } from "../../../kernel/cid.ts";
import { BAD_CID, canonicalCid } from "../../../kernel/cid.ts";
import type { Result } from "../../../kernel/result.ts";
import { err, ok } from "../../../kernel/result.ts";
import { struct } from "../../../kernel/schema-composites.ts";
import { fromBase64, toBase64 } from "../../../kernel/text.ts";
import { Text } from "../../../kernel/values.ts";
import { takeUpload } from "./keep.ts";
import { heldFile } from "./queries.ts";
import { ContentPut, HeldContent } from "./schema.ts";
import { Blocks } from "./tables.ts";

const cidParams = struct("CidParams", { cid: Text });

export const contentMethods = {
  getHeldContent: call({
    kind: "query",
    params: cidParams,
    result: HeldContent,
    source: "OFS-8200 §6; protocol 02 G.6",
    doc: "The one block that an identifier names, in base64; null when this node does not hold it.",
    run(context, params) {
      const cid = canonicalCid(params.cid);
      if (cid === undefined) return misfit(BAD_CID);
      const block = context.draft.get(Blocks, cid);
      return ok({ content: block === undefined ? null : toBase64(block.bytes) });
    },
  }),
  getContentFile: call({
    kind: "query",
    params: cidParams,
    result: HeldContent,
    errors: ["INVALID_PARAMETER"],
    source: "protocol 02 G.6, an extension of the reference",
    doc: "The whole file behind an identifier, in base64; null while any block of it is not held here.",
    run(context, params) {
      const cid = canonicalCid(params.cid);
      if (cid === undefined) return misfit(BAD_CID);
      const file = heldFile(context.draft, cid);
      if (file.type === "broken") return ruleOf(context.configuration, unfit)("no file, or too large a one");
      return ok({ content: file.type === "whole" ? toBase64(concat(...file.parts)) : null });
    },
  }),
  sendContentPut: call({
    kind: "action",
    params: struct("ContentPutParams", { cid: Text, content: Text }),
    result: ContentPut,
    errors: ["INVALID_PARAMETER", "RATE_LIMIT_EXCEEDED"],
    source: "protocol 02 G.6, an extension of the reference",
    doc: "Leaves one block here. Unsigned: the bytes prove themselves by their hash, and no record changes.",
    run(context, { cid, content }) {
      const name = canonicalCid(cid);
      if (name === undefined || !ruleOf(context.configuration, isSpelled)(cid, name)) return misfit(BAD_CID);
      const bytes = fromBase64(content);
      if (bytes === undefined) return misfit("invalid base64: expected the standard alphabet with padding");
      return put(context, { cid, name, bytes });
    },
  }),
};

function put(
  context: StepContext,
  { cid, name, bytes }: { readonly cid: string; readonly name: Cid; readonly bytes: Uint8Array },
): Result<{ readonly cid: string; readonly stored: boolean }, CallFailure> {
  const upload = takeUpload(context, name, bytes);
  switch (upload) {
    case "stored":
    case "held":
      return ok({ cid, stored: upload === "stored" });
    case "misfit":
      return ruleOf(context.configuration, unfit)("content is too large or does not match its identifier");
    case "full":
      return err({ type: "domain", code: "RATE_LIMIT_EXCEEDED" });
  }
}

/** Whether an identifier is spelled as its content's is; any other spelling of it reads, but names no new content. */
export function isSpelled(cid: string, name: Cid): boolean {
  return cid === name;
}

/** What does not fit its identifier. Source: protocol 02 N.21. */
export function unfit(_reason: string): Result<never, CallFailure> {
  return err({ type: "domain", code: "INVALID_PARAMETER", reason: "content-differs" });
}

export function misfit(reason: string): Result<never, CallFailure> {
  return err({ type: "params", reason });
}
