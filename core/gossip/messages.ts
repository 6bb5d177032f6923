/**
 * Messages between peers: routing of frames, peer exchange, and recovery on connect: by comparing sets, or
 * with a peer of other software as the protocol has it. A malformed frame is acknowledged and forgotten.
 * Source: protocol 01 §5.5, §7.2, §7.6, W3.
 */

import { onContentAnswer, onContentRequest } from "../content/exchange.ts";
import { OFS_CONTENT } from "../content/schema.ts";
import type { Input, ReplyHandle, RequestNumber } from "../inputs.ts";
import { compareBytes } from "../kernel/bytes.ts";
import { decodeCompact, encodeCompact } from "../kernel/schema.ts";
import { toBase58 } from "../kernel/text.ts";
import type { PeerId, PublicKey } from "../kernel/values.ts";
import { keyOfPeer, later } from "../kernel/values.ts";
import { connectedPeers, PEERS_MAX, Peers, peerOf, Requests } from "../node/peers.ts";
import { onChallengeAnswer } from "../rewards/challenge.ts";
import type { Turn } from "../turn.ts";
import { foldOf } from "../turn.ts";
import type { PeerAdvert } from "./envelope.ts";
import {
  Events,
  Frame,
  GossipEvent,
  OFS_GOSSIP,
  OFS_PEER_EXCHANGE,
  PeerExchangeRequest,
  PeerExchangeResponse,
  RecoveryResponse,
  SUBSCRIBE_ALL,
} from "./envelope.ts";
import { receiveEvents } from "./receive.ts";
import { onFetchRequest, onFetchResponse, onHave, onSetRequest, onSetResponse, reconcileWith } from "./reconcile.ts";
import { ask, RECOVERY_BYTES_MAX, reply } from "./wire.ts";

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
  turn.draft.put(Peers, peer, {
    ...known,
    addresses,
    connected: true,
    recovered: false,
    leads: false,
    last_seen: turn.now,
  });
  const exchange = encodeCompact(PeerExchangeRequest, { max_peers: PEERS_PER_EXCHANGE });
  ask(turn, peer, "exchange", OFS_PEER_EXCHANGE, "PeerExchangeRequest", exchange);
  reconcileWith(turn, peer);
}

export function onDisconnected(turn: Turn, { peer }: MessageInput<"peer.disconnected">): void {
  turn.draft.put(Peers, peer, { ...peerOf(turn.draft, peer), connected: false });
}

/** A request of a peer: every one is answered. */
export function onReceived(turn: Turn, { from, replyTo, bytes }: MessageInput<"message.received">): void {
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) return reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", new Uint8Array(0));
  if (frame.ofs_spec === OFS_PEER_EXCHANGE) return onPeerExchange(turn, from, replyTo, frame);
  if (frame.ofs_spec === OFS_CONTENT) return onContentRequest(turn, from, replyTo, frame);
  if (frame.message_type === "GossipRecoveryRequest") return onRecoveryRequest(turn, replyTo);
  if (frame.message_type === "GossipSetRequest") return onSetRequest(turn, from, replyTo, frame.payload);
  if (frame.message_type === "GossipFetchRequest") return onFetchRequest(turn, replyTo, frame.payload);
  if (frame.message_type === "GossipHave") onHave(turn, from, frame.payload);
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
  if (asked === "content") onContentAnswer(turn, from, frame);
  if (asked === "challenge") onChallengeAnswer(turn, from, frame);
  if (asked === "set") onSetAnswer(turn, from, frame);
  if (asked === "fetch" && frame.message_type === "GossipFetchResponse") onFetchResponse(turn, from, frame.payload);
}

/** A peer of other software only acknowledges the comparison; then the protocol's own recovery is asked for, once. */
function onSetAnswer(turn: Turn, from: PeerId, frame: Frame): void {
  if (frame.message_type === "GossipSetResponse") return onSetResponse(turn, from, frame.payload);
  const peer = peerOf(turn.draft, from);
  if (peer.recovered) return;
  turn.draft.put(Peers, from, { ...peer, recovered: true });
  ask(turn, from, "recovery", OFS_GOSSIP, "GossipRecoveryRequest", SUBSCRIBE_ALL);
}

export function onFailed(turn: Turn, { to, request }: MessageInput<"message.failed">): void {
  settleRequest(turn, to, request, false);
}

/** Compares sets with one connected peer, another each time. */
export function recoverFromOne(turn: Turn): void {
  const peers = connectedPeers(turn.draft);
  const peer = peers[turn.number % Math.max(peers.length, 1)];
  if (peer !== undefined) reconcileWith(turn, peer);
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
