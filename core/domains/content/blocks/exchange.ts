/**
 * Content exchange: a node asks its peers for the blocks that it lacks, each for other ones, and goes on asking a peer
 * that had some. Rounds come soon after news, ever later while nothing is found, and at the latest with the sweep.
 * Source: protocol 02 G.7; the messages and the rhythm are ours.
 */

import type { Message, StepContext } from "../../../engine/step-context.ts";
import type { ReplyHandle } from "../../../inputs.ts";
import type { Cid } from "../../../kernel/cid.ts";
import { canonicalCid } from "../../../kernel/cid.ts";
import { decodeCompact, encodeCompact } from "../../../kernel/schema.ts";
import { compareText } from "../../../kernel/text.ts";
import type { EpochMillis, Identity, PeerId } from "../../../kernel/values.ts";
import { later } from "../../../kernel/values.ts";
import { Frame, frameOf } from "../../../network/gossip/envelope.ts";
import type { Peer } from "../../../network/peers/peers.ts";
import { connectedPeers, nextRequest, PEERS_MAX, Peers } from "../../../network/peers/peers.ts";
import type { Claim } from "../../identity/schema.ts";
import { Claims } from "../../identity/tables.ts";
import { Settlements } from "../../trade/settlements/tables.ts";
import { settlementsOf } from "../attachments/queries.ts";
import type { AttachmentPublish } from "../attachments/schema.ts";
import { Attachments } from "../attachments/tables.ts";
import { claimedFile, listFromStart, shownFiles, sweep, takeWanted, wantFile } from "./keep.ts";
import type { Round } from "./schema.ts";
import {
  CONTENT_REQUEST,
  CONTENT_RESPONSE,
  ContentRequest,
  ContentResponse,
  OFS_CONTENT,
  SWEEP_EVERY_MS,
} from "./schema.ts";
import { Blocks, Rounds, Serving, Wants } from "./tables.ts";

/** Blocks of one request that are looked for at most. Source: protocol 02 G.7. */
export const WANTS_PER_REQUEST_MAX = 1_024;
/**
 * Bytes of blocks in one response: three whole ones, so that the frame fits. Source: DESIGN "Work at once"; protocol 02
 * G.7 allows four.
 */
export const RESPONSE_BYTES_MAX = 786_432;
/** Blocks that one request of this node asks for. Source: DESIGN "Work at once". */
export const WANTS_PER_ASK = 64;
/** Peers asked in one round. Source: DESIGN "Work at once". */
export const PEERS_PER_ROUND = 3;
/** How long a peer has to answer before another is asked, in milliseconds. Source: DESIGN "Waiting times". */
export const ANSWER_WITHIN_MS = 15_000;
/**
 * Between news and asking: the peer that told may still be fetching itself. In milliseconds. Source: DESIGN "Waiting
 * times".
 */
export const ASK_AFTER_MS = 1_000;
/** The first wait after a round, doubled after each without news, in milliseconds. Source: DESIGN "Waiting times". */
export const ASK_AGAIN_MS = 5_000;
/** Bytes that one peer is given between two sweeps. Source: DESIGN L10. */
export const SERVED_BYTES_MAX = 134_217_728;

/** When the store is loaded: counts what is held, and lists what is lacking. */
export function startContent(context: StepContext): void {
  listFromStart(context);
  runRound(context, { ...roundOf(context), sweep_at: context.now });
}

/** The timer `content`. */
export function contentRound(context: StepContext): void {
  runRound(context, roundOf(context));
}

/** Reaction: what a settlement newly shows or a wallet newly claims is wanted; a new peer may have what is wanted. */
export function wantContent(context: StepContext): void {
  const settlements = new Set<Identity>();
  const claimed = new Set<Cid>();
  let met = false;
  for (const { table, key, record } of context.draft.changes()) {
    if (record === undefined) continue;
    if (table === Attachments.name) {
      for (const settlement of settlementsOf(context.draft, record as AttachmentPublish)) settlements.add(settlement);
    } else if (table === Settlements.name && context.base.get(Settlements, key) === undefined) {
      settlements.add(key as Identity);
    } else if (table === Claims.name && context.base.get(Claims, key) === undefined) {
      const root = claimedFile(context, record as Claim);
      if (root !== undefined) claimed.add(root);
    } else if (table === Peers.name && (record as Peer).connected) {
      met ||= context.base.get(Peers, key)?.connected !== true;
    }
  }
  let news = met && context.draft.size(Wants) > 0;
  for (const root of shownFiles(context, settlements)) news = wantFile(context, root) || news;
  for (const root of claimed) news = wantFile(context, root, true) || news;
  if (news) hurry(context);
}

/** A request of a peer: as many of the blocks as fit, and as it may still have. */
export function onContentRequest(context: StepContext, from: PeerId, replyTo: ReplyHandle, frame: Message): void {
  const asked = frame.message_type === CONTENT_REQUEST ? decodeCompact(ContentRequest, frame.payload) : undefined;
  const served = context.draft.get(Serving, from) ?? { since: context.now, bytes: 0n };
  const crowded = context.draft.get(Serving, from) === undefined && context.draft.size(Serving) >= PEERS_MAX;
  let room = crowded ? 0 : Math.min(RESPONSE_BYTES_MAX, SERVED_BYTES_MAX - Number(served.bytes));
  const before = room;
  const blocks: { readonly cid: string; readonly bytes: Uint8Array }[] = [];
  for (const cid of new Set(asked?.cids.slice(0, WANTS_PER_REQUEST_MAX))) {
    const name = canonicalCid(cid);
    const block = name && context.draft.get(Blocks, name);
    if (block === undefined || block.bytes.length > room) continue;
    room -= block.bytes.length;
    blocks.push({ cid, bytes: block.bytes });
  }
  if (room < before) context.draft.put(Serving, from, { ...served, bytes: served.bytes + BigInt(before - room) });
  const payload = encodeCompact(ContentResponse, { blocks });
  const bytes = encodeCompact(Frame, frameOf(OFS_CONTENT, CONTENT_RESPONSE, payload, context.now));
  context.emit({ type: "message.reply", replyTo, bytes });
}

/** The answer of a peer: only blocks that it was asked for, and that are what their identifier says. */
export function onContentAnswer(context: StepContext, from: PeerId, frame: Message): void {
  const answer = frame.message_type === CONTENT_RESPONSE ? decodeCompact(ContentResponse, frame.payload) : undefined;
  let taken = 0;
  for (const { cid, bytes } of answer?.blocks.slice(0, WANTS_PER_ASK) ?? []) {
    const name = canonicalCid(cid);
    if (name === undefined || context.draft.get(Wants, name)?.asked !== from) continue;
    if (takeWanted(context, name, bytes)) taken += 1;
  }
  for (const cid of context.draft.find(Wants, "asked", from)) {
    const want = context.draft.get(Wants, cid);
    if (want !== undefined) context.draft.put(Wants, cid, { ...want, asked: null });
  }
  if (taken === 0) return;
  ask(context, from, freeWants(context).slice(0, WANTS_PER_ASK));
  if (context.draft.size(Wants) > 0) hurry(context);
}

function runRound(context: StepContext, round: Round): void {
  const due = context.now >= round.sweep_at;
  const isSwept = due && sweep(context);
  const number = round.number + 1;
  const peers = connectedPeers(context.draft);
  const wants = freeWants(context);
  const many = Math.min(PEERS_PER_ROUND, peers.length);
  for (let i = 0; i < many; i++) {
    const peer = peers[(number * PEERS_PER_ROUND + i) % peers.length];
    const share = wants.filter((_, place) => place % many === i).slice(0, WANTS_PER_ASK);
    if (peer !== undefined) ask(context, peer, share);
  }
  const sweep_at = isSwept ? later(context.now, SWEEP_EVERY_MS) : round.sweep_at;
  const again = later(context.now, round.wait_ms);
  const at = context.draft.size(Wants) > 0 && again < sweep_at ? again : sweep_at;
  const wait_ms = Math.min(round.wait_ms * 2, SWEEP_EVERY_MS);
  context.draft.put(Rounds, "now", { number, due: at, sweep_at, wait_ms });
  context.emit({ type: "timer.set", timer: "content", at });
}

/** Lets the next round come soon. */
function hurry(context: StepContext): void {
  const round = roundOf(context);
  const soon = later(context.now, ASK_AFTER_MS);
  const at = round.due > context.now && round.due < soon ? round.due : soon;
  context.draft.put(Rounds, "now", { ...round, due: at, wait_ms: ASK_AGAIN_MS });
  if (at !== round.due) context.emit({ type: "timer.set", timer: "content", at });
}

/** Wants that nobody is asked for now, those asked least first. */
function freeWants(context: StepContext): readonly string[] {
  const free: (readonly [number, string])[] = [];
  for (const cid of context.draft.keys(Wants)) {
    const want = context.draft.get(Wants, cid);
    if (want === undefined) continue;
    if (want.asked === null || later(want.asked_at, ANSWER_WITHIN_MS) < context.now) free.push([want.tries, cid]);
  }
  return free.sort((a, b) => a[0] - b[0] || compareText(a[1], b[1])).map(([, cid]) => cid);
}

function ask(context: StepContext, peer: PeerId, cids: readonly string[]): void {
  if (cids.length === 0) return;
  for (const cid of cids) {
    const want = context.draft.get(Wants, cid);
    if (want === undefined) continue;
    context.draft.put(Wants, cid, { ...want, tries: want.tries + 1, asked: peer, asked_at: context.now });
  }
  const payload = encodeCompact(ContentRequest, { cids });
  const bytes = encodeCompact(Frame, frameOf(OFS_CONTENT, CONTENT_REQUEST, payload, context.now));
  context.emit({ type: "message.send", to: peer, request: nextRequest(context, peer, "content"), bytes });
}

function roundOf(context: StepContext): Round {
  const never = 0n as EpochMillis;
  return context.draft.get(Rounds, "now") ?? { number: 0, due: never, sweep_at: context.now, wait_ms: ASK_AGAIN_MS };
}
