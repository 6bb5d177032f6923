/**
 * Limits on what peers bring and fetch: events, what waits, comparisons of sets, and recovery.
 */

import { AdvertisementCreate } from "../../../core/domains/trade/advertisements/schema.ts";
import { PaymentSubmitted } from "../../../core/domains/trade/settlements/schema.ts";
import { ingresses } from "../../../core/engine/admission/ingress.ts";
import { Spaces, spaceOfWaiting } from "../../../core/engine/statements/space.ts";
import { Pending, Statements } from "../../../core/engine/statements/table.ts";
import { foldOf } from "../../../core/engine/step-context.ts";
import type { Effect, EpochMillis } from "../../../core/index.ts";
import { known } from "../../../core/kernel/assert.ts";
import { createIdentityTree } from "../../../core/kernel/identity-tree.ts";
import type { Schema } from "../../../core/kernel/schema.ts";
import { decodeCompact, encodeCompact } from "../../../core/kernel/schema.ts";
import { list, struct } from "../../../core/kernel/schema-composites.ts";
import { byteArray } from "../../../core/kernel/schema-scalars.ts";
import { toBase58 } from "../../../core/kernel/text.ts";
import type { Signature } from "../../../core/kernel/values.ts";
import {
  Events,
  eventId,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  RecoveryResponse,
  signedBytes,
} from "../../../core/network/gossip/envelope.ts";
import { News } from "../../../core/network/gossip/news.ts";
import { receiveEvents } from "../../../core/network/gossip/receive.ts";
import {
  FetchRequest,
  FetchResponse,
  onSetResponse,
  SetRequest,
  SetResponse,
} from "../../../core/network/gossip/reconcile.ts";
import { makeLazy, Trees } from "../../../core/network/gossip/trees.ts";
import { Peers, peerOf, Requests } from "../../../core/network/peers/peers.ts";
import { crypto, person } from "../../rpc/lone-node.ts";
import { advertisement, buyer, merchant, T } from "../../rpc/node-with-settlement.ts";
import type { CrowdedNode } from "../crowded-node.ts";
import { crowdedNode } from "../crowded-node.ts";
import type { Limit, Untried } from "../limit.ts";
import { cutAt, most, TAKEN_OR_LEFT } from "../limit.ts";
import { keepEvent, taken } from "../situations.ts";

const peer = person(0x51);
const other = person(0x53);
const Have = struct("GossipHave", { identities: list(byteArray(32)) });

/** An event of a kind that nobody knows, or one that carries whatever is said. */
function event(change: Partial<GossipEvent> = {}): GossipEvent {
  const body = {
    ...{ event_type: "SomethingNew", ofs_spec: 9_999, version: 1, origin: peer.peer, timestamp: T, ttl: 8 },
    ...{ priority: "BackgroundSync" as const, payload: new Uint8Array(0) },
    ...change,
  };
  const signature = toBase58(crypto.sign(peer.secret, signedBytes(body))) as Signature;
  return { ...body, signature, id: eventId(crypto, { ...body, signature }) };
}

function receive(node: CrowdedNode, each: GossipEvent): void {
  node.withContext((context) => receiveEvents(context, foldOf(context), [each], peer.peer, ingresses.push));
}

const eventsIn = ({ store }: CrowdedNode) => [...store.keys(Events)];

function receivedPlain(change: (node: CrowdedNode) => void): string {
  const node = crowdedNode(T);
  change(node);
  receive(node, event());
  return eventsIn(node).length > 0 ? "taken" : "left";
}

function keptEvent(n: number): string {
  const node = crowdedNode(T);
  node.holds(Events, n - 1);
  node.gossip(AdvertisementCreate, advertisement, merchant);
  return eventsIn(node).length > 0 ? "taken" : "left";
}

/** The events that are kept of one statement which came in so many of them. */
function wrapped(n: number): number {
  const node = crowdedNode(T);
  for (let earlier = 0; earlier < n; earlier++)
    node.gossip(AdvertisementCreate, advertisement, merchant, T - BigInt(earlier));
  return eventsIn(node).length;
}

function hopsOf(ttl: number): number {
  const node = crowdedNode(T);
  receive(node, event({ ttl }));
  return node.store.get(Events, eventsIn(node)[0] ?? "")?.event.ttl ?? 0;
}

/** A payment for a settlement that nobody knows, while so much waits. */
function waiting(change: (node: CrowdedNode) => void): string {
  const node = crowdedNode(T);
  change(node);
  const payment = { settlement_id: "set-9", buyer: buyer.peer, payment_reference: null, timestamp: T };
  return taken(node, PaymentSubmitted, payment, buyer);
}

/** What becomes of the first of so many that wait. */
function firstWaiting(n: number): string {
  const node = crowdedNode(T);
  const payment = { settlement_id: "set-9", payment_reference: null, timestamp: T };
  node.gossip(PaymentSubmitted, { ...payment, buyer: peer.peer }, peer);
  const [first = ""] = node.store.keys(Pending);
  node.holds(Pending, n - 1);
  node.gossip(PaymentSubmitted, { ...payment, buyer: buyer.peer }, buyer);
  return node.store.get(Pending, first) === undefined ? "pushed out" : "kept";
}

/** What becomes of the first of what waits once that takes so many bytes. */
function firstOfBytes(bytes: number): string {
  const node = crowdedNode(T);
  const payment = { settlement_id: "set-9", payment_reference: null, timestamp: T };
  node.gossip(PaymentSubmitted, { ...payment, buyer: peer.peer }, peer);
  const [first = ""] = node.store.keys(Pending);
  node.put(Spaces, "waiting/all", bytes - spaceOfWaiting(node.store, peer.peer));
  node.gossip(PaymentSubmitted, { ...payment, buyer: buyer.peer }, buyer);
  return node.store.get(Pending, first) === undefined ? "pushed out" : "kept";
}

/** A request of a peer, and the payload of its answer. */
function asked<R>(node: CrowdedNode, type: string, payload: Uint8Array, answer: Schema<R>): R {
  const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, type, payload, node.now));
  const effects = node.does({ type: "message.received", from: peer.peer, replyTo: "1", bytes });
  const reply = effects.flatMap((effect) => (effect.type === "message.reply" ? [effect.bytes] : []))[0];
  return known(decodeCompact(answer, decodeCompact(Frame, known(reply, "a reply"))?.payload ?? bytes), "an answer");
}

/** What a node asks a peer, by the type of the message. */
function askedOf<R>(effects: readonly Effect[], type: string, schema: Schema<R>): R | undefined {
  for (const effect of effects) {
    const frame = effect.type === "message.send" ? decodeCompact(Frame, effect.bytes) : undefined;
    if (frame?.message_type === type) return decodeCompact(schema, frame.payload);
  }
  return undefined;
}

const identity = (n: number) => Uint8Array.from({ length: 32 }, (_, at) => (at < 4 ? (n >> (8 * at)) & 255 : 0x5e));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const profileOf = (node: CrowdedNode) => known(setRequest(node), "a request").profile;

/** What a node asks a peer that it meets. */
function setRequest(node: CrowdedNode) {
  return askedOf(
    node.does({ type: "peer.connected", peer: other.peer, address: null }),
    "GossipSetRequest",
    SetRequest,
  );
}

/** Prefixes that are answered of so many that a peer asks about, all of which differ. */
function prefixesAnswered(n: number): number {
  const node = crowdedNode(T);
  const ranges = Array.from({ length: n }, (_, at) => ({
    ...{ prefix: at.toString(16).padStart(8, "0"), digest: new Uint8Array(16).fill(1) },
  }));
  const payload = encodeCompact(SetRequest, { profile: profileOf(node), ranges });
  return asked(node, "GossipSetRequest", payload, SetResponse).contents.length;
}

/** Identities that are fetched after an answer that lists so many that are missing, each below a prefix of its own. */
function missingBelow(prefixes: number): number {
  return fetchedAfter(
    Array.from({ length: prefixes }, (_, at) => {
      return { prefix: hexOf(identity(at)), branches: [], identities: [identity(at)] };
    }),
    64,
  ).identities.length;
}

function missing(n: number): number {
  const identities = Array.from({ length: n }, (_, at) => identity(at));
  return fetchedAfter([{ prefix: "", branches: [], identities }], 0).identities.length;
}

type Contents = ReturnType<(typeof SetResponse)["read"]>["contents"];

function fetchedAfter(contents: Contents, depth: number) {
  const node = crowdedNode(T);
  const payload = encodeCompact(SetResponse, { contents });
  const effects = node.withContext((context) => {
    onSetResponse(context, peer.peer, payload, depth);
    return context.effects;
  });
  return askedOf(effects, "GossipFetchRequest", FetchRequest) ?? { identities: [], prefixes: [] };
}

/** What is done about a difference below a prefix: an answer of n digits tells it apart, or it is fetched as it is. */
function difference(digits: number): string {
  const node = crowdedNode(T);
  node.gossip(AdvertisementCreate, advertisement, merchant);
  const own = [...node.store.keys(Statements)][0] ?? "";
  const prefix = own.slice(0, digits - 2);
  const branches = Array.from({ length: 16 }, () => new Uint8Array(16).fill(1));
  const payload = encodeCompact(SetResponse, { contents: [{ prefix, branches, identities: [] }] });
  const effects = node.withContext((context) => {
    onSetResponse(context, peer.peer, payload, prefix.length);
    return context.effects;
  });
  return askedOf(effects, "GossipSetRequest", SetRequest) === undefined ? "fetched" : "compared";
}

function receivedOf(n: number): number {
  const node = crowdedNode(T);
  const payload = encodeCompact(Have, { identities: Array.from({ length: n }, (_, at) => identity(at)) });
  const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipHave", payload, node.now));
  const effects = node.does({ type: "message.received", from: peer.peer, replyTo: "1", bytes });
  return askedOf(effects, "GossipFetchRequest", FetchRequest)?.identities.length ?? 0;
}

/** Whether a peer is heeded when it names more while n - 1 fetches from it are under way. */
function heededWith(n: number): string {
  const node = crowdedNode(T);
  node.holdsUnder(Requests, "asked", `fetch/${peer.peer}`, n - 1);
  const payload = encodeCompact(Have, { identities: [identity(0)] });
  const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipHave", payload, node.now));
  const effects = node.does({ type: "message.received", from: peer.peer, replyTo: "1", bytes });
  return askedOf(effects, "GossipFetchRequest", FetchRequest) === undefined ? "left" : "taken";
}

/** Whether a fetch finds what it names, or what lies below a prefix that it names, in the last place of so many. */
function fetchedLast(n: number, by: "identity" | "prefix"): string {
  const node = crowdedNode(T);
  node.gossip(AdvertisementCreate, advertisement, merchant);
  const own = [...node.store.keys(Statements)][0] ?? "";
  const last = by === "identity" ? Buffer.from(own, "hex") : own.slice(0, 8);
  const others = Array.from({ length: n - 1 }, (_, at) => (by === "identity" ? identity(at) : hexOf(identity(at))));
  const named = [...others, last];
  const request = by === "identity" ? { identities: named, prefixes: [] } : { identities: [], prefixes: named };
  const answer = asked(node, "GossipFetchRequest", encodeCompact(FetchRequest, request as never), FetchResponse);
  return answer.events.length > 0 ? "taken" : "left";
}

/** How many identities a node names to a peer that has none of so many. */
function named(n: number): number {
  const node = crowdedNode(T);
  const tree = createIdentityTree(crypto);
  for (let at = 0; at < n; at++) tree.add(hexOf(identity(at)));
  const payload = encodeCompact(SetResponse, { contents: [{ prefix: "", branches: [], identities: [] }] });
  const effects = node.withContext((context) => {
    onSetResponse({ ...context, identities: tree }, peer.peer, payload, 0);
    return context.effects;
  });
  return askedOf(effects, "GossipHave", Have)?.identities.length ?? 0;
}

/** An event of so many bytes; what it says is signed by nobody, since this node's own log is not judged again. */
function eventOfBytes(bytes: number, payload = 700_000, earlier = 0): GossipEvent {
  const of = (length: number) => ({
    ...event(),
    timestamp: (T - BigInt(earlier)) as EpochMillis,
    payload: new Uint8Array(length),
  });
  const whole = of(payload + bytes - encodeCompact(GossipEvent, of(payload)).length);
  return { ...whole, id: identity(earlier) };
}

/** Events in the answer of a recovery, of a log with events of so many bytes. */
function recovered(...log: readonly GossipEvent[]): string {
  const node = crowdedNode(T);
  node.does({ type: "peer.connected", peer: peer.peer, address: null });
  for (const each of log) keepEvent(node, each, null);
  return `${asked(node, "GossipRecoveryRequest", Uint8Array.of(0), RecoveryResponse).events.length}`;
}

/** The same of a fetch, of two statements that such events carry. */
function fetched(...log: readonly GossipEvent[]): string {
  const node = crowdedNode(T);
  for (const id of ["ad-1", "ad-2"]) node.gossip(AdvertisementCreate, { ...advertisement, id }, merchant);
  const held = [...node.store.keys(Statements)];
  for (const key of eventsIn(node)) node.put(Events, key, undefined);
  for (const [at, each] of log.entries()) keepEvent(node, each, held[at] ?? null);
  const identities = held.slice(0, log.length).map((hex) => Uint8Array.from(Buffer.from(hex, "hex")));
  const payload = encodeCompact(FetchRequest, { identities, prefixes: [] });
  return `${asked(node, "GossipFetchRequest", payload, FetchResponse).events.length}`;
}

const two = (bytes: number) => [eventOfBytes(400_000, 300_000, 1), eventOfBytes(bytes - 400_000, 300_000, 0)];

/** Under whose name a link is noted as lazy where so many origins have a tree. */
function treeOf(n: number): string {
  const node = crowdedNode(T);
  node.does({ type: "peer.connected", peer: peer.peer, address: null });
  node.holds(Trees, n - 1);
  node.withContext((context) => {
    context.draft.put(Peers, peer.peer, { ...peerOf(context.draft, peer.peer), announces: true });
    makeLazy(context, peer.peer, other.peer);
  });
  return node.store.get(Trees, other.peer) === undefined ? "shared" : "its own";
}

/** Whether a statement is to be announced while so many are. */
function news(n: number): string {
  const node = crowdedNode(T);
  node.holds(News, n - 1);
  node.gossip(AdvertisementCreate, advertisement, merchant);
  return [...node.store.keys(News)].length > 0 ? "taken" : "left";
}

/** Whether a push that was made so often may be made again. */
function repeated(n: number): string {
  const node = crowdedNode(T);
  const push = { peer: peer.peer, asked: "push" as const, sent_at: T, depth: 0, about: "event", repeats: n - 1 };
  node.put(Requests, "1", push);
  return node.store.find(Requests, "repeatable", peer.peer).length > 0 ? "taken" : "left";
}

export const limits: readonly Limit[] = [
  most("core/network/gossip/trees.ts TREES_MAX", 512, treeOf, { within: "its own", beyond: "shared" }),
  most("core/network/gossip/news.ts NEWS_MAX", 4_096, news, TAKEN_OR_LEFT),
  most("core/network/peers/peers.ts REPEATS_MAX", 4, repeated, TAKEN_OR_LEFT),
  cutAt("core/network/gossip/receive.ts TTL_MAX", 16, hopsOf),
  most("core/network/gossip/receive.ts EVENTS_MAX", 2_000_000, keptEvent, {
    where: "with a statement",
    ...TAKEN_OR_LEFT,
  }),
  most(
    "core/network/gossip/receive.ts EVENTS_MAX",
    2_000_000,
    (n) => receivedPlain((node) => node.holds(Events, n - 1)),
    {
      where: "without one",
      ...TAKEN_OR_LEFT,
    },
  ),
  cutAt("core/network/gossip/receive.ts EVENTS_PER_STATEMENT_MAX", 4, wrapped),
  most(
    "core/network/gossip/receive.ts PLAIN_PER_ORIGIN_MAX",
    128,
    (n) => receivedPlain((node) => node.holdsUnder(Events, "plain", peer.peer, n - 1)),
    TAKEN_OR_LEFT,
  ),
  most(
    "core/network/gossip/receive.ts PLAIN_MAX",
    16_384,
    (n) => receivedPlain((node) => node.holdsUnder(Events, "plain", "all", n - 1)),
    TAKEN_OR_LEFT,
  ),
  most("core/engine/admission/bounds.ts PENDING_BYTES_MAX", 67_108_864, firstOfBytes, {
    within: "kept",
    beyond: "pushed out",
  }),
  most("core/engine/admission/bounds.ts PENDING_MAX", 10_000, firstWaiting, {
    within: "kept",
    beyond: "pushed out",
  }),
  most(
    "core/engine/admission/bounds.ts PENDING_PER_SIGNER_MAX",
    64,
    (n) => waiting((node) => node.holdsUnder(Pending, "signer", buyer.peer, n - 1)),
    TAKEN_OR_LEFT,
  ),
  { ...cutAt("core/network/gossip/reconcile.ts PREFIXES_MAX", 1_024, prefixesAnswered), where: "asked about" },
  { ...cutAt("core/network/gossip/reconcile.ts PREFIXES_MAX", 1_024, missingBelow), where: "answered" },
  most("core/network/gossip/reconcile.ts PREFIXES_MAX", 1_024, (n) => fetchedLast(n, "prefix"), {
    where: "fetched",
    ...TAKEN_OR_LEFT,
  }),
  { ...cutAt("core/network/gossip/reconcile.ts NAMED_MAX", 4_096, missing), where: "missing here" },
  { ...cutAt("core/network/gossip/reconcile.ts NAMED_MAX", 4_096, named), where: "missing there" },
  { ...cutAt("core/network/gossip/credit.ts CREDIT_MAX", 200, receivedOf), where: "named by a peer" },
  most("core/network/gossip/reconcile.ts NAMED_MAX", 4_096, (n) => fetchedLast(n, "identity"), {
    where: "fetched",
    ...TAKEN_OR_LEFT,
  }),
  most("core/network/gossip/reconcile.ts DEPTH_MAX", 16, difference, { within: "compared", beyond: "fetched" }),
  most("core/network/gossip/reconcile.ts FETCHES_MAX", 2, heededWith, TAKEN_OR_LEFT),
  most("core/network/gossip/wire.ts RECOVERY_BYTES_MAX", 786_432, (n) => recovered(eventOfBytes(n)), {
    where: "one event of a recovery",
    within: "1",
    beyond: "0",
  }),
  most("core/network/gossip/wire.ts RECOVERY_BYTES_MAX", 786_432, (n) => recovered(...two(n)), {
    where: "events of a recovery",
    within: "2",
    beyond: "1",
  }),
  most("core/network/gossip/wire.ts RECOVERY_BYTES_MAX", 786_432, (n) => fetched(...two(n)), {
    where: "events of a fetch",
    within: "2",
    beyond: "1",
  }),
];

export const untried: readonly Untried[] = [
  {
    of: "core/network/gossip/recovery.ts CHOSEN_MAX",
    because: "bounds the work of choosing: more events than an answer has bytes for, so no answer shows it",
  },
];
