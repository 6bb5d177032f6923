/**
 * Messages between peers: routing of frames, recovery on connect, and our own range recovery, which asks
 * until the sets are equal. A malformed frame is acknowledged and forgotten.
 * Source: protocol 01 §5.5, §7.2, §7.6, W3.
 */

import type { Input, ReplyHandle, RequestNumber } from "../inputs.ts";
import { bigEndian, compareBytes, fromHex } from "../kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../kernel/schema.ts";
import { rootText } from "../kernel/state.ts";
import { toBase58 } from "../kernel/text.ts";
import type { PeerId, PublicKey } from "../kernel/values.ts";
import { keyOfPeer, later } from "../kernel/values.ts";
import { connectedPeers, nextRequest, PEERS_MAX, Peers, peerOf, Requests } from "../node/peers.ts";
import type { Turn } from "../turn.ts";
import { foldOf } from "../turn.ts";
import type { PeerAdvert } from "./envelope.ts";
import {
  Events,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  OFS_PEER_EXCHANGE,
  PeerExchangeRequest,
  PeerExchangeResponse,
  RangeRequest,
  RangeResponse,
  RecoveryResponse,
  SUBSCRIBE_ALL,
} from "./envelope.ts";
import { receiveEvents } from "./receive.ts";

/** Bytes of events in one answer. Source: protocol 01 §9.3. */
export const RECOVERY_BYTES_MAX = 786_432;
/** How often a node asks one peer for what it missed, in milliseconds. Source: ours. */
export const RECOVER_EVERY_MS = 20_000;
/** Peers in one exchange. Source: protocol 01 §13.1. */
export const PEERS_PER_EXCHANGE = 20;
/** How often a node dials the entrypoints it is not connected to, in milliseconds. Source: protocol 01 §13.1. */
export const REDIAL_EVERY_MS = 30_000;
/** What this node announces that it supports. Source: protocol 01 §5.5. */
const SUPPORTED_OFS = [1000, 1100, 1200, 2000, 2100, 2200, 2300, 2400, 4300, 8200];

type MessageInput<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

export function onConnected(turn: Turn, { peer, address }: MessageInput<"peer.connected">): void {
  const known = peerOf(turn.draft, peer);
  const addresses =
    address === null || known.addresses.includes(address) ? known.addresses : [...known.addresses, address];
  turn.draft.put(Peers, peer, { ...known, addresses, connected: true, last_seen: turn.now });
  const exchange = encodeCompact(PeerExchangeRequest, { max_peers: PEERS_PER_EXCHANGE });
  ask(turn, peer, "exchange", OFS_PEER_EXCHANGE, "PeerExchangeRequest", exchange);
  ask(turn, peer, "recovery", OFS_GOSSIP, "GossipRecoveryRequest", SUBSCRIBE_ALL);
}

export function onDisconnected(turn: Turn, { peer }: MessageInput<"peer.disconnected">): void {
  turn.draft.put(Peers, peer, { ...peerOf(turn.draft, peer), connected: false });
}

/** A request of a peer: every one is answered. */
export function onReceived(turn: Turn, { from, replyTo, bytes }: MessageInput<"message.received">): void {
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) return reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", new Uint8Array(0));
  if (frame.ofs_spec === OFS_PEER_EXCHANGE) return onPeerExchange(turn, from, replyTo, frame);
  if (frame.message_type === "GossipRecoveryRequest") return onRecoveryRequest(turn, replyTo);
  if (frame.message_type === "GossipRangeRequest") return onRangeRequest(turn, replyTo, frame.payload);
  const event = frame.message_type === "GossipPush" ? decodeCompact(GossipEvent, frame.payload) : undefined;
  if (event !== undefined) receiveEvents(turn, foldOf(turn), [event], from, "push");
  reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", new Uint8Array(0));
}

/** The answer to a request of ours; an answer to anything else is ignored. */
export function onAnswered(turn: Turn, { from, request, bytes }: MessageInput<"message.answered">): void {
  const asked = settleRequest(turn, from, request, true);
  const frame = asked === undefined ? undefined : decodeCompact(Frame, bytes);
  if (frame === undefined) return;
  if (asked === "exchange") {
    const adverts = decodeCompact(PeerExchangeResponse, frame.payload);
    if (adverts !== undefined) learnPeers(turn, from, adverts.peers);
  }
  if (asked === "recovery") {
    const answer = decodeCompact(RecoveryResponse, frame.payload);
    if (answer !== undefined) receiveEvents(turn, foldOf(turn), answer.events, from, "recovery");
  }
  if (asked === "range" && frame.message_type === "GossipRangeResponse") onRange(turn, from, frame.payload);
}

export function onFailed(turn: Turn, { to, request }: MessageInput<"message.failed">): void {
  settleRequest(turn, to, request, false);
}

/** Asks one connected peer, another each time, for what this node's set lacks. */
export function recoverFromOne(turn: Turn, statementsRoot: bigint): void {
  const peers = connectedPeers(turn.draft);
  const peer = peers[turn.number % Math.max(peers.length, 1)];
  if (peer !== undefined) askRange(turn, peer, statementsRoot, 0n, new Uint8Array(32));
  turn.emit({ type: "timer.set", timer: "recover", at: later(turn.now, RECOVER_EVERY_MS) });
}

/** Dials every entrypoint that is not connected: after a cut, the two sides find each other again. */
export function redial(turn: Turn): void {
  const connected = new Set<string>(connectedPeers(turn.draft));
  for (const address of turn.configuration.entrypoints) {
    if (!connected.has(peerOfAddress(address))) turn.emit({ type: "peer.dial", address });
  }
  turn.emit({ type: "timer.set", timer: "redial", at: later(turn.now, REDIAL_EVERY_MS) });
}

/** The peer at the end of an address. Source: protocol 01 §5.1. */
function peerOfAddress(address: string): string {
  return address.slice(address.lastIndexOf("/") + 1);
}

function onRange(turn: Turn, from: PeerId, payload: Uint8Array): void {
  const answer = decodeCompact(RangeResponse, payload);
  if (answer === undefined) return;
  receiveEvents(turn, foldOf(turn), answer.events, from, "recovery");
  const last = answer.events.at(-1);
  if (answer.more && last !== undefined) askRange(turn, from, 0n, last.timestamp, last.id);
}

function askRange(turn: Turn, peer: PeerId, root: bigint, timestamp: bigint, id: Uint8Array): void {
  const statements_root = fromHex(rootText(root)) ?? new Uint8Array(32);
  const payload = encodeCompact(RangeRequest, { statements_root, after_timestamp: timestamp as never, after_id: id });
  ask(turn, peer, "range", OFS_GOSSIP, "GossipRangeRequest", payload);
}

function onRangeRequest(turn: Turn, replyTo: ReplyHandle, payload: Uint8Array): void {
  const asked = decodeCompact(RangeRequest, payload);
  const equal =
    asked !== undefined && bigEndian(asked.statements_root) === turn.statementsRoot && turn.statementsRoot !== 0n;
  if (asked === undefined || equal) return reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", new Uint8Array(0));
  const rest = storedInOrder(turn).filter((event) => {
    if (event.timestamp !== asked.after_timestamp) return event.timestamp > asked.after_timestamp;
    return compareBytes(event.id, asked.after_id) > 0;
  });
  const events = withinBudget(rest);
  const more = events.length < rest.length;
  reply(turn, replyTo, OFS_GOSSIP, "GossipRangeResponse", encodeCompact(RangeResponse, { events, more }));
}

function onRecoveryRequest(turn: Turn, replyTo: ReplyHandle): void {
  const events = withinBudget(storedInOrder(turn));
  reply(turn, replyTo, OFS_GOSSIP, "GossipRecoveryResponse", encodeCompact(RecoveryResponse, { events }));
}

function onPeerExchange(turn: Turn, from: PeerId, replyTo: ReplyHandle, frame: Frame): void {
  if (frame.message_type === "PeerExchangeRequest") {
    const asked = decodeCompact(PeerExchangeRequest, frame.payload)?.max_peers ?? 0;
    const peers = adverts(turn, from, Math.min(asked, PEERS_PER_EXCHANGE));
    return reply(
      turn,
      replyTo,
      OFS_PEER_EXCHANGE,
      "PeerExchangeResponse",
      encodeCompact(PeerExchangeResponse, { peers }),
    );
  }
  const told =
    frame.message_type === "PeerAnnouncement" ? decodeCompact(PeerExchangeResponse, frame.payload) : undefined;
  if (told !== undefined) learnPeers(turn, from, told.peers);
  reply(turn, replyTo, OFS_PEER_EXCHANGE, frame.message_type, new Uint8Array(0));
}

/** This node first, then peers with addresses. */
function adverts(turn: Turn, asker: PeerId, most: number): readonly PeerAdvert[] {
  const { configuration } = turn;
  const own: PeerAdvert = {
    peer_id: configuration.peerId,
    public_key: configuration.publicKey,
    addresses: configuration.announcedAddresses,
    roles: configuration.roles as PeerAdvert["roles"],
    node_version: `openfiat/${configuration.version}`,
    supported_ofs: SUPPORTED_OFS,
  };
  const others = connectedPeers(turn.draft).flatMap((id) => {
    const peer = peerOf(turn.draft, id);
    const key = keyOfPeer(id);
    if (key === undefined || id === asker || peer.addresses.length === 0) return [];
    return [{ ...peer, public_key: toBase58(key) as PublicKey, roles: peer.roles as PeerAdvert["roles"] }];
  });
  return [own, ...others.slice(0, most)];
}

/** Takes what an advert claims, once its key is the one inside its id; what was measured stays. */
function learnPeers(turn: Turn, from: PeerId, peers: readonly PeerAdvert[]): void {
  for (const advert of peers.slice(0, PEERS_PER_EXCHANGE + 1)) {
    const key = keyOfPeer(advert.peer_id);
    if (key === undefined || toBase58(key) !== advert.public_key || advert.peer_id === turn.configuration.peerId)
      continue;
    const known = turn.draft.get(Peers, advert.peer_id);
    if (known === undefined && turn.draft.size(Peers) >= PEERS_MAX) continue;
    const peer = known ?? peerOf(turn.draft, advert.peer_id);
    const claims = advert.peer_id === from || known === undefined;
    turn.draft.put(Peers, advert.peer_id, {
      ...peer,
      addresses: peer.addresses.length > 0 && !claims ? peer.addresses : advert.addresses.slice(0, 8),
      ...(claims && { node_version: advert.node_version, supported_ofs: advert.supported_ofs, roles: advert.roles }),
    });
    if (!peer.connected && peer.addresses.length === 0 && advert.addresses[0] !== undefined) {
      turn.emit({ type: "peer.dial", address: advert.addresses[0] });
    }
  }
}

/** Forgets a request and measures its peer by it. */
function settleRequest(turn: Turn, peer: PeerId, number: RequestNumber, answered: boolean) {
  const request = turn.draft.get(Requests, String(number));
  if (request === undefined || request.peer !== peer) return undefined;
  turn.draft.put(Requests, String(number), undefined);
  const known = peerOf(turn.draft, peer);
  const latency = turn.now > request.sent_at ? turn.now - request.sent_at : 0n;
  const measured = answered
    ? { last_seen: turn.now, latency_ms: latency, successes: known.successes + 1 }
    : { failures: known.failures + 1 };
  turn.draft.put(Peers, peer, { ...known, ...measured });
  return request.asked;
}

function storedInOrder(turn: Turn): readonly GossipEvent[] {
  const events: GossipEvent[] = [];
  for (const key of turn.draft.keys(Events)) {
    const stored = turn.draft.get(Events, key);
    if (stored !== undefined) events.push(stored.event);
  }
  return events.sort((a, b) =>
    a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : compareBytes(a.id, b.id),
  );
}

/** Events in order until the budget is used; one that alone exceeds it is passed over. */
function withinBudget(events: readonly GossipEvent[]): readonly GossipEvent[] {
  const taken: GossipEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = encodeCompact(GossipEvent, event).length;
    if (size > RECOVERY_BYTES_MAX) continue;
    if (bytes + size > RECOVERY_BYTES_MAX) break;
    bytes += size;
    taken.push(event);
  }
  return taken;
}

function ask(
  turn: Turn,
  to: PeerId,
  asked: "recovery" | "range" | "exchange",
  ofs: number,
  type: string,
  payload: Uint8Array,
): void {
  const bytes = encodeCompact(Frame, frameOf(ofs, type, payload, turn.now));
  turn.emit({ type: "message.send", to, request: nextRequest(turn, to, asked), bytes });
}

function reply(turn: Turn, replyTo: ReplyHandle, ofs: number, type: string, payload: Uint8Array): void {
  turn.emit({ type: "message.reply", replyTo, bytes: encodeCompact(Frame, frameOf(ofs, type, payload, turn.now)) });
}
