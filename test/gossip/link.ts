/**
 * A peer at a lone node: what it sends, what it is answered, and what its link has left. Events are signed by whoever
 * is said to have put them on the wire.
 */
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { Effect, EpochMillis } from "../../core/index.ts";
import { known } from "../../core/kernel/assert.ts";
import type { Schema } from "../../core/kernel/schema.ts";
import { decodeCompact, encodeCompact } from "../../core/kernel/schema.ts";
import type { SignedType } from "../../core/kernel/signed.ts";
import { identityOf, tagged, transcript } from "../../core/kernel/signed.ts";
import { toBase58 } from "../../core/kernel/text.ts";
import type { Identity, Signature } from "../../core/kernel/values.ts";
import type { Link } from "../../core/network/gossip/credit.ts";
import { Links } from "../../core/network/gossip/credit.ts";
import type { GossipEvent } from "../../core/network/gossip/envelope.ts";
import {
  GossipEvent as EventSchema,
  eventId,
  Frame,
  frameOf,
  OFS_GOSSIP,
  signedBytes,
} from "../../core/network/gossip/envelope.ts";
import type { LoneNode, Person } from "../rpc/lone-node.ts";
import { crypto } from "../rpc/lone-node.ts";
import { advertisement, merchant } from "./advertisements.ts";

/** A request or a push of this node's, as its peer reads it. */
export interface Sent {
  readonly request: number;
  readonly to: string;
  readonly type: string;
  readonly payload: Uint8Array;
}

/** One peer's end of a link. */
export interface PeerEnd {
  readonly by: Person;
  connect(): void;
  /** Any bytes; answers what came back. */
  send(bytes: Uint8Array): Frame;
  ask<T>(type: string, payload: Uint8Array, answer: Schema<T>, ofs?: number): T;
  tell(type: string, payload: Uint8Array): void;
  push(event: GossipEvent): void;
  /** Answers a request of the node's. */
  answer(request: number, type: string, payload: Uint8Array): void;
  /** What the node has sent this peer, of a type, since it was asked last. */
  sent(type: string): readonly Sent[];
  link(): Link | undefined;
}

export function peerOf(node: LoneNode, by: Person): PeerEnd {
  let read = 0;
  const framed = (type: string, payload: Uint8Array, ofs = OFS_GOSSIP) =>
    encodeCompact(Frame, frameOf(ofs, type, payload, node.now as EpochMillis));
  const end: PeerEnd = {
    by,
    connect: () => node.accept({ type: "peer.connected", peer: by.peer, address: null }),
    send(bytes) {
      const before = node.effects.length;
      node.accept({ type: "message.received", from: by.peer, replyTo: "peer", bytes });
      const replies = node.effects.slice(before).flatMap((each) => (each.type === "message.reply" ? [each.bytes] : []));
      return known(decodeCompact(Frame, known(replies[0], "an answer")), "a frame");
    },
    ask(type, payload, answer, ofs) {
      return known(decodeCompact(answer, end.send(framed(type, payload, ofs)).payload), "an answer that decodes");
    },
    tell: (type, payload) => void end.send(framed(type, payload)),
    push: (event) => end.tell("GossipPush", encodeCompact(EventSchema, event)),
    answer: (request, type, payload) =>
      node.accept({ type: "message.answered", from: by.peer, request, bytes: framed(type, payload) }),
    sent(type) {
      const fresh = node.effects.slice(read);
      read = node.effects.length;
      return sentOf(fresh).filter((each) => each.to === by.peer && each.type === type);
    },
    link: () => node.view.get(Links, by.peer),
  };
  return end;
}

/** Everything among effects that goes to a peer. */
export function sentOf(effects: readonly Effect[]): readonly Sent[] {
  return effects.flatMap((effect) => {
    if (effect.type !== "message.send") return [];
    const frame = known(decodeCompact(Frame, effect.bytes), "a frame");
    return [{ request: effect.request, to: effect.to, type: frame.message_type, payload: frame.payload }];
  });
}

/** An event around an advertisement, put on the wire by `by` at its date; `change` is signed with the rest. */
export function adEvent(by: Person, id: string, at: bigint, change: Partial<GossipEvent> = {}): GossipEvent {
  const payload = wireOf(advertisement(id, at as EpochMillis), "bare");
  const event = { event_type: AdvertisementCreate.event, ofs_spec: AdvertisementCreate.ofs, payload };
  return signedEvent(by, { ...event, timestamp: at as EpochMillis, ...change });
}

/** An advertisement as an event carries it. */
export function wireOf(
  create: ReturnType<typeof advertisement>,
  form: "bare" | "tagged",
  signer: Person = merchant,
): Uint8Array {
  const json = transcript(AdvertisementCreate, create);
  const bytes = form === "bare" ? json : tagged(AdvertisementCreate as unknown as SignedType, json);
  const signature = toBase58(crypto.sign(signer.secret, bytes)) as Signature;
  return encodeCompact(AdvertisementCreate.wire, { create, signature });
}

/** The identity of an advertisement, as the set names it. */
export function adIdentity(id: string, at: bigint): Identity {
  return identityOf(crypto, AdvertisementCreate, advertisement(id, at as EpochMillis));
}

/** An event as its origin signs it. */
export function signedEvent(by: Person, event: Partial<GossipEvent>): GossipEvent {
  const body = {
    ...{ event_type: "Unheard", ofs_spec: 9_000, version: 1, origin: by.peer, ttl: 8 },
    ...{ priority: "BackgroundSync" as const, payload: new Uint8Array(0) },
    timestamp: 0n as EpochMillis,
    ...event,
  };
  const signature = toBase58(crypto.sign(by.secret, signedBytes(body))) as Signature;
  return { ...body, signature, id: eventId(crypto, { ...body, signature }) };
}
