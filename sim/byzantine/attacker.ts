/**
 * A member of the network without a core: it speaks the protocol's frames and says with them whatever an attack wants.
 * What it does not decide is polite: it acknowledges, claims to hold nothing, and knows nobody. It counts what it sent
 * and what honest nodes spent on it. Each attack is a file of its own beside this one.
 * Source: DESIGN section 5 "Faults"; protocol 01 §5.3, §5.5, §7.1, §7.2.
 */
import type { EpochMillis, Fields, PeerId, RecordOf, Schema, Signature, SignedType } from "../../core/index.ts";
import { decodeCompact, encodeCompact, tagged, toBase58, transcript } from "../../core/index.ts";
import type { CryptoPort } from "../../core/ports/crypto.ts";
import type { TransportPort } from "../../core/ports/transport.ts";
import {
  eventId,
  FetchResponse,
  Frame,
  frameOf,
  GossipEvent,
  OFS_GOSSIP,
  OFS_PEER_EXCHANGE,
  PeerExchangeResponse,
  RecoveryResponse,
  SetResponse,
  signedBytes,
} from "../../core/testing.ts";
import type { Wallet } from "../wallet.ts";
import { openWallet } from "../wallet.ts";
import type { World } from "../world.ts";

/** What an attacker and its victims spent on each other. */
export interface Tally {
  /** Frames that it sent, by message type. */
  readonly sent: Map<string, number>;
  /** Requests that honest nodes made of it, by message type. */
  readonly asked: Map<string, number>;
  /** Bytes of the answers that it got. */
  answerBytes: number;
  /** How often a link of its was ended by the other side. */
  cut: number;
}

/** How an attacker answers one type of request; nothing leaves it without an answer. */
export type Answer = (from: PeerId, payload: Uint8Array) => { readonly type: string; readonly payload: Uint8Array };

/** A member of the network without a core: it says what it wants to whom it wants. */
export interface Attacker {
  readonly world: World;
  readonly name: string;
  /** How many things it made up, and how many identities of nothing, so that no two are the same. */
  readonly made: { things: number; identities: number };
  /** What its attack keeps for later: when it began, and what it brings. */
  readonly kept: { began?: EpochMillis; events?: readonly (readonly GossipEvent[])[] };
  readonly wallet: Wallet;
  readonly address: string;
  readonly tally: Tally;
  /** Honest nodes it is connected to. */
  readonly victims: ReadonlySet<PeerId>;
  /** Its own clock, and how far it is from the world's. */
  now(): EpochMillis;
  skewClock(byMs: number): void;
  /** Somebody else with a key of his own. */
  sybil(name: string): Wallet;
  dial(address: string): void;
  /** Ends every link. */
  leave(): void;
  /** Says how requests of a type are answered. */
  answer(messageType: string, by: Answer): void;
  /** Sends bytes as they are. */
  sendBytes(to: PeerId, bytes: Uint8Array, what: string): void;
  /** Sends a frame; `done` gets the payload of the answer. */
  send(to: PeerId, ofs: number, type: string, payload: Uint8Array, done?: (payload: Uint8Array) => void): void;
  /** Pushes an event to every victim. */
  push(event: GossipEvent): void;
  /** Acts so many times, evenly spread over a while. One such series at a time. */
  repeat(times: number, overMs: number, act: (n: number) => void): void;
}

/** What an attacker remembers. */
interface HeldAttacker {
  readonly tally: Tally;
  readonly victims: Set<PeerId>;
  readonly made: Attacker["made"];
  readonly kept: Attacker["kept"];
  requests: number;
  skewMs: number;
  /** Series of acts that were planned. */
  series: number;
}

interface AttackerDue {
  readonly kind: "repeats";
  readonly n: number;
}

/** Members outside the world's own nodes live in a network of their own. */
const HOST = "10.66";
const NOTHING = new Uint8Array(0);

/** Brings an attacker into the network of a world. In a held world in which it had joined it is there again. */
export function joinAsAttacker(world: World, name: string, number = 1): Attacker {
  const { carrier, crypto, loop } = world;
  const wallet = openWallet(crypto, world.seed, `attacker/${name}`);
  const address = `/ip4/${HOST}.${number >> 8}.${number & 255}/tcp/4001/p2p/${wallet.peer}`;
  let series: ((n: number) => void) | undefined;
  const part = loop.part(`attacker/${name}`, freshAttacker, ({ n }: AttackerDue) => series?.(n));
  const { held } = part;
  const { tally, victims, made, kept } = held;
  // The acts of a series that a held world had planned are on its heap.
  let planned = part.resumed ? held.series : 0;
  const answers = new Map<string, Answer>(politeAnswers);
  const waiting = new Map<number, (payload: Uint8Array) => void>();
  const sybils = new Map<string, Wallet>();
  const { secretKey } = wallet.keypair;
  const member = { peer: wallet.peer, address, name: `attacker/${name}`, secretKey };
  const port: TransportPort = carrier[part.resumed ? "listen" : "join"](member, {
    connected: (peer) => void victims.add(peer),
    disconnected(peer) {
      victims.delete(peer);
      tally.cut += 1;
    },
    unreachable: () => undefined,
    measured: () => undefined,
    observed: () => undefined,
    received(from, replyTo, bytes) {
      const frame = decodeCompact(Frame, bytes);
      if (frame === undefined) return;
      countOne(tally.asked, frame.message_type);
      const answer = (answers.get(frame.message_type) ?? acknowledge)(from, frame.payload);
      const ofs = answer.type.startsWith("Peer") ? OFS_PEER_EXCHANGE : OFS_GOSSIP;
      port.reply(replyTo, encodeCompact(Frame, frameOf(ofs, answer.type, answer.payload, loop.epoch())));
    },
    answered(_, request, bytes) {
      tally.answerBytes += bytes.length;
      waiting.get(request)?.(decodeCompact(Frame, bytes)?.payload ?? NOTHING);
      waiting.delete(request);
    },
    failed: (_, request) => void waiting.delete(request),
  });
  const attacker: Attacker = {
    ...{ world, name, wallet, address, tally, victims, made, kept },
    now: () => (loop.epoch() + BigInt(held.skewMs)) as EpochMillis,
    skewClock(byMs) {
      held.skewMs += byMs;
    },
    sybil(of) {
      const sybil = sybils.get(of) ?? openWallet(crypto, world.seed, `sybil/${name}/${of}`);
      sybils.set(of, sybil);
      return sybil;
    },
    dial: (to) => port.dial(to),
    leave: () => [...victims].forEach((victim) => void port.disconnect(victim)),
    answer: (type, by) => void answers.set(type, by),
    sendBytes(to, bytes, what) {
      countOne(tally.sent, what);
      port.send(to, ++held.requests, bytes);
    },
    send(to, ofs, type, payload, done) {
      countOne(tally.sent, type);
      held.requests += 1;
      if (done !== undefined) waiting.set(held.requests, done);
      port.send(to, held.requests, encodeCompact(Frame, frameOf(ofs, type, payload, loop.epoch())));
    },
    push(event) {
      const payload = encodeCompact(GossipEvent, event);
      for (const victim of victims) attacker.send(victim, OFS_GOSSIP, "GossipPush", payload);
    },
    repeat(times, overMs, act) {
      series = act;
      if (planned > 0) {
        planned -= 1;
        return;
      }
      held.series += 1;
      for (let n = 0; n < times; n++) part.after(Math.floor((n * overMs) / times), { kind: "repeats", n });
    },
  };
  return attacker;
}

function freshAttacker(): HeldAttacker {
  const tally: Tally = { sent: new Map(), asked: new Map(), answerBytes: 0, cut: 0 };
  return { tally, victims: new Set(), made: { things: 0, identities: 0 }, kept: {}, requests: 0, skewMs: 0, series: 0 };
}

/** What of an event is not said otherwise is as honest as can be. */
export interface EventOptions {
  readonly origin: Wallet;
  readonly at: EpochMillis;
  readonly ttl?: number;
  readonly event?: string;
  readonly ofs?: number;
}

/** An event around a payload that somebody signed. */
export function eventAround<F extends Fields>(
  crypto: CryptoPort,
  type: SignedType<F>,
  payload: RecordOf<F>,
  signer: Wallet,
  options: EventOptions,
): GossipEvent {
  const json = transcript(type, payload);
  const signature = toBase58(signer.sign(tagged(type as unknown as SignedType, json)));
  const wire = encodeCompact(type.wire, { [type.outer]: payload, signature } as never);
  return eventOf(crypto, type.eventOf(payload), type.ofs, wire, options);
}

/** An event around bytes. */
export function eventOf(
  crypto: CryptoPort,
  event: string,
  ofs: number,
  payload: Uint8Array,
  options: EventOptions,
): GossipEvent {
  const body = {
    event_type: options.event ?? event,
    ofs_spec: options.ofs ?? ofs,
    version: 1,
    origin: options.origin.peer,
    timestamp: options.at,
    ttl: options.ttl ?? 8,
    priority: "BackgroundSync" as const,
    payload,
  };
  const signature = toBase58(options.origin.sign(signedBytes(body))) as Signature;
  return { signature, id: eventId(crypto, { signature, ...body }), ...body };
}

/** Answers that say: nothing here. */
const politeAnswers: readonly (readonly [string, Answer])[] = [
  ["GossipSetRequest", () => answerWith("GossipSetResponse", SetResponse, { contents: [] })],
  ["GossipFetchRequest", () => answerWith("GossipFetchResponse", FetchResponse, { events: [], more: false })],
  ["GossipRecoveryRequest", () => answerWith("GossipRecoveryResponse", RecoveryResponse, { events: [] })],
  ["PeerExchangeRequest", () => answerWith("PeerExchangeResponse", PeerExchangeResponse, { peers: [] })],
];

/** An answer of a type. */
export function answerWith<T>(type: string, schema: Schema<T>, value: T): ReturnType<Answer> {
  return { type, payload: encodeCompact(schema, value) };
}

function acknowledge(): ReturnType<Answer> {
  return { type: "GossipPushAck", payload: NOTHING };
}

function countOne(to: Map<string, number>, what: string): void {
  to.set(what, (to.get(what) ?? 0) + 1);
}
