/**
 * What a node keeps: blocks that prove themselves, within bounds, as long as something signed names them; a fresh
 * upload for its grace. What is wanted and lacking is listed, to be asked of peers.
 * Source: protocol 02 G.6, G.7; bounds are DESIGN L10.
 */

import type { StepContext } from "../../../engine/step-context.ts";
import { RETENTION_DAYS } from "../../../inputs.ts";
import { compareBytes } from "../../../kernel/bytes.ts";
import type { Cid } from "../../../kernel/cid.ts";
import { canonicalCid, partsOfCid } from "../../../kernel/cid.ts";
import type { Reader } from "../../../kernel/table.ts";
import type { EpochMillis, Identity } from "../../../kernel/values.ts";
import { attachmentsOfSettlement, settlementsNamed } from "../attachments/queries.ts";
import { Attachments } from "../attachments/tables.ts";
import { heldFile } from "./queries.ts";
import type { Block, Usage } from "./schema.ts";
import { BLOCK_BYTES_MAX, UPLOAD_GRACE_MS } from "./schema.ts";
import { Blocks, Serving, Usages, Wants } from "./tables.ts";

/** Blocks held at most, and their bytes. Source: DESIGN L10. */
export const BLOCKS_MAX = 16_384;
export const BLOCKS_BYTES_MAX = 536_870_912;
/** Uploads within their grace at most, and their bytes: what nobody signed must not fill a node. Source: DESIGN L10. */
export const UPLOADS_MAX = 1_024;
export const UPLOADS_BYTES_MAX = 67_108_864;
/** Lacking blocks listed at most. Source: DESIGN L10. */
export const WANTS_MAX = 4_096;
const DAY_MS = 86_400_000n;
const NOTHING: Usage = { blocks: 0, bytes: 0n };
const NEVER = 0n as EpochMillis;

export type Upload = "stored" | "held" | "misfit" | "full";

/** Takes a block from a client. Source: protocol 02 G.6. */
export function takeUpload(context: StepContext, cid: Cid, bytes: Uint8Array): Upload {
  if (bytes.length > BLOCK_BYTES_MAX || !isBlockOf(context, cid, bytes)) return "misfit";
  const held = context.draft.get(Blocks, cid);
  if (held !== undefined) {
    if (held.uploaded_at !== null) context.draft.put(Blocks, cid, { ...held, uploaded_at: context.now });
    return "held";
  }
  const recent = context.draft.find(Blocks, "uploads", "recent");
  let total = bytes.length;
  for (const upload of recent) total += context.draft.get(Blocks, upload)?.bytes.length ?? 0;
  if (recent.length >= UPLOADS_MAX || total > UPLOADS_BYTES_MAX) return "full";
  return keep(context, cid, { bytes, uploaded_at: context.now }) ? "stored" : "full";
}

/** Takes a wanted block from a peer; false when it is not that block or there is no room. */
export function takeWanted(context: StepContext, cid: Cid, bytes: Uint8Array): boolean {
  if (bytes.length > BLOCK_BYTES_MAX || !isBlockOf(context, cid, bytes)) return false;
  return keep(context, cid, { bytes, uploaded_at: null });
}

/** Lists what a file lacks. Answers whether anything new was listed. */
export function wantFile(context: StepContext, root: Cid): boolean {
  const { type, missing } = heldFile(context.draft, root);
  let news = false;
  if (type === "broken") return news;
  for (const cid of missing) {
    if (context.draft.get(Wants, cid) !== undefined || context.draft.size(Wants) >= WANTS_MAX) continue;
    context.draft.put(Wants, cid, { root, tries: 0, asked: null, asked_at: NEVER });
    news = true;
  }
  return news;
}

/** The files that settlements show, of those that are not too old. Source: protocol 02 G.7. */
export function shownFiles(context: StepContext, settlements: Iterable<Identity>): ReadonlySet<Cid> {
  const oldest = oldestKept(context);
  const roots = new Set<Cid>();
  for (const settlement of settlements) {
    for (const { attachment } of attachmentsOfSettlement(context.draft, settlement)) {
      const root = attachment.created_at < oldest ? undefined : canonicalCid(attachment.cid);
      if (root !== undefined) roots.add(root);
    }
  }
  return roots;
}

/** Forgets what nothing names any more, and lists anew what is lacking. Source: protocol 02 G.6, G.7. */
export function sweep(context: StepContext): void {
  const { draft } = context;
  const oldest = oldestKept(context);
  const [named, settlements] = [new Set<Cid>(), new Set<Identity>()];
  for (const key of draft.keys(Attachments)) {
    const attachment = draft.get(Attachments, key);
    const root = attachment && attachment.created_at >= oldest ? canonicalCid(attachment.cid) : undefined;
    if (attachment === undefined || root === undefined) continue;
    named.add(root);
    for (const settlement of settlementsNamed(draft, attachment.subject.Settlement)) settlements.add(settlement);
  }
  const live = new Set<string>();
  for (const root of named) for (const cid of heldFile(draft, root).held) live.add(cid);
  for (const cid of [...draft.keys(Blocks)]) sweepBlock(context, cid, live.has(cid));
  draft.put(Usages, "held", measure(draft));
  for (const peer of [...draft.keys(Serving)]) draft.put(Serving, peer, undefined);
  relist(context, shownFiles(context, settlements));
}

/** Wants that something still asks for keep how often peers were asked. */
function relist(context: StepContext, roots: ReadonlySet<Cid>): void {
  const before = new Map([...context.draft.keys(Wants)].map((cid) => [cid, context.draft.get(Wants, cid)]));
  for (const cid of before.keys()) context.draft.put(Wants, cid, undefined);
  for (const root of roots) wantFile(context, root);
  for (const cid of [...context.draft.keys(Wants)]) {
    const old = before.get(cid);
    const now = context.draft.get(Wants, cid);
    if (old !== undefined && now !== undefined) context.draft.put(Wants, cid, { ...old, root: now.root });
  }
}

function sweepBlock({ draft, now }: StepContext, cid: string, live: boolean): void {
  const block = draft.get(Blocks, cid);
  if (block === undefined) return;
  const fresh = block.uploaded_at !== null && now - block.uploaded_at <= BigInt(UPLOAD_GRACE_MS);
  if (!live && !fresh) draft.put(Blocks, cid, undefined);
  else if (block.uploaded_at !== null && !fresh) draft.put(Blocks, cid, { ...block, uploaded_at: null });
}

/** Stores a block that was looked at, and lists what its file lacks now that its links are known. */
function keep(context: StepContext, cid: Cid, block: Block): boolean {
  const { draft } = context;
  const used = draft.get(Usages, "held") ?? NOTHING;
  const bytes = used.bytes + BigInt(block.bytes.length);
  if (used.blocks >= BLOCKS_MAX || bytes > BigInt(BLOCKS_BYTES_MAX)) return false;
  draft.put(Blocks, cid, block);
  draft.put(Usages, "held", { blocks: used.blocks + 1, bytes });
  const want = draft.get(Wants, cid);
  if (want === undefined) return true;
  draft.put(Wants, cid, undefined);
  if (partsOfCid(cid)?.codec === "dag-pb") wantFile(context, want.root as Cid);
  return true;
}

function isBlockOf({ crypto }: StepContext, cid: Cid, bytes: Uint8Array): boolean {
  const parts = partsOfCid(cid);
  return parts !== undefined && compareBytes(crypto.sha256(bytes), parts.digest) === 0;
}

function measure(reader: Reader): Usage {
  let total = 0;
  for (const cid of reader.keys(Blocks)) total += reader.get(Blocks, cid)?.bytes.length ?? 0;
  return { blocks: reader.size(Blocks), bytes: BigInt(total) };
}

function oldestKept({ now, configuration }: StepContext): EpochMillis {
  const { retentionDays = RETENTION_DAYS } = configuration;
  if (retentionDays === "archival") return NEVER;
  const kept = BigInt(Math.max(retentionDays, RETENTION_DAYS)) * DAY_MS;
  return (now > kept ? now - kept : 0n) as EpochMillis;
}
