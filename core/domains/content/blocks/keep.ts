/**
 * What a node keeps: blocks that prove themselves, within bounds, as long as something signed names them; a fresh
 * upload for its grace. What is wanted and lacking is listed, to be asked of peers.
 * Source: protocol 02 G.6, G.7; bounds are DESIGN L10.
 */

import { SWEPT_AT_ONCE } from "../../../engine/dated-rows.ts";
import { readAt } from "../../../engine/overrides.ts";
import type { StepContext } from "../../../engine/step-context.ts";
import { RETENTION_DAYS } from "../../../inputs.ts";
import { compareBytes } from "../../../kernel/bytes.ts";
import type { Cid } from "../../../kernel/cid.ts";
import { canonicalCid, partsOfCid } from "../../../kernel/cid.ts";
import type { Reader } from "../../../kernel/table.ts";
import { entriesOf, firstOf } from "../../../kernel/table.ts";
import type { EpochMillis, Identity, PeerId } from "../../../kernel/values.ts";
import { avatarsOf, isAvatar } from "../../identity/queries.ts";
import type { Claim } from "../../identity/schema.ts";
import { Claims } from "../../identity/tables.ts";
import { attachmentsNaming, attachmentsOfSettlement, settlementsOf } from "../attachments/queries.ts";
import { Attachments } from "../attachments/tables.ts";
import { addClaimed, claimedUsage, hasClaimedRoom, mayListClaimed, mayRememberClaimed } from "./claimed.ts";
import { heldFile } from "./queries.ts";
import type { Block, Usage } from "./schema.ts";
import { BLOCK_BYTES_MAX, UPLOAD_GRACE_MS } from "./schema.ts";
import { Blocks, Serving, Unlisted, Usages, Wants } from "./tables.ts";

/** Blocks held at most, and their bytes. Source: DESIGN L10. */
export const BLOCKS_MAX = 16_384;
export const BLOCKS_BYTES_MAX = 536_870_912;
/** Uploads within their grace at most, and their bytes: what nobody signed must not fill a node. Source: DESIGN L10. */
export const UPLOADS_MAX = 1_024;
export const UPLOADS_BYTES_MAX = 67_108_864;
/** Lacking blocks listed at most. Source: DESIGN L10. */
export const WANTS_MAX = 4_096;
/** Files remembered whose lacking blocks found no place in that list. Source: DESIGN L10. */
export const UNLISTED_MAX = 4_096;
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

/**
 * Lists what a file lacks, as far as there is room: for settlements that show it, or for claims alone. Answers whether
 * anything new was listed.
 */
export function wantFile({ draft }: StepContext, root: Cid, claimed = false): boolean {
  const { type, missing } = heldFile(draft, root);
  if (type === "broken") {
    for (const cid of draft.find(Wants, "root", root)) draft.put(Wants, cid, undefined);
    return false;
  }
  let news = false;
  for (const cid of missing) {
    const want = draft.get(Wants, cid);
    // What a settlement shows is wanted for that, whoever claimed it before.
    if (want?.claimed && !claimed) draft.put(Wants, cid, { ...want, root, claimed });
    if (want !== undefined) continue;
    if (draft.size(Wants) >= WANTS_MAX || (claimed && !mayListClaimed(draft))) {
      remember(draft, root, claimed);
      return news;
    }
    draft.put(Wants, cid, { root, claimed, tries: 0, asked: null, asked_at: NEVER });
    news = true;
  }
  return news;
}

/** Keeps in mind a file that is to be listed once there is room. */
function remember(draft: StepContext["draft"], root: string, claimed: boolean): void {
  const known = draft.get(Unlisted, root);
  if (known === undefined ? !mayRemember(draft, claimed) : !known.claimed || claimed) return;
  draft.put(Unlisted, root, { claimed });
}

function mayRemember(reader: Reader, claimed: boolean): boolean {
  return reader.size(Unlisted) < UNLISTED_MAX && (!claimed || mayRememberClaimed(reader));
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

/** What a new claim names, if it is an avatar and counts. Source: protocol 04 §1.6. */
export function claimedFile(context: StepContext, { claim_type, value, wallet }: Claim): Cid | undefined {
  if (claim_type !== "Avatar" || !avatarsOf(context.draft, wallet, readAt(context)).includes(value)) return undefined;
  return canonicalCid(value);
}

/** At start: counts what is held, and lists what everything lacks that is shown or claimed. */
export function listFromStart(context: StepContext): void {
  const { draft } = context;
  const [oldest, settlements] = [oldestKept(context), new Set<Identity>()];
  for (const key of draft.keys(Attachments)) {
    const attachment = draft.get(Attachments, key);
    if (attachment === undefined || attachment.created_at < oldest) continue;
    for (const settlement of settlementsOf(draft, attachment)) settlements.add(settlement);
  }
  const wallets = new Set<PeerId>();
  for (const [, { claim_type, revoked, wallet }] of entriesOf(draft, Claims))
    if (claim_type === "Avatar" && !revoked) wallets.add(wallet);
  draft.put(Usages, "held", measure(draft));
  liveBlocks(context);
  for (const root of shownFiles(context, settlements)) wantFile(context, root);
  for (const wallet of wallets)
    for (const cid of avatarsOf(draft, wallet, readAt(context))) wantFile(context, cid as Cid, true);
}

/**
 * Forgets what nothing names any more, so many blocks a step, and lists what there was no room for; whether that was
 * all. It goes through what this node holds and wants, each of which has a bound, and never through what others signed:
 * the newest that names a file is found by it. Source: protocol 02 G.6, G.7; CONVERGENCE B5.
 */
export function sweep(context: StepContext): boolean {
  const { draft } = context;
  const isAll = sweepBlocks(context);
  for (const peer of [...draft.keys(Serving)]) draft.put(Serving, peer, undefined);
  const oldest = oldestKept(context);
  for (const cid of [...draft.keys(Wants)]) {
    const want = draft.get(Wants, cid);
    const by = want && namedBy(context, want.root, oldest);
    if (by === undefined) draft.put(Wants, cid, undefined);
    else if (want !== undefined && by === "claim" && !want.claimed) draft.put(Wants, cid, { ...want, claimed: true });
  }
  for (const root of firstOf(draft.keys(Unlisted), SWEPT_AT_ONCE)) {
    const claimed = draft.get(Unlisted, root)?.claimed === true;
    const by = namedBy(context, root, oldest);
    draft.put(Unlisted, root, undefined);
    if (by !== undefined) wantFile(context, root as Cid, claimed || by === "claim");
  }
  return isAll;
}

function sweepBlocks(context: StepContext): boolean {
  const { draft, now } = context;
  const live = liveBlocks(context);
  const over: string[] = [];
  for (const cid of draft.keys(Blocks)) {
    if (over.length > SWEPT_AT_ONCE) break;
    const uploaded = draft.get(Blocks, cid)?.uploaded_at ?? null;
    const fresh = uploaded !== null && now - uploaded <= BigInt(UPLOAD_GRACE_MS);
    if (!fresh && (uploaded !== null || !live.has(cid))) over.push(cid);
  }
  for (const cid of over.slice(0, SWEPT_AT_ONCE)) dropOrKeep(context, cid, live.has(cid));
  return over.length <= SWEPT_AT_ONCE;
}

/** The blocks of every file that is named, and counts what claims take of them. */
function liveBlocks(context: StepContext): ReadonlySet<string> {
  const { draft } = context;
  const oldest = oldestKept(context);
  const live = new Set<string>();
  const claimed: Cid[] = [];
  for (const root of draft.keys(Blocks)) {
    const by = namedBy(context, root, oldest);
    if (by === "claim") claimed.push(root as Cid);
    if (by === "attachment") for (const cid of heldFile(draft, root as Cid).held) live.add(cid);
  }
  const [before, { blocks, bytes }] = [claimedUsage(draft), addClaimed(draft, live, claimed)];
  if (before.blocks !== blocks || before.bytes !== bytes) draft.put(Usages, "claimed", { blocks, bytes });
  return live;
}

/** Past its grace, an upload is a block like any other. */
function dropOrKeep({ draft }: StepContext, cid: string, live: boolean): void {
  const block = draft.get(Blocks, cid);
  if (block === undefined) return;
  if (live) return draft.put(Blocks, cid, { ...block, uploaded_at: null });
  const { blocks, bytes } = draft.get(Usages, "held") ?? NOTHING;
  draft.put(Blocks, cid, undefined);
  draft.put(Usages, "held", { blocks: blocks - 1, bytes: bytes - BigInt(block.bytes.length) });
}

/** What is signed and names a file: an attachment that is not too old, else a claim that is valid. */
function namedBy({ draft, now }: StepContext, root: string, oldest: EpochMillis): "attachment" | "claim" | undefined {
  const [newest] = attachmentsNaming(draft, root, 1);
  if (newest !== undefined && newest.created_at >= oldest) return "attachment";
  return isAvatar(draft, root, now) ? "claim" : undefined;
}

/** Stores a block that was looked at, and lists what its file lacks now that its links are known. */
function keep(context: StepContext, cid: Cid, block: Block): boolean {
  const { draft } = context;
  const used = draft.get(Usages, "held") ?? NOTHING;
  const bytes = used.bytes + BigInt(block.bytes.length);
  if (used.blocks >= BLOCKS_MAX || bytes > BigInt(BLOCKS_BYTES_MAX)) return false;
  const want = draft.get(Wants, cid);
  if (want?.claimed && block.uploaded_at === null && !countClaimed(context, block)) {
    draft.put(Wants, cid, undefined);
    remember(draft, want.root, true);
    return false;
  }
  draft.put(Blocks, cid, block);
  draft.put(Usages, "held", { blocks: used.blocks + 1, bytes });
  if (want === undefined) return true;
  draft.put(Wants, cid, undefined);
  if (partsOfCid(cid)?.codec === "dag-pb") wantFile(context, want.root as Cid, want.claimed);
  return true;
}

/** Counts one more block that was fetched for claims, if their share has room. */
function countClaimed({ draft }: StepContext, block: Block): boolean {
  if (!hasClaimedRoom(draft)) return false;
  const { blocks, bytes } = claimedUsage(draft);
  draft.put(Usages, "claimed", { blocks: blocks + 1, bytes: bytes + BigInt(block.bytes.length) });
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
