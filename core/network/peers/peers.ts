/**
 * Peers that this node has met, and its outstanding requests: node-local, in no root. A peer is met once a handshake
 * proved its id; what others only claim about peers is in address-claims.ts.
 * Source: protocol 01 §5.5, §12.3, §13.1, W15, W16; 05 §8, §14.9, §14.10.
 */

import type { StepContext } from "../../engine/step-context.ts";
import type { RequestNumber } from "../../inputs.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { bool, enumeration, u8, u16, u32, u64 } from "../../kernel/schema-scalars.ts";
import type { Reader } from "../../kernel/table.ts";
import { recordsOf, table } from "../../kernel/table.ts";
import { compareText } from "../../kernel/text.ts";
import { EpochMillis, PeerId, Text } from "../../kernel/values.ts";
import { placeOf } from "./address-claims.ts";

/** Peers remembered at most. Source: DESIGN "Bounds"; protocol 01 §13.1 dials up to 32. */
export const PEERS_MAX = 1_024;
/** How long a peer is remembered that is not heard of, in milliseconds. Source: protocol 01 §13.1. */
export const PEER_EXPIRY_MS = 600_000;
/** Addresses at which a handshake proved one peer's id. Source: DESIGN "Bounds". */
export const PROVEN_MAX = 4;
/** The weight of what was measured before, against one new measure. Source: DESIGN "Measured values". */
const LATENCY_WEIGHT = 7n;
const U32_MAX = 0xffff_ffff;
/** A push is repeated so often. Source: DESIGN "Waiting times". */
export const REPEATS_MAX = 4;

export const Peer = struct("Peer", {
  peer_id: PeerId,
  /** Places where a handshake proved the id, the newest first. */
  proven: list(Text),
  /** What the peer itself said over its own link: nobody has tried them. */
  told: list(Text),
  node_version: Text,
  supported_ofs: list(u16),
  roles: list(Text),
  last_seen: EpochMillis,
  latency_ms: option(u64),
  successes: u32,
  failures: u32,
  connected: bool,
  /** Whether this node dialled the connection, so that no stranger chose it. */
  dialled: bool,
  /** Whether this connection has had the protocol's own recovery, asked for and given. */
  recovered: bool,
  served: bool,
  /** Whether it is comparing sets with this node already, and this node leaves it to that. */
  leads: bool,
  /** Whether it compares sets as this software does, and so takes announcements. */
  announces: bool,
});
export type Peer = Infer<typeof Peer>;
/** Peers by id. */
export const Peers = table<Peer>("peers", Peer, {
  root: "local",
  indexes: { connected: (peer) => [String(peer.connected)] },
});

/** What an outstanding request asked for. */
const Asked = enumeration(
  ...(["push", "announce", "recovery", "set", "fetch", "have", "exchange", "content", "challenge"] as const),
);
export type Asked = Infer<typeof Asked>;
/**
 * `depth` of a comparison is the length of the prefixes that it asks about; a push of a statement is about an event,
 * and may be the repetition of another.
 */
export const Request = struct("Request", {
  peer: PeerId,
  asked: Asked,
  sent_at: EpochMillis,
  depth: u8,
  about: Text,
  repeats: u8,
});
export type Request = Infer<typeof Request>;
/** Requests without an answer yet, by number. */
export const Requests = table<Request>("requests", Request, {
  root: "local",
  indexes: {
    asked: ({ peer, asked }) => [`${asked}/${peer}`],
    /** Pushes of statements that are sent once more unless they are acknowledged, by peer. */
    repeatable: ({ peer, asked, about, repeats }) =>
      asked === "push" && about !== "" && repeats < REPEATS_MAX ? [peer] : [],
  },
});
export const Counter = struct("Counter", { value: u32 });
export const Counters = table<Infer<typeof Counter>>("counters", Counter, { root: "local" });

/** Connected peers in order of id text. */
export function connectedPeers(reader: Reader): readonly PeerId[] {
  return [...reader.find(Peers, "connected", "true")].sort((a, b) => (a < b ? -1 : 1)) as unknown as readonly PeerId[];
}

/** Takes a number for a request to a peer and remembers what it asks. */
export function nextRequest(
  context: StepContext,
  peer: PeerId,
  asked: Asked,
  { depth = 0, about = "", repeats = 0 }: Partial<Request> = {},
): RequestNumber {
  const number = count(context, "request");
  context.draft.put(Requests, String(number), { peer, asked, sent_at: context.now, depth, about, repeats });
  return number;
}

/** Requests of one kind that a peer has not answered. */
export function outstanding(reader: Reader, peer: PeerId, asked: Asked): number {
  return reader.count(Requests, "asked", `${asked}/${peer}`);
}

/** One more of something. */
export function count(context: StepContext, what: string): number {
  const value = (context.draft.get(Counters, what)?.value ?? 0) + 1;
  context.draft.put(Counters, what, { value });
  return value;
}

/** What is known of a peer; of one that was never met, that nothing is. */
export function peerOf(reader: Reader, peer: PeerId): Peer {
  return (
    reader.get(Peers, peer) ?? {
      peer_id: peer,
      proven: [],
      told: [],
      node_version: "",
      supported_ofs: [],
      roles: [],
      last_seen: 0n as EpochMillis,
      latency_ms: null,
      successes: 0,
      failures: 0,
      connected: false,
      dialled: false,
      recovered: false,
      served: false,
      leads: false,
      announces: false,
    }
  );
}

/** Every place of a peer, the proven ones first. */
export function addressesOf({ proven, told }: Peer): readonly string[] {
  return [...new Set([...proven, ...told])];
}

/** A link is up: the peer is who its id says; an address that this node dialled is one at which it answers. */
export function meet(context: StepContext, id: PeerId, address: string | null): void {
  const known = context.draft.get(Peers, id);
  if (known === undefined && context.draft.size(Peers) >= PEERS_MAX) forgetOldest(context);
  const peer = known ?? peerOf(context.draft, id);
  const places = address === null ? [] : [placeOf(id, address)];
  const proven = [...new Set([...places, ...peer.proven])].slice(0, PROVEN_MAX);
  const fresh = { connected: true, recovered: false, served: false, leads: false, announces: false };
  context.draft.put(Peers, id, { ...peer, ...fresh, dialled: address !== null, last_seen: context.now, proven });
}

/** What a peer is seen to do: answer a request or a ping after some milliseconds, or fail to. */
export function measure(context: StepContext, id: PeerId, latency: bigint | undefined): void {
  const peer = context.draft.get(Peers, id);
  if (peer === undefined) return;
  if (latency === undefined) {
    return context.draft.put(Peers, id, { ...peer, failures: Math.min(peer.failures + 1, U32_MAX) });
  }
  const before = peer.latency_ms;
  const latency_ms = before === null ? latency : (before * LATENCY_WEIGHT + latency) / (LATENCY_WEIGHT + 1n);
  const successes = Math.min(peer.successes + 1, U32_MAX);
  context.draft.put(Peers, id, { ...peer, last_seen: context.now, latency_ms, successes });
}

/** Peers in order of health: fewest failures, most successes, lowest latency. Source: protocol 01 §5.5. */
export function compareHealth(a: Peer, b: Peer): number {
  if (a.failures !== b.failures) return a.failures - b.failures;
  if (a.successes !== b.successes) return b.successes - a.successes;
  if (a.latency_ms !== b.latency_ms) {
    if (a.latency_ms === null || b.latency_ms === null) return a.latency_ms === null ? 1 : -1;
    return a.latency_ms < b.latency_ms ? -1 : 1;
  }
  return compareText(a.peer_id, b.peer_id);
}

/** Connected peers are seen now; one not heard of for long is forgotten. Source: protocol 01 §5.5 "expiry". */
export function sweepPeers(context: StepContext): void {
  for (const id of connectedPeers(context.draft))
    context.draft.put(Peers, id, { ...peerOf(context.draft, id), last_seen: context.now });
  for (const { peer_id, last_seen } of recordsOf(context.draft, Peers, "connected", "false")) {
    if (last_seen + BigInt(PEER_EXPIRY_MS) < context.now) context.draft.put(Peers, peer_id, undefined);
  }
}

/** The peer that was not seen for longest makes room; one that is connected stays. */
function forgetOldest(context: StepContext): void {
  const absent = recordsOf(context.draft, Peers, "connected", "false");
  const [oldest] = [...absent].sort((a, b) => (a.last_seen < b.last_seen ? -1 : a.last_seen > b.last_seen ? 1 : 0));
  if (oldest !== undefined) context.draft.put(Peers, oldest.peer_id, undefined);
}
