/**
 * Peers and outstanding requests: node-local, in no root. Source: protocol 01 §5.5, §12.3, W15, W16.
 */

import type { RequestNumber } from "../inputs.ts";
import type { Infer } from "../kernel/schema.ts";
import { list, option, struct } from "../kernel/schema-composites.ts";
import { bool, enumeration, u16, u32, u64 } from "../kernel/schema-scalars.ts";
import type { Reader } from "../kernel/table.ts";
import { table } from "../kernel/table.ts";
import { EpochMillis, PeerId, Text } from "../kernel/values.ts";
import type { Turn } from "../turn.ts";

/** Peers remembered at most. Source: ours; protocol 01 §13.1 dials up to 32. */
export const PEERS_MAX = 1_024;

export const Peer = struct("Peer", {
  peer_id: PeerId,
  addresses: list(Text),
  node_version: Text,
  supported_ofs: list(u16),
  roles: list(Text),
  last_seen: EpochMillis,
  latency_ms: option(u64),
  successes: u32,
  failures: u32,
  connected: bool,
  /** Whether this connection has had the protocol's own recovery. */
  recovered: bool,
  /** Whether it is comparing sets with this node already, and this node leaves it to that. */
  leads: bool,
});
export type Peer = Infer<typeof Peer>;
/** Peers by id. */
export const Peers = table<Peer>("peers", Peer, {
  root: "local",
  indexes: { connected: (peer) => [String(peer.connected)] },
});

/** What an outstanding request asked for. */
const Asked = enumeration("push", "recovery", "set", "fetch", "have", "exchange", "content", "challenge");
export type Asked = Infer<typeof Asked>;
export const Request = struct("Request", { peer: PeerId, asked: Asked, sent_at: EpochMillis });
/** Requests without an answer yet, by number. */
export const Requests = table<Infer<typeof Request>>("requests", Request, { root: "local" });
export const Counter = struct("Counter", { value: u32 });
export const Counters = table<Infer<typeof Counter>>("counters", Counter, { root: "local" });

/** Connected peers in order of id text. */
export function connectedPeers(reader: Reader): readonly PeerId[] {
  return [...reader.find(Peers, "connected", "true")].sort((a, b) => (a < b ? -1 : 1)) as unknown as readonly PeerId[];
}

/** Takes a number for a request to a peer and remembers what it asks. */
export function nextRequest(turn: Turn, peer: PeerId, asked: Asked): RequestNumber {
  const number = (turn.draft.get(Counters, "request")?.value ?? 0) + 1;
  turn.draft.put(Counters, "request", { value: number });
  turn.draft.put(Requests, String(number), { peer, asked, sent_at: turn.now });
  return number;
}

/** What is known of a peer, or a placeholder. */
export function peerOf(reader: Reader, peer: PeerId): Peer {
  return (
    reader.get(Peers, peer) ?? {
      peer_id: peer,
      addresses: [],
      node_version: "",
      supported_ofs: [],
      roles: [],
      last_seen: 0n as EpochMillis,
      latency_ms: null,
      successes: 0,
      failures: 0,
      connected: false,
      recovered: false,
      leads: false,
    }
  );
}
