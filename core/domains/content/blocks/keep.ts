/**
 * What a node keeps: blocks that prove themselves, within bounds, as long as something signed names them; a fresh
 * upload for its grace. What is wanted and lacking is listed, to be asked of peers.
 * Source: protocol 02 G.6, G.7; bounds are DESIGN L10.
 */

import type { Turn } from "../../../engine/step-context.ts";
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
export function takeUpload(turn: Turn, cid: Cid, bytes: Uint8Array): Upload {
  if (bytes.length > BLOCK_BYTES_MAX || !isBlockOf(turn, cid, bytes)) return "misfit";
  const held = turn.draft.get(Blocks, cid);
  if (held !== undefined) {
    if (held.uploaded_at !== null) turn.draft.put(Blocks, cid, { ...held, uploaded_at: turn.now });
    return "held";
  }
  const recent = turn.draft.find(Blocks, "uploads", "recent");
  let total = bytes.length;
  for (const upload of recent) total += turn.draft.get(Blocks, upload)?.bytes.length ?? 0;
  if (recent.length >= UPLOADS_MAX || total > UPLOADS_BYTES_MAX) return "full";
  return keep(turn, cid, { bytes, uploaded_at: turn.now }) ? "stored" : "full";
}

/** Takes a wanted block from a peer; false when it is not that block or there is no room. */
export function takeWanted(turn: Turn, cid: Cid, bytes: Uint8Array): boolean {
  if (bytes.length > BLOCK_BYTES_MAX || !isBlockOf(turn, cid, bytes)) return false;
  return keep(turn, cid, { bytes, uploaded_at: null });
}

/** Lists what a file lacks. Answers whether anything new was listed. */
export function wantFile(turn: Turn, root: Cid): boolean {
  const { type, missing } = heldFile(turn.draft, root);
  let news = false;
  if (type === "broken") return news;
  for (const cid of missing) {
    if (turn.draft.get(Wants, cid) !== undefined || turn.draft.size(Wants) >= WANTS_MAX) continue;
    turn.draft.put(Wants, cid, { root, tries: 0, asked: null, asked_at: NEVER });
    news = true;
  }
  return news;
}

/** The files that settlements show, of those that are not too old. Source: protocol 02 G.7. */
export function shownFiles(turn: Turn, settlements: Iterable<Identity>): ReadonlySet<Cid> {
  const oldest = oldestKept(turn);
  const roots = new Set<Cid>();
  for (const settlement of settlements) {
    for (const { attachment } of attachmentsOfSettlement(turn.draft, settlement)) {
      const root = attachment.created_at < oldest ? undefined : canonicalCid(attachment.cid);
      if (root !== undefined) roots.add(root);
    }
  }
  return roots;
}

/** Forgets what nothing names any more, and lists anew what is lacking. Source: protocol 02 G.6, G.7. */
export function sweep(turn: Turn): void {
  const { draft } = turn;
  const oldest = oldestKept(turn);
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
  for (const cid of [...draft.keys(Blocks)]) sweepBlock(turn, cid, live.has(cid));
  draft.put(Usages, "held", measure(draft));
  for (const peer of [...draft.keys(Serving)]) draft.put(Serving, peer, undefined);
  relist(turn, shownFiles(turn, settlements));
}

/** Wants that something still asks for keep how often peers were asked. */
function relist(turn: Turn, roots: ReadonlySet<Cid>): void {
  const before = new Map([...turn.draft.keys(Wants)].map((cid) => [cid, turn.draft.get(Wants, cid)]));
  for (const cid of before.keys()) turn.draft.put(Wants, cid, undefined);
  for (const root of roots) wantFile(turn, root);
  for (const cid of [...turn.draft.keys(Wants)]) {
    const old = before.get(cid);
    const now = turn.draft.get(Wants, cid);
    if (old !== undefined && now !== undefined) turn.draft.put(Wants, cid, { ...old, root: now.root });
  }
}

function sweepBlock({ draft, now }: Turn, cid: string, live: boolean): void {
  const block = draft.get(Blocks, cid);
  if (block === undefined) return;
  const fresh = block.uploaded_at !== null && now - block.uploaded_at <= BigInt(UPLOAD_GRACE_MS);
  if (!live && !fresh) draft.put(Blocks, cid, undefined);
  else if (block.uploaded_at !== null && !fresh) draft.put(Blocks, cid, { ...block, uploaded_at: null });
}

/** Stores a block that was looked at, and lists what its file lacks now that its links are known. */
function keep(turn: Turn, cid: Cid, block: Block): boolean {
  const { draft } = turn;
  const used = draft.get(Usages, "held") ?? NOTHING;
  const bytes = used.bytes + BigInt(block.bytes.length);
  if (used.blocks >= BLOCKS_MAX || bytes > BigInt(BLOCKS_BYTES_MAX)) return false;
  draft.put(Blocks, cid, block);
  draft.put(Usages, "held", { blocks: used.blocks + 1, bytes });
  const want = draft.get(Wants, cid);
  if (want === undefined) return true;
  draft.put(Wants, cid, undefined);
  if (partsOfCid(cid)?.codec === "dag-pb") wantFile(turn, want.root as Cid);
  return true;
}

function isBlockOf({ crypto }: Turn, cid: Cid, bytes: Uint8Array): boolean {
  const parts = partsOfCid(cid);
  return parts !== undefined && compareBytes(crypto.sha256(bytes), parts.digest) === 0;
}

function measure(reader: Reader): Usage {
  let total = 0;
  for (const cid of reader.keys(Blocks)) total += reader.get(Blocks, cid)?.bytes.length ?? 0;
  return { blocks: reader.size(Blocks), bytes: BigInt(total) };
}

function oldestKept({ now, configuration }: Turn): EpochMillis {
  const { retentionDays = RETENTION_DAYS } = configuration;
  if (retentionDays === "archival") return NEVER;
  const kept = BigInt(Math.max(retentionDays, RETENTION_DAYS)) * DAY_MS;
  return (now > kept ? now - kept : 0n) as EpochMillis;
}
