/**
 * Attachments: public evidence about a settlement, named by its content identifier.
 * Source: protocol 02 G.2, G.4, K.
 */

import { Cid } from "../../../kernel/cid.ts";
import type { Infer } from "../../../kernel/schema.ts";
import { sized } from "../../../kernel/schema.ts";
import { struct, variants } from "../../../kernel/schema-composites.ts";
import { enumeration, u64 } from "../../../kernel/schema-scalars.ts";
import type { Payload } from "../../../kernel/signed.ts";
import { signed } from "../../../kernel/signed.ts";
import { EpochMillis, PeerId, PublicKey, Text } from "../../../kernel/values.ts";

/** Largest attachment, in bytes. Source: protocol 02 G.7. */
export const ATTACHMENT_BYTES_MAX = 10_485_760n;
/** Longest caption, in Unicode code points. Source: protocol 02 G.7. */
export const CAPTION_LENGTH_MAX = 200;

/** Source: protocol 02 G.2. */
export const MediaType = enumeration("Png", "Jpeg", "Webp", "Pdf");
export type MediaType = Infer<typeof MediaType>;
/** What an attachment is about. Source: protocol 02 G.2. */
export const AttachmentSubject = variants({ Settlement: Text });

/**
 * Signed by its author. It names its settlement without being its child: it may come first, and whether its author
 * is a party is asked when it is read. Source: protocol 02 G.2, G.4; CONVERGENCE "Joins".
 */
export const AttachmentPublish = signed("openfiat/content/AttachmentPublish/v1", {
  outer: "attachment",
  signer: "author",
  key: "author_public_key",
  time: "created_at",
  creates: "attachment",
  event: "AttachmentPublished",
  ofs: 5000,
  priority: 3,
  fields: {
    id: Text,
    subject: AttachmentSubject,
    author: PeerId,
    author_public_key: PublicKey,
    cid: Cid,
    media_type: MediaType,
    size_bytes: u64,
    caption: sized(Text, { points: CAPTION_LENGTH_MAX }),
    created_at: EpochMillis,
  },
});
export type AttachmentPublish = Payload<typeof AttachmentPublish>;

/** The record is the signed payload. Source: protocol 02 G.2. */
export const Attachment = AttachmentPublish.payload;

/** What a stranger may read: the author members stay as empty texts. Source: protocol 02 K; DESIGN §7 #15. */
export const PublicAttachment = struct("PublicAttachment", {
  ...Attachment.fields,
  author: Text,
  author_public_key: Text,
});
export type PublicAttachment = Infer<typeof PublicAttachment>;
