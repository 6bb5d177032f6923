/**
 * Messages between peers: routing of frames, and comparing sets on connect and from time to time, or the protocol's own
 * recovery with a peer of other software. Every request is answered; a malformed one counts against its link.
 * Source: protocol 01 §5.5, §7.2, §7.6, W2, W3.
 */

import { ingresses } from "../../engine/admission/ingress.ts";
import type { Turn } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import type { Input, RequestNumber } from "../../inputs.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import type { PeerId } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { onLost, onReached } from "../peers/dialling.ts";
import type { Request } from "../peers/peers.ts";
import { connectedPeers, count, measure, meet, Peers, peerOf, Requests } from "../peers/peers.ts";
import { chargeFault, isBarred, peersBehind } from "./credit.ts";
import { Frame, GossipEvent, OFS_GOSSIP, OFS_PEER_EXCHANGE, RecoveryResponse, SUBSCRIBE_ALL } from "./envelope.ts";
import { askForPeers, learnPeers, onPeerExchange } from "./exchange.ts";
import { receiveEvents } from "./receive.ts";
import { onFetchRequest, onFetchResponse, onHave, onSetRequest, onSetResponse, reconcileWith } from "./reconcile.ts";
import { onRecoveryRequest } from "./recovery.ts";
import { ask, reply } from "./wire.ts";

/** How often a node asks one peer for what it missed, in milliseconds. Source: DESIGN "Waiting times". */
export const RECOVER_EVERY_MS = 20_000;
const NOTHING = new Uint8Array(0);

type MessageInput<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

export function onConnected(turn: Turn, { peer, address }: MessageInput<"peer.connected">): void {
  if (isBarred(turn, peer)) return turn.emit({ type: "peer.disconnect", peer });
  meet(turn, peer, address);
  onReached(turn, peer);
  askForPeers(turn, peer);
  reconcileWith(turn, peer);
}

export function onDisconnected(turn: Turn, { peer }: MessageInput<"peer.disconnected">): void {
  const known = turn.draft.get(Peers, peer);
  if (known === undefined) return;
  turn.draft.put(Peers, peer, { ...known, connected: false });
  onLost(turn, peer);
}

/** The transport timed a ping. */
export function onMeasured(turn: Turn, { peer, latency_ms }: MessageInput<"peer.measured">): void {
  measure(turn, peer, BigInt(latency_ms));
}

/** A request of a peer: every one is answered. */
export function onReceived(turn: Turn, { from, replyTo, bytes }: MessageInput<"message.received">): void {
  if (isBarred(turn, from)) return reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) {
    chargeFault(turn, from);
    return reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
  }
  if (frame.ofs_spec === OFS_PEER_EXCHANGE) return onPeerExchange(turn, from, replyTo, frame);
  const domain = turn.registry.requests.get(frame.ofs_spec);
  if (domain !== undefined) return domain(turn, from, replyTo, frame);
  if (frame.message_type === "GossipRecoveryRequest") return onRecoveryRequest(turn, from, replyTo);
  if (frame.message_type === "GossipSetRequest") return onSetRequest(turn, from, replyTo, frame.payload);
  if (frame.message_type === "GossipFetchRequest") return onFetchRequest(turn, from, replyTo, frame.payload);
  if (frame.message_type === "GossipHave") onHave(turn, from, frame.payload);
  if (frame.message_type === "GossipPush") onPush(turn, from, frame.payload);
  reply(turn, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
}

function onPush(turn: Turn, from: PeerId, payload: Uint8Array): void {
  const event = decodeCompact(GossipEvent, payload);
  if (event === undefined) chargeFault(turn, from);
  else receiveEvents(turn, foldOf(turn), [event], from, ingresses.push);
}

/** The answer to a request of ours; an answer to anything else is ignored. */
export function onAnswered(turn: Turn, { from, request, bytes }: MessageInput<"message.answered">): void {
  const asked = settleRequest(turn, from, request, true);
  if (asked === undefined || isBarred(turn, from)) return;
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) return chargeFault(turn, from);
  switch (asked.asked) {
    case "exchange":
      return learnPeers(turn, from, frame.payload);
    case "recovery":
      return onRecovered(turn, from, frame.payload);
    case "set":
      return onSetAnswer(turn, from, frame, asked.depth);
    case "fetch":
      if (frame.message_type === "GossipFetchResponse") onFetchResponse(turn, from, frame.payload);
      return;
    default:
      turn.registry.answers.get(asked.asked)?.(turn, from, frame);
  }
}

function onRecovered(turn: Turn, from: PeerId, payload: Uint8Array): void {
  const answer = decodeCompact(RecoveryResponse, payload);
  if (answer === undefined) chargeFault(turn, from);
  else receiveEvents(turn, foldOf(turn), answer.events, from, ingresses.recovery);
}

/** A peer of other software only acknowledges the comparison; then the protocol's own recovery is asked for, once. */
function onSetAnswer(turn: Turn, from: PeerId, frame: Frame, depth: number): void {
  if (frame.message_type === "GossipSetResponse") return onSetResponse(turn, from, frame.payload, depth);
  const peer = turn.draft.get(Peers, from);
  if (peer === undefined || peer.recovered) return;
  turn.draft.put(Peers, from, { ...peer, recovered: true });
  ask(turn, from, "recovery", OFS_GOSSIP, "GossipRecoveryRequest", SUBSCRIBE_ALL);
}

export function onFailed(turn: Turn, { to, request }: MessageInput<"message.failed">): void {
  settleRequest(turn, to, request, false);
}

/** Compares sets with one connected peer: another each time, and every second time one whose pushes were shed. */
export function recoverFromOne(turn: Turn): void {
  const tick = count(turn, "recover");
  const behind = tick % 2 === 0 ? peersBehind(turn).filter((id) => peerOf(turn.draft, id).connected) : [];
  const peers = behind.length > 0 ? behind : connectedPeers(turn.draft);
  const peer = peers[(tick >> 1) % Math.max(peers.length, 1)];
  if (peer !== undefined) reconcileWith(turn, peer);
  turn.emit({ type: "timer.set", timer: "recover", at: later(turn.now, RECOVER_EVERY_MS) });
}

/** Forgets a request and measures its peer by it. */
function settleRequest(turn: Turn, peer: PeerId, number: RequestNumber, answered: boolean): Request | undefined {
  const request = turn.draft.get(Requests, String(number));
  if (request === undefined || request.peer !== peer) return undefined;
  turn.draft.put(Requests, String(number), undefined);
  const latency = turn.now > request.sent_at ? turn.now - request.sent_at : 0n;
  measure(turn, peer, answered ? latency : undefined);
  return request;
}
