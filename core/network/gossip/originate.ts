/**
 * Originating events: this node signs that it put them on the wire; the payload's own signature says who.
 * Source: protocol 01 §7.3, §7.4.
 */

import { Pending, Statements } from "../../engine/statements/table.ts";
import type { StepContext } from "../../engine/step-context.ts";
import { encodeCompact } from "../../kernel/schema.ts";
import type { Statement } from "../../kernel/signed.ts";
import { toBase58 } from "../../kernel/text.ts";
import type { PeerId, Signature } from "../../kernel/values.ts";
import { connectedPeers, nextRequest } from "../peers/peers.ts";
import {
  Events,
  eventId,
  eventKey,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  priorities,
  signedBytes,
} from "./envelope.ts";
import { note } from "./news.ts";
import { eagerPeers } from "./trees.ts";

/** Hops of an event at its origin. Source: protocol 01 §13.1. */
export const TTL_AT_ORIGIN = 8;

interface OwnEvent {
  readonly event_type: string;
  readonly ofs_spec: number;
  readonly priority: number;
  readonly payload: Uint8Array;
}

/** Puts a statement that this node accepted over RPC on the wire. */
export function originate(context: StepContext, wire: Uint8Array, statement: Statement): void {
  const { type } = statement;
  const event_type = type.eventOf(statement.payload as never);
  emitEvent(context, { event_type, ofs_spec: type.ofs, priority: type.priority, payload: wire }, statement.identity);
}

/** Drops the events of statements that left, so that no recovery brings them again. */
export function forgetSuperseded(context: StepContext): void {
  for (const { table, key, record } of context.draft.changes()) {
    if ((table !== Statements.name && table !== Pending.name) || record !== undefined) continue;
    if (context.draft.get(Statements, key) === undefined) forgetEventsOf(context, key);
  }
}

/** Drops what carried a statement: it left, or a better signature of it came. */
export function forgetEventsOf(context: StepContext, statement: string): void {
  for (const key of context.draft.find(Events, "statement", statement)) context.draft.put(Events, key, undefined);
}

/** Signs, stores and pushes one event of this node's own. */
export function emitEvent(context: StepContext, event: OwnEvent, statement: string | null): void {
  const signed = signedEvent(context, event);
  context.draft.put(Events, eventKey(signed), { event: signed, statement });
  if (statement !== null) note(context, statement, undefined);
  passOn(context, signed, undefined, statement !== null);
}

/** An event of this node's own around a statement that it holds without one. */
export function envelopeOf(context: StepContext, statement: Statement): GossipEvent {
  const { type, payload } = statement;
  const event_type = type.eventOf(payload as never);
  return signedEvent(context, { event_type, ofs_spec: type.ofs, priority: type.priority, payload: wireOf(statement) });
}

/** A statement as an event carries it: its payload, and the signature that every node takes. */
export function wireOf({ type, payload, bare, tagged }: Statement): Uint8Array {
  return encodeCompact(type.wire, { [type.outer]: payload, signature: tagged ?? bare } as never);
}

function signedEvent(context: StepContext, event: OwnEvent): GossipEvent {
  const { configuration, crypto } = context;
  const body = {
    event_type: event.event_type,
    ofs_spec: event.ofs_spec,
    version: 1,
    origin: configuration.peerId,
    timestamp: context.now,
    ttl: TTL_AT_ORIGIN,
    priority: priorities[event.priority] ?? "BackgroundSync",
    payload: event.payload,
  };
  const signature = toBase58(crypto.sign(configuration.secretKey, signedBytes(body))) as Signature;
  return { signature, id: eventId(crypto, { signature, ...body }), ...body };
}

/**
 * Pushes an event to every connected peer but the one that brought it: a statement only along the links that its
 * origin's tree has.
 */
export function passOn(
  context: StepContext,
  event: GossipEvent,
  except: PeerId | undefined,
  isStatement: boolean,
): void {
  const peers = isStatement ? eagerPeers(context, event.origin) : connectedPeers(context.draft);
  pushTo(
    context,
    peers.filter((peer) => peer !== except),
    event,
    isStatement,
  );
}

function bytesOf({ draft: { sharing } }: StepContext, event: GossipEvent): Uint8Array {
  const make = () => encodeCompact(GossipEvent, event);
  return sharing === undefined ? make() : sharing.of(GossipEvent, event, make);
}

/** Pushes an event to some peers; what is `repeated` is so for the nth time. */
export function pushTo(
  context: StepContext,
  peers: readonly PeerId[],
  event: GossipEvent,
  isStatement = true,
  repeats = 0,
): void {
  if (peers.length === 0) return;
  const payload = bytesOf(context, event);
  const bytes = encodeCompact(Frame, frameOf(OFS_GOSSIP, "GossipPush", payload, context.now));
  const about = isStatement ? eventKey(event, context.draft.sharing) : "";
  for (const peer of peers) {
    const request = nextRequest(context, peer, "push", { about, repeats });
    context.emit({ type: "message.send", to: peer, request, bytes });
  }
}
