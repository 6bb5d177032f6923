/**
 * Messages between peers: routing of frames, and comparing sets on connect and from time to time, or the protocol's own
 * recovery with a peer of other software. Every request is answered; a malformed one counts against its link.
 * Source: protocol 01 §5.5, §7.2, §7.6, W2, W3.
 */

import { ingresses } from "../../engine/admission/ingress.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { foldOf } from "../../engine/step-context.ts";
import type { Input, RequestNumber } from "../../inputs.ts";
import { decodeCompact } from "../../kernel/schema.ts";
import type { PeerId } from "../../kernel/values.ts";
import { later } from "../../kernel/values.ts";
import { onLost, onReached } from "../peers/dialling.ts";
import type { Request } from "../peers/peers.ts";
import { connectedPeers, count, measure, meet, Peers, peerOf, Requests } from "../peers/peers.ts";
import { graft, lackingOf, onPruned, onWanted } from "./announcing.ts";
import { beginLink, chargeFault, isBarred, peersBehind, spendWork } from "./credit.ts";
import {
  Events,
  eventKey,
  Frame,
  GossipEvent,
  OFS_GOSSIP,
  OFS_PEER_EXCHANGE,
  RecoveryResponse,
  SUBSCRIBE_ALL,
} from "./envelope.ts";
import { askForPeers, learnPeers, onPeerExchange } from "./exchange.ts";
import { forgetRangesOf } from "./idle-ranges.ts";
import { isSuperfluous } from "./news.ts";
import { receiveEvents } from "./receive.ts";
import { onFetchRequest, onFetchResponse, onHave, onSetRequest, onSetResponse, reconcileWith } from "./reconcile.ts";
import { onRecoveryRequest } from "./recovery.ts";
import { announceChanges, forgetChangesOf, onRuleChange } from "./rule-changes.ts";
import { forgetLink, makeLazy } from "./trees.ts";
import { ask, reply } from "./wire.ts";

/** How often a node asks one peer for what it missed, in milliseconds. Source: DESIGN "Waiting times". */
export const RECOVER_EVERY_MS = 20_000;
const NOTHING = new Uint8Array(0);

type MessageInput<T extends Input["type"]> = Extract<Input, { readonly type: T }>;

export function onConnected(context: StepContext, { peer, address }: MessageInput<"peer.connected">): void {
  if (isBarred(context, peer)) return context.emit({ type: "peer.disconnect", peer });
  meet(context, peer, address);
  beginLink(context, peer);
  onReached(context, peer, address);
  forgetRangesOf(context, peer);
  forgetLink(context, peer);
  forgetChangesOf(context, peer);
  askForPeers(context, peer);
  announceChanges(context, peer);
  reconcileWith(context, peer);
}

export function onDisconnected(context: StepContext, { peer }: MessageInput<"peer.disconnected">): void {
  const known = context.draft.get(Peers, peer);
  if (known === undefined) return;
  context.draft.put(Peers, peer, { ...known, connected: false });
  forgetLink(context, peer);
  forgetChangesOf(context, peer);
  graft(context);
  onLost(context, peer);
}

/** The transport timed a ping. */
export function onMeasured(context: StepContext, { peer, latency_ms }: MessageInput<"peer.measured">): void {
  measure(context, peer, BigInt(latency_ms));
}

/** A request of a peer: every one is answered. */
export function onReceived(context: StepContext, { from, replyTo, bytes }: MessageInput<"message.received">): void {
  if (isBarred(context, from)) return reply(context, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) {
    chargeFault(context, from);
    return reply(context, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
  }
  if (frame.ofs_spec === OFS_PEER_EXCHANGE) return onPeerExchange(context, from, replyTo, frame);
  const domain = context.registry.requests.get(frame.ofs_spec);
  if (domain !== undefined) return domain(context, from, replyTo, frame);
  // What bears another number is not ours, whatever it is called. Source: protocol 01 §7.2.
  if (frame.ofs_spec !== OFS_GOSSIP) return reply(context, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
  if (frame.message_type === "GossipRecoveryRequest") return onRecoveryRequest(context, from, replyTo);
  if (frame.message_type === "GossipSetRequest" || frame.message_type === "GossipAnnounce") noteSoftware(context, from);
  if (frame.message_type === "GossipSetRequest") return onSetRequest(context, from, replyTo, frame.payload);
  if (frame.message_type === "GossipFetchRequest") return onFetchRequest(context, from, replyTo, frame.payload);
  if (frame.message_type === "GossipHave") onHave(context, from, frame.payload);
  if (frame.message_type === "GossipRuleChange") onRuleChange(context, from, frame.payload);
  if (frame.message_type === "GossipAnnounce") {
    const lacking = lackingOf(context, from, frame.payload);
    if (lacking !== undefined) return reply(context, replyTo, OFS_GOSSIP, "GossipWant", lacking);
  }
  if (frame.message_type === "GossipGraft" && spendWork(context, from, 0)) forgetLink(context, from);
  if (frame.message_type === "GossipPush" && onPush(context, from, frame.payload) === "superfluous")
    return reply(context, replyTo, OFS_GOSSIP, "GossipPrune", NOTHING);
  reply(context, replyTo, OFS_GOSSIP, "GossipPushAck", NOTHING);
}

/** A peer compares sets as this software does: it takes announcements. */
function noteSoftware(context: StepContext, from: PeerId): void {
  const peer = context.draft.get(Peers, from);
  if (peer?.announces === false) context.draft.put(Peers, from, { ...peer, announces: true });
}

/** A statement that somebody else brought first needs no push along this link, either way. */
function onPush(context: StepContext, from: PeerId, payload: Uint8Array): "superfluous" | undefined {
  const event = eventOf(context, payload);
  if (event === undefined) {
    chargeFault(context, from);
    return undefined;
  }
  const statement = context.draft.get(Events, eventKey(event, context.draft.sharing))?.statement ?? null;
  if (statement !== null && isSuperfluous(context, statement, from)) {
    makeLazy(context, from, event.origin);
    return "superfluous";
  }
  receiveEvents(context, foldOf(context), [event], from, ingresses.push);
  return undefined;
}

function eventOf({ draft: { sharing } }: StepContext, payload: Uint8Array): GossipEvent | undefined {
  const make = () => decodeCompact(GossipEvent, payload);
  return sharing === undefined ? make() : sharing.ofBytes(GossipEvent, payload, make);
}

/** The answer to a request of ours; an answer to anything else is ignored. */
export function onAnswered(context: StepContext, { from, request, bytes }: MessageInput<"message.answered">): void {
  const asked = settleRequest(context, from, request, true);
  if (asked === undefined || isBarred(context, from)) return;
  const frame = decodeCompact(Frame, bytes);
  if (frame === undefined) return chargeFault(context, from);
  switch (asked.asked) {
    case "exchange":
      return learnPeers(context, from, frame.payload);
    case "recovery":
      return onRecovered(context, from, frame.payload);
    case "set":
      return onSetAnswer(context, from, frame, asked.depth);
    case "push":
      if (frame.message_type === "GossipPrune") onPruned(context, from, asked);
      return;
    case "announce":
      if (frame.message_type === "GossipWant") onWanted(context, from, frame.payload);
      return;
    case "fetch":
      if (frame.message_type === "GossipFetchResponse") onFetchResponse(context, from, frame.payload, asked.depth);
      return;
    default:
      context.registry.answers.get(asked.asked)?.(context, from, frame);
  }
}

function onRecovered(context: StepContext, from: PeerId, payload: Uint8Array): void {
  const answer = decodeCompact(RecoveryResponse, payload);
  if (answer === undefined) chargeFault(context, from);
  else receiveEvents(context, foldOf(context), answer.events, from, ingresses.recovery);
}

/** A peer of other software only acknowledges the comparison; then the protocol's own recovery is asked for, once. */
function onSetAnswer(context: StepContext, from: PeerId, frame: Frame, depth: number): void {
  const peer = context.draft.get(Peers, from);
  if (frame.message_type === "GossipSetResponse") {
    noteSoftware(context, from);
    return onSetResponse(context, from, frame.payload, depth);
  }
  if (peer === undefined || peer.recovered) return;
  context.draft.put(Peers, from, { ...peer, recovered: true });
  ask(context, from, "recovery", OFS_GOSSIP, "GossipRecoveryRequest", SUBSCRIBE_ALL);
}

export function onFailed(context: StepContext, { to, request }: MessageInput<"message.failed">): void {
  settleRequest(context, to, request, false);
}

/** Compares sets with one connected peer: another each time, and every second time one whose pushes were shed. */
export function recoverFromOne(context: StepContext): void {
  const tick = count(context, "recover");
  const behind = tick % 2 === 0 ? peersBehind(context).filter((id) => peerOf(context.draft, id).connected) : [];
  const peers = behind.length > 0 ? behind : connectedPeers(context.draft);
  const peer = peers[(tick >> 1) % Math.max(peers.length, 1)];
  if (peer !== undefined) reconcileWith(context, peer);
  context.emit({ type: "timer.set", timer: "recover", at: later(context.now, RECOVER_EVERY_MS) });
}

/** Forgets a request and measures its peer by it. */
function settleRequest(
  context: StepContext,
  peer: PeerId,
  number: RequestNumber,
  answered: boolean,
): Request | undefined {
  const request = context.draft.get(Requests, String(number));
  if (request === undefined || request.peer !== peer) return undefined;
  context.draft.put(Requests, String(number), undefined);
  const latency = context.now > request.sent_at ? context.now - request.sent_at : 0n;
  measure(context, peer, answered ? latency : undefined);
  return request;
}
