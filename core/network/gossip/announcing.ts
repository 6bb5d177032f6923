/**
 * Announcing: what came a moment ago is announced by its identity to a peer that may lack it, and a push that nobody
 * acknowledged is sent again, so that a lost message, a link that ends or a peer that keeps things to itself delays a
 * statement by a second or two. What the other side lacks it asks for in its answer: nothing waits here for what
 * somebody only says he has. Source: DESIGN "Gossip and sync"; protocol 01 W3.
 */

import { Pending, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { fromHex, toHex } from "../../kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import { compareText } from "../../kernel/text.ts";
import type { Identity, PeerId } from "../../kernel/values.ts";
import type { Request } from "../peers/peers.ts";
import { connectedPeers, peerOf, Requests } from "../peers/peers.ts";
import { chargeFault, spendBytes, spendWork } from "./credit.ts";
import { Events, GossipEvent, OFS_GOSSIP } from "./envelope.ts";
import type { Item } from "./news.ts";
import { arm, beWary, isDue, isWary, mark, News } from "./news.ts";
import { pushTo } from "./originate.ts";
import { eventOf, Have, isWanted, NAMED_MAX, SCATTER } from "./reconcile.ts";
import { makeEager, makeLazy } from "./trees.ts";
import { ask } from "./wire.ts";

/** How long it is known who brought a statement, in milliseconds: longer than a push is repeated. */
const NEWS_MS = 5_000n;
/** Announcements of one statement, and for a while after something was lost. Source: DESIGN "Waiting times". */
const ROUNDS = 1;
const ROUNDS_WHILE_WARY = 3;
/** A push that nobody acknowledged for so long, in milliseconds and in round trips, counts as lost. */
const REPEAT_MS = 150n;
const ROUND_TRIPS = 3n;
/** Pushes to one peer that are repeated at once. Source: DESIGN "Work at once". */
const REPEATED_AT_ONCE = 64;
/** A node that loses one link after the other tells it once in so many milliseconds. Source: DESIGN "Waiting times". */
const GRAFT_MS = 1_000;
const GRAFTED = "grafted";
const NOTHING = new Uint8Array(0);

/** The timer `announce`. */
export function announce(context: StepContext): void {
  const { draft, now } = context;
  const rounds = isWary(context) ? ROUNDS_WHILE_WARY : ROUNDS;
  const untold: (readonly [string, Item])[] = [];
  for (const key of [...draft.keys(News)].sort(compareText)) {
    const item = draft.get(News, key);
    if (item === undefined) continue;
    if (item.at + NEWS_MS < now || !isHeld(context, key)) draft.put(News, key, undefined);
    else if (item.told < rounds) untold.push([key, item]);
  }
  const peers = announcingPeers(context);
  const peer = peers[(Math.imul(context.number, SCATTER) >>> 0) % Math.max(1, peers.length)];
  // Whoever brought it has it: somebody else is told next time, if there is anybody.
  const told = peers.length > 1 ? untold.filter(([, { from }]) => from !== peer) : untold;
  if (peer !== undefined) tell(context, peer, told);
  for (const [key, item] of told) draft.put(News, key, { ...item, told: item.told + 1 });
  const goesOn = told.length < untold.length || told.some(([, item]) => item.told + 1 < rounds);
  if (repeatPushes(context) || goesOn) arm(context);
}

/** A peer announces what came to it: the answer names what is lacking here. */
export function lackingOf(context: StepContext, from: PeerId, payload: Uint8Array): Uint8Array | undefined {
  const told = decodeCompact(Have, payload);
  if (told === undefined) {
    chargeFault(context, from);
    return undefined;
  }
  if (!spendWork(context, from, payload.length)) return undefined;
  const identities = told.identities.slice(0, NAMED_MAX).filter((identity) => isWanted(context, identity));
  return identities.length === 0 ? undefined : encodeCompact(Have, { identities });
}

/** A peer lacks what was announced to it: that is pushed, and the link is needed again. */
export function onWanted(context: StepContext, from: PeerId, payload: Uint8Array): void {
  const wanted = decodeCompact(Have, payload);
  if (wanted === undefined) return chargeFault(context, from);
  beWary(context);
  for (const identity of wanted.identities.slice(0, NAMED_MAX)) {
    const key = toHex(identity) as Identity;
    // Only what was announced a moment ago.
    if (context.draft.get(News, key) === undefined) continue;
    const event = eventOf(context, key);
    if (event === undefined) continue;
    if (!spendBytes(context, from, encodeCompact(GossipEvent, event).length)) return;
    makeEager(context, from, event.origin);
    pushTo(context, [from], { ...event, ttl: Math.max(event.ttl - 1, 1) });
  }
}

/** A peer had what was pushed to it: the link is lazy from now on for whoever put that on the wire. */
export function onPruned(context: StepContext, from: PeerId, { about }: Request): void {
  const pushed = context.draft.get(Events, about);
  if (pushed !== undefined && pushed.statement !== null) makeLazy(context, from, pushed.event.origin);
}

/** A link is over, which may have been the one that brought statements first: all others are needed again. */
export function graft(context: StepContext): void {
  if (isDue(context, GRAFTED)) return;
  mark(context, GRAFTED, GRAFT_MS);
  for (const peer of announcingPeers(context)) ask(context, peer, "announce", OFS_GOSSIP, "GossipGraft", NOTHING);
}

/** Sends again what was not acknowledged in time; whether anything may have to be sent once more. */
function repeatPushes(context: StepContext): boolean {
  let goesOn = false;
  for (const peer of announcingPeers(context)) {
    const numbers = context.draft.find(Requests, "repeatable", peer).slice(0, REPEATED_AT_ONCE);
    goesOn ||= numbers.length > 0;
    for (const number of numbers) repeatPush(context, peer, number);
  }
  return goesOn;
}

function repeatPush(context: StepContext, peer: PeerId, number: string): void {
  const request = context.draft.get(Requests, number);
  const wait = bigger(REPEAT_MS, (peerOf(context.draft, peer).latency_ms ?? 0n) * ROUND_TRIPS);
  if (request === undefined || request.sent_at + wait > context.now) return;
  context.draft.put(Requests, number, undefined);
  const pushed = context.draft.get(Events, request.about);
  if (pushed === undefined) return;
  beWary(context);
  const { event } = pushed;
  const ttl = event.origin === context.configuration.peerId ? event.ttl : event.ttl - 1;
  pushTo(context, [peer], { ...event, ttl }, true, request.repeats + 1);
}

function tell(context: StepContext, peer: PeerId, items: readonly (readonly [string, Item])[]): void {
  const identities = items.flatMap(([key, { from }]) => (from === peer ? [] : (fromHex(key) ?? [])));
  if (identities.length > 0)
    ask(context, peer, "announce", OFS_GOSSIP, "GossipAnnounce", encodeCompact(Have, { identities }));
}

function announcingPeers({ draft }: StepContext): readonly PeerId[] {
  return connectedPeers(draft).filter((peer) => peerOf(draft, peer).announces);
}

function isHeld({ draft }: StepContext, identity: string): boolean {
  return draft.get(Statements, identity) !== undefined || draft.get(Pending, identity) !== undefined;
}

function bigger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
