/**
 * What a settlement's attachments read: without their authors, and without those whose bytes are held and are not
 * what was claimed. Source: protocol 02 G.2, G.6, K, O.22; DESIGN §7 #15.
 */

import type { Viewer } from "../../../engine/admission/validation-order.ts";
import { ruleOf } from "../../../engine/overrides.ts";
import { canonicalCid } from "../../../kernel/cid.ts";
import type { Reader } from "../../../kernel/table.ts";
import { utf8 } from "../../../kernel/text.ts";
import { settlementShown } from "../../trade/settlements/views.ts";
import { heldFile } from "../blocks/queries.ts";
import { attachmentsShown } from "./queries.ts";
import type { AttachmentPublish, MediaType, PublicAttachment } from "./schema.ts";

const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
/** What the first bytes of a file are, and where they stand. Source: protocol 02 G.2. */
const LEADING: Readonly<Record<MediaType, readonly (readonly [number, Uint8Array])[]>> = {
  Png: [[0, PNG]],
  Jpeg: [[0, Uint8Array.of(0xff, 0xd8, 0xff)]],
  Webp: [
    [0, utf8("RIFF")],
    [8, utf8("WEBP")],
  ],
  Pdf: [[0, utf8("%PDF-")]],
};
const LEADING_BYTES = 12;

/** The attachments of the settlement that an id shows. */
export function publicAttachments(reader: Reader, id: string, viewer: Viewer): readonly PublicAttachment[] {
  const settlement = settlementShown(reader, id, viewer);
  if (settlement === undefined) return [];
  const held = attachmentsShown(reader, settlement).map(({ attachment }) => attachment);
  return ruleOf(viewer.configuration, shownOf)(reader, held);
}

/** What a stranger may read of attachments: nobody's name, and nothing that its bytes belie. */
export function shownOf(reader: Reader, held: readonly AttachmentPublish[]): readonly PublicAttachment[] {
  return held
    .filter((attachment) => !isBelied(reader, attachment))
    .map((attachment) => ({ ...attachment, author: "", author_public_key: "" }));
}

/** Whether the file is held, and is not what the attachment says of it. Source: protocol 02 O.22. */
function isBelied(reader: Reader, { cid, media_type, size_bytes }: AttachmentPublish): boolean {
  const root = canonicalCid(cid);
  const file = root && heldFile(reader, root);
  if (file === undefined || file.type === "incomplete") return false;
  return file.type === "broken" || BigInt(file.length) !== size_bytes || !startsAs(media_type, file.parts);
}

function startsAs(type: MediaType, parts: readonly Uint8Array[]): boolean {
  const start: number[] = [];
  for (const part of parts) {
    start.push(...part.subarray(0, LEADING_BYTES - start.length));
    if (start.length === LEADING_BYTES) break;
  }
  return LEADING[type].every(([at, bytes]) => bytes.every((byte, i) => start[at + i] === byte));
}
