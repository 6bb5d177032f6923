/**
 * Content: blocks that prove themselves by their hash, what a node still lacks, and how nodes ask each other.
 * All of it is node-local and in no root. Source: protocol 02 G.6, G.7.
 */

import type { Infer } from "../../../kernel/schema.ts";
import { list, option, struct } from "../../../kernel/schema-composites.ts";
import { bool, byteArray, u32, u64 } from "../../../kernel/schema-scalars.ts";
import { EpochMillis, PeerId, Text } from "../../../kernel/values.ts";

/** Routing key of the frames of content exchange. Source: protocol 02 G (number on the wire). */
export const OFS_CONTENT = 5000;
/** Names of its frames. Source: DESIGN "Formats". */
export const CONTENT_REQUEST = "ContentRequest";
export const CONTENT_RESPONSE = "ContentResponse";

/** Source: protocol 02 G.7, in bytes. */
export const BLOCK_BYTES_MAX = 262_144;
export const FILE_BYTES_MAX = 10_485_760;
/** Blocks of one file at most. Source: protocol 02 G.7. */
export const BLOCKS_PER_FILE_MAX = 512;
/** How long an upload stays although nothing signed names it, in milliseconds. Source: protocol 02 G.7. */
export const UPLOAD_GRACE_MS = 900_000;
/** How often a node forgets what nothing names, in milliseconds. Source: protocol 02 G.7. */
export const SWEEP_EVERY_MS = 600_000;

/** A held block: its bytes, and when a client put it here, until something signed is seen to name it. */
export const Block = struct("ContentBlock", { bytes: byteArray(null), uploaded_at: option(EpochMillis) });
export type Block = Infer<typeof Block>;

/**
 * A block that this node lacks: the file it is for, whether claims alone ask for that, how often peers were asked, and
 * who is asked now.
 */
export const Want = struct("ContentWant", {
  root: Text,
  claimed: bool,
  tries: u32,
  asked: option(PeerId),
  asked_at: EpochMillis,
});
export type Want = Infer<typeof Want>;

/** A file of which more is lacking than was listed, and whether claims alone ask for it. */
export const UnlistedFile = struct("UnlistedFile", { claimed: bool });
export type UnlistedFile = Infer<typeof UnlistedFile>;

/** What blocks take. */
export const Usage = struct("ContentUsage", { blocks: u32, bytes: u64 });
export type Usage = Infer<typeof Usage>;

/** The node's rounds of asking: when the next one is due, and how long it waits after one without news. */
export const Round = struct("ContentRound", {
  number: u32,
  due: EpochMillis,
  sweep_at: EpochMillis,
  wait_ms: u32,
});
export type Round = Infer<typeof Round>;

/** What one peer was given since an instant. */
export const Served = struct("ContentServed", { since: EpochMillis, bytes: u64 });
export type Served = Infer<typeof Served>;

/** Which blocks a node lacks. */
export const ContentRequest = struct("ContentRequest", { cids: list(Text) });
const SentBlock = struct("SentBlock", { cid: Text, bytes: byteArray(null) });
/** Those of them that the other holds, as many as fit. */
export const ContentResponse = struct("ContentResponse", { blocks: list(SentBlock) });

/** Source: protocol 02 G.6. */
export const HeldContent = struct("HeldContent", { content: option(Text) });
export const ContentPut = struct("ContentPut", { cid: Text, stored: bool });
