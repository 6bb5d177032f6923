/**
 * Set reconciliation between peers of this software: digests of ever longer prefixes are compared until
 * only what differs is left, then just that is fetched. What moves is proportional to the difference,
 * never to the set. The asked side keeps nothing between messages; every answer is bounded.
 * Source: protocol 01 §15 W3; CONVERGENCE "Roots", "Profile".
 */

import { ingresses, isTimely, isTooOld } from "../../engine/admission/ingress.ts";
import { ruleOf } from "../../engine/overrides.ts";
import { Pending, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import type { ReplyHandle } from "../../inputs.ts";
import { equalBytes, fromHex, toHex } from "../../kernel/bytes.ts";
import { BRANCHES, LISTED_MAX } from "../../kernel/identity-tree.ts";
import { decodeCompact, encodeCompact } from "../../kernel/schema.ts";
import { list, struct } from "../../kernel/schema-composites.ts";
import { bool, byteArray } from "../../kernel/schema-scalars.ts";
import type { Statement } from "../../kernel/signed.ts";
import { compareText } from "../../kernel/text.ts";
import type { Identity, PeerId } from "../../kernel/values.ts";
import { Text } from "../../kernel/values.ts";
import { outstanding, Peers, peerOf } from "../peers/peers.ts";
import { endComparison } from "./absence.ts";
import { answersHeld, arrive, takeNext, Unfinished } from "./arrivals.ts";
import {
  catchUp,
  chargeFault,
  chargePushed,
  fallBehind,
  mayPush,
  spendBytes,
  spendCredit,
  spendWork,
} from "./credit.ts";
import { Events, eventKey, GossipEvent, OFS_GOSSIP } from "./envelope.ts";
import { endRange, noteRange, rangeOf } from "./idle-ranges.ts";
import { envelopeOf } from "./originate.ts";
import { isRefused } from "./refused.ts";
import { hasOurRules, isLeftBehindBy, profileHash } from "./rule-changes.ts";
import { ask, RECOVERY_BYTES_MAX, reply } from "./wire.ts";

/** Prefixes in one request. Source: DESIGN "Work at once". */
export const PREFIXES_MAX = 1_024;
/** Ranges that differ and are looked into of one answer; another comparison goes on. Source: DESIGN "Work at once". */
export const LOOKED_INTO_AT_ONCE = 1_024;
/** Identities named in one message. Source: DESIGN "Work at once". */
export const NAMED_MAX = 4_096;
/** Digits of a prefix: two identities that share so many take 2^64 trials to make. Source: DESIGN "Formats". */
export const DEPTH_MAX = 16;
/** Fetches from one peer that are under way before it is heeded when it names more. Source: DESIGN "Work at once". */
const FETCHES_MAX = 2;
/** Why something is fetched, where a request to a peer is remembered. */
const FOUND_HERE = 0;
const NAMED_BY_PEER = 1;
/** What comparing one range costs, in bytes of its answer. Source: DESIGN "Formats". */
const RANGE_COST_BYTES = 512;
/** Bytes of an identity. */
const IDENTITY_BYTES = 32;
/**
 * Bytes of a digest on the wire: two sets that differ would have to be found by 2^64 trials. Source: DESIGN "Formats".
 */
const SHORT_BYTES = 16;
const HEX = /^[0-9a-f]{0,64}$/;
const DIGITS = [..."0123456789abcdef"];
/** Spreads the numbers of inputs over a list: 2^32 over the golden ratio. Source: DESIGN "Formats". */
export const SCATTER = 0x9e3779b1;

const Range = struct("Range", { prefix: Text, digest: byteArray(SHORT_BYTES) });
/** Compares two sets below some prefixes by their digests. */
export const SetRequest = struct("GossipSetRequest", { profile: byteArray(32), ranges: list(Range) });
/** What the asked side holds below a prefix: digests of the sixteen next digits, or the identities themselves. */
const Content = struct("Content", {
  prefix: Text,
  branches: list(byteArray(SHORT_BYTES)),
  identities: list(byteArray(32)),
});
/** What the asked side holds below the prefixes that differ. */
export const SetResponse = struct("GossipSetResponse", { contents: list(Content) });
/** Asks for statements by identity or by what their identities begin with. */
export const FetchRequest = struct("GossipFetchRequest", { identities: list(byteArray(32)), prefixes: list(Text) });
/** Statements that were asked for, and whether there are more. */
export const FetchResponse = struct("GossipFetchResponse", { events: list(GossipEvent), more: bool });
/** What the sender holds and the receiver seems to lack: the receiver fetches it, so that nothing comes unasked. */
export const Have = struct("GossipHave", { identities: list(byteArray(32)) });

/** Begins with one peer: the digest of everything. One comparison at a time. */
export function reconcileWith(context: StepContext, peer: PeerId): void {
  if (isLeftBehindBy(context, peer)) return;
  if (outstanding(context.draft, peer, "set") > 0 || answersHeld(context, peer) > 0) return;
  const known = context.draft.get(Peers, peer);
  if (known?.leads === true) context.draft.put(Peers, peer, { ...known, leads: false });
  catchUp(context, peer);
  askRanges(context, peer, [""], 0);
}

/** Answers what differs below the prefixes that were asked; nothing to a peer of another network profile. */
export function onSetRequest(context: StepContext, from: PeerId, replyTo: ReplyHandle, payload: Uint8Array): void {
  const asked = decodeCompact(SetRequest, payload);
  if (asked === undefined) chargeFault(context, from);
  const known = context.draft.get(Peers, from);
  if (known !== undefined && asked?.ranges[0]?.prefix === "" && from < context.configuration.peerId) {
    context.draft.put(Peers, from, { ...known, leads: true });
  }
  const fits = asked !== undefined && hasOurRules(context, asked.profile);
  const paid = fits && spendWork(context, from, asked.ranges.length * RANGE_COST_BYTES);
  const ranges = paid ? asked.ranges.slice(0, PREFIXES_MAX).filter(({ prefix }) => HEX.test(prefix)) : [];
  const contents = ranges
    .filter(({ prefix, digest }) => !equalBytes(digest, shortDigest(context, prefix)))
    .map(({ prefix }) => contentOf(context, prefix));
  reply(context, replyTo, OFS_GOSSIP, "GossipSetResponse", encodeCompact(SetResponse, { contents }));
}

/**
 * Goes on where a peer differs: asks deeper, fetches what is missing here, names what is missing there. Only prefixes
 * of the length that was asked count, each once, so that every answer leads deeper and no answer begins again.
 */
export function onSetResponse(context: StepContext, from: PeerId, payload: Uint8Array, depth: number): void {
  // Two that begin at once would move everything twice: the one with the smaller id goes on.
  if (peerOf(context.draft, from).leads) return;
  const answer = decodeCompact(SetResponse, payload);
  if (answer === undefined) return chargeFault(context, from);
  const found: Found = { deeper: [], missing: [], whole: [], extra: [], told: [] };
  const seen = new Set<string>();
  for (const content of inTurn(context, answer.contents.slice(0, PREFIXES_MAX))) {
    if (content.prefix.length !== depth || !HEX.test(content.prefix) || seen.has(content.prefix)) continue;
    seen.add(content.prefix);
    if (content.branches.length === BRANCHES) {
      if (lookedInto(found) < LOOKED_INTO_AT_ONCE)
        compareBranches(context, from, content.prefix, content.branches, found);
    } else compareListed(context, from, content.prefix, content.identities, found);
  }
  const { deeper, missing, whole, extra } = found;
  // Beyond a depth that no honest set reaches, what differs is fetched instead of searched.
  const fetched = depth + 1 < DEPTH_MAX ? whole : [...whole, ...deeper];
  if (depth + 1 < DEPTH_MAX && deeper.length > 0)
    askRanges(context, from, someOf(context, deeper, PREFIXES_MAX), depth + 1);
  fetch(context, from, someOf(context, missing, NAMED_MAX), someOf(context, fetched, PREFIXES_MAX));
  if (extra.length > 0) ask(context, from, "have", OFS_GOSSIP, "GossipHave", haveOf(someOf(context, extra, NAMED_MAX)));
  if (answersHeld(context, from) === 0) endComparison(context, from);
}

/**
 * A peer says what it holds: what is new here is fetched, a few fetches at a time, charged as if it had been pushed.
 * What its credit does not pay for comes when this node compares its set with the peer's, in its own time.
 */
export function onHave(context: StepContext, from: PeerId, payload: Uint8Array): void {
  const told = decodeCompact(Have, payload);
  if (told === undefined) return chargeFault(context, from);
  if (!spendWork(context, from, told.identities.length * IDENTITY_BYTES)) return;
  const underWay = outstanding(context.draft, from, "fetch") + answersHeld(context, from);
  if (underWay >= FETCHES_MAX) return;
  const lacking = told.identities.slice(0, NAMED_MAX).filter((identity) => isWanted(context, identity));
  if (lacking.length === 0) return;
  // How much an answer carries shows when it comes: there is to be as much left as it may.
  if (!mayPush(context, from, (underWay + 1) * RECOVERY_BYTES_MAX)) return fallBehind(context, from);
  const unpaid = lacking.findIndex(() => !spendCredit(context, from, 0));
  fetch(context, from, unpaid < 0 ? lacking : lacking.slice(0, unpaid), [], NAMED_BY_PEER);
}

/** Answers the events of named statements, and of those below prefixes, within the byte budget. */
export function onFetchRequest(context: StepContext, from: PeerId, replyTo: ReplyHandle, payload: Uint8Array): void {
  const asked = decodeCompact(FetchRequest, payload);
  if (asked === undefined) chargeFault(context, from);
  const identities = new Set<string>();
  // The smallest cost is taken before anything is looked up, the bytes of the answer after.
  const named =
    asked !== undefined && spendWork(context, from, payload.length) ? asked : { identities: [], prefixes: [] };
  for (const identity of named.identities.slice(0, NAMED_MAX)) identities.add(toHex(identity));
  for (const prefix of named.prefixes.slice(0, PREFIXES_MAX)) {
    if (identities.size >= NAMED_MAX || !HEX.test(prefix)) break;
    const part = roomyPrefix(context, prefix);
    for (const identity of context.identities.below(part, NAMED_MAX - identities.size)) identities.add(identity);
  }
  const events: GossipEvent[] = [];
  let bytes = 0;
  for (const identity of rotated(context, [...identities])) {
    const event = eventOf(context, identity as Identity);
    if (event === undefined) continue;
    const size = encodeCompact(GossipEvent, event).length;
    if (bytes + size > RECOVERY_BYTES_MAX || !spendBytes(context, from, size)) break;
    bytes += size;
    events.push(event);
  }
  const more = events.length < identities.size || identities.size >= NAMED_MAX;
  reply(context, replyTo, OFS_GOSSIP, "GossipFetchResponse", encodeCompact(FetchResponse, { events, more }));
}

/**
 * What was fetched goes through the recovery ingress. The comparison begins again at once only when the answer was full
 * and most of it was new; a peer that has ever `more` of nothing waits for its turn like all others.
 */
export function onFetchResponse(context: StepContext, from: PeerId, payload: Uint8Array, cause: number): void {
  const answer = decodeCompact(FetchResponse, payload);
  if (answer === undefined) return chargeFault(context, from);
  if (cause === NAMED_BY_PEER) chargePushed(context, from, payload.length);
  const full = payload.length * 4 >= RECOVERY_BYTES_MAX || answer.events.length * 4 >= NAMED_MAX;
  arrive(context, from, answer.events, answer.more && full);
}

/** Takes more of what was fetched, and begins again with the peers that had more than one answer could carry. */
export function goOn(context: StepContext): void {
  takeNext(context);
  for (const key of [...context.draft.keys(Unfinished)].sort(compareText)) {
    context.draft.put(Unfinished, key, undefined);
    const peer = key as PeerId;
    if (peerOf(context.draft, peer).connected) reconcileWith(context, peer);
  }
}

function contentOf(context: StepContext, prefix: string) {
  const tree = context.identities;
  if (tree.count(prefix) <= LISTED_MAX) {
    const given = tree.below(prefix, LISTED_MAX).filter((identity) => !isOver(context, identity));
    return { prefix, branches: [], identities: given.map((identity) => fromHex(identity) ?? new Uint8Array(32)) };
  }
  const branches = Array.from({ length: BRANCHES }, (_, digit) => shortDigest(context, prefix + digit.toString(16)));
  return { prefix, branches, identities: [] };
}

/** What a comparison has found out so far. */
interface Found {
  readonly deeper: string[];
  readonly missing: Uint8Array[];
  readonly whole: string[];
  readonly extra: string[];
  /** Ranges of which the peer has nothing, and is told all that is here. */
  readonly told: string[];
}

function lookedInto({ deeper, whole, told }: Found): number {
  return deeper.length + whole.length + told.length;
}

function compareBranches(
  context: StepContext,
  peer: PeerId,
  prefix: string,
  branches: readonly Uint8Array[],
  found: Found,
): void {
  let isIdle = true;
  branches.forEach((theirs, digit) => {
    const below = prefix + digit.toString(16);
    const range = { peer, prefix: below, own: shortDigest(context, below), theirs };
    if (equalBytes(theirs, range.own)) return;
    const known = rangeOf(context, range);
    if (known === "idle") return;
    isIdle = false;
    const isTheirsEmpty = theirs.every((byte) => byte === 0);
    const toldAll = isTheirsEmpty && addExtra(context, below, found, () => true);
    // A branch that was fetched as a whole and brought nothing is looked into.
    const isWhole = known === "new" && context.identities.count(below) === 0;
    (isTheirsEmpty ? found.told : isWhole ? found.whole : found.deeper).push(below);
    noteRange(context, range, toldAll);
  });
  if (isIdle) endRange(context, peer, prefix, shortDigest(context, prefix));
}

function compareListed(
  context: StepContext,
  peer: PeerId,
  prefix: string,
  identities: readonly Uint8Array[],
  found: Found,
): void {
  const theirs = new Set(identities.map(toHex));
  const missing = identities.filter((identity) => isWanted(context, identity));
  found.missing.push(...missing);
  const toldAll = addExtra(context, prefix, found, (own) => !theirs.has(own));
  if (missing.length === 0 && toldAll) endRange(context, peer, prefix, shortDigest(context, prefix));
}

/** Names what only this node holds below a prefix, as long as one message carries it; whether it carries all. */
function addExtra(context: StepContext, prefix: string, { extra }: Found, isExtra: (own: string) => boolean): boolean {
  if (extra.length >= NAMED_MAX) return false;
  for (const own of context.identities.below(prefix, NAMED_MAX))
    if (isExtra(own) && !isOver(context, own)) extra.push(own);
  return extra.length <= NAMED_MAX && context.identities.count(prefix) <= NAMED_MAX;
}

/** Whether a statement is to be fetched: it is not here, and it was not refused. */
export function isWanted(context: StepContext, identity: Uint8Array): boolean {
  const key = toHex(identity);
  return heldAs(context, key) === undefined && !isRefused(context, key);
}

/** A statement that is here: in the set, or waiting for its parent. */
function heldAs(context: StepContext, identity: string): Statement | undefined {
  return context.draft.get(Statements, identity) ?? context.draft.get(Pending, identity);
}

/** Whether a statement that is held is one that no peer would take. */
function isOver(context: StepContext, identity: string): boolean {
  const statement = heldAs(context, identity);
  return statement !== undefined && ruleOf(context.configuration, isTerminal)(context, statement);
}

function askRanges(context: StepContext, peer: PeerId, prefixes: readonly string[], depth: number): void {
  const ranges = prefixes.map((prefix) => ({ prefix, digest: shortDigest(context, prefix) }));
  const payload = encodeCompact(SetRequest, { profile: profileHash(context), ranges });
  ask(context, peer, "set", OFS_GOSSIP, "GossipSetRequest", payload, depth);
}

function fetch(
  context: StepContext,
  peer: PeerId,
  identities: readonly Uint8Array[],
  prefixes: readonly string[],
  cause = FOUND_HERE,
): void {
  if (identities.length === 0 && prefixes.length === 0) return;
  const payload = encodeCompact(FetchRequest, { identities, prefixes });
  ask(context, peer, "fetch", OFS_GOSSIP, "GossipFetchRequest", payload, cause);
}

function haveOf(identities: readonly string[]): Uint8Array {
  return encodeCompact(Have, { identities: identities.map((identity) => fromHex(identity) ?? new Uint8Array(32)) });
}

/**
 * An event that carries a statement which a peer may still take: one that is held, else one that this node signs now
 * and keeps for the next. Whoever sends a statement first may have dated its envelope so that it runs out before the
 * statement does.
 */
export function eventOf(context: StepContext, identity: Identity): GossipEvent | undefined {
  const statement = heldAs(context, identity);
  if (statement === undefined || isOver(context, identity)) return undefined;
  for (const key of context.draft.find(Events, "statement", identity)) {
    const held = context.draft.get(Events, key);
    if (held !== undefined && isTimely(ingresses.push, held.event.timestamp, context.now)) return held.event;
  }
  const event = envelopeOf(context, statement);
  context.draft.put(Events, eventKey(event), { event, statement: identity });
  return event;
}

/** Whether no ingress takes a statement any more; one that bears no date is taken for ever. */
export function isTerminal(context: StepContext, { type, timestamp }: Statement): boolean {
  return type.dated && isTooOld(ingresses.recovery, timestamp, context.now);
}

/** The prefix, or while more lie below it than a fetch carries a longer one, another each time. */
function roomyPrefix(context: StepContext, prefix: string): string {
  let part = prefix;
  while (context.identities.count(part) > NAMED_MAX) {
    const longer = DIGITS.map((digit) => part + digit).filter((each) => context.identities.count(each) > 0);
    part = someOf(context, longer, 1)[0] ?? part;
  }
  return part;
}

/** As much of a list as a message carries. */
function someOf<T>(context: StepContext, items: readonly T[], most: number): readonly T[] {
  return items.length <= most ? items : rotated(context, items).slice(0, most);
}

/** Of more than one step looks into, other ones first each time. */
function inTurn<T>(context: StepContext, contents: readonly T[]): readonly T[] {
  return contents.length * BRANCHES <= LOOKED_INTO_AT_ONCE ? contents : rotated(context, contents);
}

/** A list from another place each time: what a peer refuses again and again must not keep the rest from it. */
function rotated<T>(context: StepContext, items: readonly T[]): readonly T[] {
  const start = (Math.imul(context.number, SCATTER) >>> 0) % Math.max(1, items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function shortDigest(context: StepContext, prefix: string): Uint8Array {
  return context.identities.digest(prefix).subarray(0, SHORT_BYTES);
}
