/**
 * Set reconciliation between peers of this software: digests of ever longer prefixes are compared until
 * only what differs is left, then just that is fetched. What moves is proportional to the difference,
 * never to the set. The asked side keeps nothing between messages; every answer is bounded.
 * Source: protocol 01 §15 W3; CONVERGENCE "Roots", "Profile" (ours).
 */

import type { ReplyHandle } from "../inputs.ts";
import { equalBytes, fromHex, toHex } from "../kernel/bytes.ts";
import { BRANCHES, LISTED_MAX } from "../kernel/identity-tree.ts";
import { decodeCompact, encodeCompact } from "../kernel/schema.ts";
import { list, struct } from "../kernel/schema-composites.ts";
import { bool, byteArray } from "../kernel/schema-scalars.ts";
import { table } from "../kernel/table.ts";
import { utf8 } from "../kernel/text.ts";
import type { Identity } from "../kernel/values.ts";
import { PeerId, Text } from "../kernel/values.ts";
import { Peers, peerOf } from "../node/peers.ts";
import { profileText } from "../profile.ts";
import { Statements } from "../statements/table.ts";
import type { Turn } from "../turn.ts";
import { foldOf } from "../turn.ts";
import { Events, GossipEvent, OFS_GOSSIP } from "./envelope.ts";
import { envelopeOf } from "./originate.ts";
import { receiveEvents } from "./receive.ts";
import { ask, RECOVERY_BYTES_MAX, reply } from "./wire.ts";

/** Prefixes in one request. Source: ours. */
export const PREFIXES_MAX = 1_024;
/** Identities named in one message. Source: ours. */
export const NAMED_MAX = 4_096;
/** Bytes of a digest on the wire: two sets that differ would have to be found by 2^64 trials. Source: ours. */
const SHORT_BYTES = 16;
const HEX = /^[0-9a-f]{0,64}$/;

const Range = struct("Range", { prefix: Text, digest: byteArray(SHORT_BYTES) });
const SetRequest = struct("GossipSetRequest", { profile: byteArray(32), ranges: list(Range) });
/** What the asked side holds below a prefix: digests of the sixteen next digits, or the identities themselves. */
const Content = struct("Content", {
  prefix: Text,
  branches: list(byteArray(SHORT_BYTES)),
  identities: list(byteArray(32)),
});
const SetResponse = struct("GossipSetResponse", { contents: list(Content) });
const FetchRequest = struct("GossipFetchRequest", { identities: list(byteArray(32)), prefixes: list(Text) });
const FetchResponse = struct("GossipFetchResponse", { events: list(GossipEvent), more: bool });
/** What the sender holds and the receiver seems to lack: the receiver fetches it, so that nothing comes unasked. */
const Have = struct("GossipHave", { identities: list(byteArray(32)) });

/** The peer with which a comparison goes on, now that what it brought is part of the set. */
export const Unfinished = table("unfinished", struct("Unfinished", { peer: PeerId }), { root: "local" });

/** Begins with one peer: the digest of everything. */
export function reconcileWith(turn: Turn, peer: PeerId): void {
  const known = peerOf(turn.draft, peer);
  if (known.leads) turn.draft.put(Peers, peer, { ...known, leads: false });
  askRanges(turn, peer, [""]);
}

/** Answers what differs below the prefixes that were asked; nothing to a peer of another network profile. */
export function onSetRequest(turn: Turn, from: PeerId, replyTo: ReplyHandle, payload: Uint8Array): void {
  const asked = decodeCompact(SetRequest, payload);
  if (asked?.ranges[0]?.prefix === "" && from < turn.configuration.peerId) {
    turn.draft.put(Peers, from, { ...peerOf(turn.draft, from), leads: true });
  }
  const fits = asked !== undefined && equalBytes(asked.profile, profileHash(turn));
  const ranges = fits ? asked.ranges.slice(0, PREFIXES_MAX).filter(({ prefix }) => HEX.test(prefix)) : [];
  const contents = ranges
    .filter(({ prefix, digest }) => !equalBytes(digest, shortDigest(turn, prefix)))
    .map(({ prefix }) => contentOf(turn, prefix));
  reply(turn, replyTo, OFS_GOSSIP, "GossipSetResponse", encodeCompact(SetResponse, { contents }));
}

/** Goes on where a peer differs: asks deeper, fetches what is missing here, names what is missing there. */
export function onSetResponse(turn: Turn, from: PeerId, payload: Uint8Array): void {
  // Two that begin at once would move everything twice: the one with the smaller id goes on.
  if (peerOf(turn.draft, from).leads) return;
  const answer = decodeCompact(SetResponse, payload);
  const deeper: string[] = [];
  const missing: Uint8Array[] = [];
  const whole: string[] = [];
  const extra: string[] = [];
  for (const content of answer?.contents.slice(0, PREFIXES_MAX) ?? []) {
    if (!HEX.test(content.prefix)) continue;
    if (content.branches.length === BRANCHES)
      compareBranches(turn, content.prefix, content.branches, deeper, whole, extra);
    else compareListed(turn, content.prefix, content.identities, missing, extra);
  }
  if (deeper.length > 0) askRanges(turn, from, deeper.slice(0, PREFIXES_MAX));
  fetch(turn, from, missing.slice(0, NAMED_MAX), whole.slice(0, PREFIXES_MAX));
  if (extra.length > 0) ask(turn, from, "have", OFS_GOSSIP, "GossipHave", haveOf(extra.slice(0, NAMED_MAX)));
}

/** A peer says what it holds: what is new here is fetched. */
export function onHave(turn: Turn, from: PeerId, payload: Uint8Array): void {
  const told = decodeCompact(Have, payload)?.identities.slice(0, NAMED_MAX) ?? [];
  fetch(
    turn,
    from,
    told.filter((identity) => turn.draft.get(Statements, toHex(identity)) === undefined),
    [],
  );
}

/** Answers the events of named statements, and of those below prefixes, within the byte budget. */
export function onFetchRequest(turn: Turn, replyTo: ReplyHandle, payload: Uint8Array): void {
  const asked = decodeCompact(FetchRequest, payload);
  const named = asked?.identities.slice(0, NAMED_MAX).map(toHex) ?? [];
  const prefixes = asked?.prefixes.slice(0, PREFIXES_MAX).filter((prefix) => HEX.test(prefix)) ?? [];
  const identities = new Set(named);
  for (const prefix of prefixes) {
    if (identities.size >= NAMED_MAX) break;
    for (const identity of turn.identities.below(prefix, NAMED_MAX - identities.size)) identities.add(identity);
  }
  const events: GossipEvent[] = [];
  let bytes = 0;
  for (const identity of identities) {
    const event = eventOf(turn, identity as Identity);
    if (event === undefined) continue;
    bytes += encodeCompact(GossipEvent, event).length;
    if (bytes > RECOVERY_BYTES_MAX) break;
    events.push(event);
  }
  const more = events.length < identities.size || identities.size >= NAMED_MAX;
  reply(turn, replyTo, OFS_GOSSIP, "GossipFetchResponse", encodeCompact(FetchResponse, { events, more }));
}

/** What was fetched goes through the recovery door; while there is more, the comparison begins again. */
export function onFetchResponse(turn: Turn, from: PeerId, payload: Uint8Array): void {
  const answer = decodeCompact(FetchResponse, payload);
  if (answer === undefined) return;
  const before = turn.draft.size(Statements);
  receiveEvents(turn, foldOf(turn), answer.events, from, "recovery");
  if (!answer.more || turn.draft.size(Statements) === before) return;
  turn.draft.put(Unfinished, "peer", { peer: from });
  turn.emit({ type: "timer.set", timer: "reconcile", at: turn.now });
}

/** Begins again with the peer that had more than one answer could carry. */
export function goOn(turn: Turn): void {
  const held = turn.draft.get(Unfinished, "peer");
  turn.draft.put(Unfinished, "peer", undefined);
  if (held !== undefined && peerOf(turn.draft, held.peer).connected) reconcileWith(turn, held.peer);
}

/** SHA-256 of the profile: everything on which a network's nodes must agree. */
function profileHash(turn: Turn): Uint8Array {
  return turn.crypto.sha256(utf8(profileText(turn.configuration.profile)));
}

function contentOf(turn: Turn, prefix: string) {
  const tree = turn.identities;
  if (tree.count(prefix) <= LISTED_MAX) {
    const identities = tree.below(prefix, LISTED_MAX).map((identity) => fromHex(identity) ?? new Uint8Array(32));
    return { prefix, branches: [], identities };
  }
  const branches = Array.from({ length: BRANCHES }, (_, digit) => shortDigest(turn, prefix + digit.toString(16)));
  return { prefix, branches, identities: [] };
}

function compareBranches(
  turn: Turn,
  prefix: string,
  theirs: readonly Uint8Array[],
  deeper: string[],
  whole: string[],
  extra: string[],
): void {
  theirs.forEach((digest, digit) => {
    const below = prefix + digit.toString(16);
    if (equalBytes(digest, shortDigest(turn, below))) return;
    if (turn.identities.count(below) === 0) whole.push(below);
    else if (digest.every((byte) => byte === 0)) extra.push(...turn.identities.below(below, NAMED_MAX));
    else deeper.push(below);
  });
}

function compareListed(
  turn: Turn,
  prefix: string,
  identities: readonly Uint8Array[],
  missing: Uint8Array[],
  extra: string[],
): void {
  const theirs = new Set(identities.map(toHex));
  for (const identity of identities)
    if (turn.draft.get(Statements, toHex(identity)) === undefined) missing.push(identity);
  for (const own of turn.identities.below(prefix, NAMED_MAX)) if (!theirs.has(own)) extra.push(own);
}

function askRanges(turn: Turn, peer: PeerId, prefixes: readonly string[]): void {
  const ranges = prefixes.map((prefix) => ({ prefix, digest: shortDigest(turn, prefix) }));
  const payload = encodeCompact(SetRequest, { profile: profileHash(turn), ranges });
  ask(turn, peer, "set", OFS_GOSSIP, "GossipSetRequest", payload);
}

function fetch(turn: Turn, peer: PeerId, identities: readonly Uint8Array[], prefixes: readonly string[]): void {
  if (identities.length === 0 && prefixes.length === 0) return;
  ask(turn, peer, "fetch", OFS_GOSSIP, "GossipFetchRequest", encodeCompact(FetchRequest, { identities, prefixes }));
}

function haveOf(identities: readonly string[]): Uint8Array {
  return encodeCompact(Have, { identities: identities.map((identity) => fromHex(identity) ?? new Uint8Array(32)) });
}

/** An event that carries a statement: one that is held, else one of this node's own. */
function eventOf(turn: Turn, identity: Identity): GossipEvent | undefined {
  const [key] = turn.draft.find(Events, "statement", identity);
  const held = key === undefined ? undefined : turn.draft.get(Events, key);
  if (held !== undefined) return held.event;
  const statement = turn.draft.get(Statements, identity);
  return statement && envelopeOf(turn, statement);
}

function shortDigest(turn: Turn, prefix: string): Uint8Array {
  return turn.identities.digest(prefix).subarray(0, SHORT_BYTES);
}
