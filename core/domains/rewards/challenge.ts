/**
 * The content challenge: now and then one peer that runs infrastructure is asked for one file that the network should
 * hold. It is asked over its own authenticated link, so that the credit is its own and not that of whoever's server
 * stands at a registered URL; the block proves itself, so the asker needs none. Failing and never being asked look
 * alike. Source: OFS-4100 §9; protocol 05 §4.3, §14.18.
 */

import type { Message, StepContext } from "../../engine/step-context.ts";
import { bigEndian, concat, equalBytes, u64be } from "../../kernel/bytes.ts";
import type { Cid } from "../../kernel/cid.ts";
import { partsOfCid } from "../../kernel/cid.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import type { Reader } from "../../kernel/table.ts";
import { compareText, utf8 } from "../../kernel/text.ts";
import type { EpochMillis, Identity, PeerId } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { Frame, frameOf } from "../../network/gossip/envelope.ts";
import { connectedPeers, nextRequest } from "../../network/peers/peers.ts";
import { attachmentsNaming, attachmentsOfSettlement, settlementsOf } from "../content/attachments/queries.ts";
import type { AttachmentPublish } from "../content/attachments/schema.ts";
import {
  CONTENT_REQUEST,
  CONTENT_RESPONSE,
  ContentRequest,
  ContentResponse,
  OFS_CONTENT,
} from "../content/blocks/schema.ts";
import { Blocks, Wants } from "../content/blocks/tables.ts";
import type { ServiceName } from "../providers/queries.ts";
import { isListed } from "../providers/queries.ts";
import { observeServing } from "./observe.ts";
import { Challenges } from "./tables.ts";

/** How often one peer is challenged, in milliseconds. Source: protocol 05 §4.3. */
export const CHALLENGE_EVERY_MS = 600_000;
/** How long an answer may take, in milliseconds. Source: protocol 05 §4.3. */
export const CHALLENGE_MS_MAX = 20_000;
/** How old a file may be that peers are asked for, in milliseconds. Source: protocol 05 §4.3. */
export const POOL_AGE_MS_MAX = 30n * 86_400_000n;
/** Attachments that are looked at for one file. Source: DESIGN "Work at once". */
const NAMING_LOOKED_AT = 8;
/** What runs infrastructure. Source: protocol 05 §1.3, §14.18. */
const INFRASTRUCTURE: readonly ServiceName[] = ["BootstrapNode", "SnapshotProvider", "PublicApiNode"];

/** Challenges one peer, drawn from the boot seed, and sets the next time. */
export function challengePeer(context: StepContext): void {
  context.emit({ type: "timer.set", timer: "challenge", at: later(context.now, CHALLENGE_EVERY_MS) });
  context.draft.put(Challenges, "now", undefined);
  const peers = connectedPeers(context.draft).filter((peer) =>
    isListed(context.draft, peer, context.now, INFRASTRUCTURE),
  );
  const pool = peers.length === 0 ? [] : challengePool(context.draft, context.now);
  const draw = context.crypto.sha256(
    concat(utf8("content challenge"), context.bootSeed, u64be(BigInt(context.number))),
  );
  const peer = drawn(peers, draw.subarray(0, 8));
  const cid = drawn(pool, draw.subarray(8, 16));
  if (peer === undefined || cid === undefined) return;
  context.draft.put(Challenges, "now", { peer, cid, asked_at: context.now });
  const payload = encodeCompact(ContentRequest, { cids: [cid] });
  const bytes = encodeCompact(Frame, frameOf(OFS_CONTENT, CONTENT_REQUEST, payload, context.now));
  context.emit({ type: "message.send", to: peer, request: nextRequest(context, peer, "challenge"), bytes });
}

/** The answer to a challenge: it counts when the bytes are those that the identifier names. */
export function onChallengeAnswer(context: StepContext, from: PeerId, frame: Message): void {
  const challenge = context.draft.get(Challenges, "now");
  if (challenge?.peer !== from) return;
  context.draft.put(Challenges, "now", undefined);
  if (later(challenge.asked_at, CHALLENGE_MS_MAX) < context.now || frame.message_type !== CONTENT_RESPONSE) return;
  const digest = partsOfCid(challenge.cid)?.digest;
  const block = decodeCompact(ContentResponse, frame.payload)?.blocks[0];
  if (digest === undefined || block === undefined) return;
  if (equalBytes(context.crypto.sha256(block.bytes), digest)) observeServing(context, from);
}

/**
 * One-block files that settlements show and that every node should hold, each once, in order: this node holds or wants
 * them, so it goes through what it holds and wants, and not through all that anybody attached.
 */
export function challengePool(reader: Reader, now: EpochMillis): readonly Cid[] {
  const pool: Cid[] = [];
  for (const cid of [...reader.keys(Blocks), ...reader.keys(Wants)])
    if (partsOfCid(cid)?.codec === "raw" && isShown(reader, cid, now)) pool.push(cid as Cid);
  return pool.sort(compareText);
}

/** Whether a settlement shows a file, by one of the newest attachments that name it, and of late. */
function isShown(reader: Reader, cid: string, now: EpochMillis): boolean {
  return attachmentsNaming(reader, cid, NAMING_LOOKED_AT)
    .filter(({ created_at }) => now - created_at <= POOL_AGE_MS_MAX)
    .some((attachment) =>
      settlementsOf(reader, attachment).some((settlement) => shows(reader, settlement, attachment)),
    );
}

function shows(reader: Reader, settlement: Identity, { id, author, cid }: AttachmentPublish): boolean {
  return attachmentsOfSettlement(reader, settlement).some(
    ({ attachment }) => attachment.id === id && attachment.author === author && attachment.cid === cid,
  );
}

function drawn<T>(items: readonly T[], bytes: Uint8Array): T | undefined {
  return items.length === 0 ? undefined : items[Number(bigEndian(bytes) % BigInt(items.length))];
}
