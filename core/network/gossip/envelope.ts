/**
 * Frames and events on the wire. Source: protocol 01 §5.3, §5.5, §7.1, §7.2, §9.
 */

import { concat, toHex, u16be, u64be } from "../../kernel/bytes.ts";
import type { Infer } from "../../kernel/schema.ts";
import { list, option, struct } from "../../kernel/schema-composites.ts";
import { bool, byteArray, enumeration, u8, u16, u32, u64 } from "../../kernel/schema-scalars.ts";
import { table } from "../../kernel/table.ts";
import { fromBase58, utf8 } from "../../kernel/text.ts";
import { EpochMillis, minuteOf, PeerId, PublicKey, SIGNATURE_BYTES, Signature, Text } from "../../kernel/values.ts";
import type { CryptoPort } from "../../ports/crypto.ts";
import type { SharingPort } from "../../ports/sharing.ts";

/** Routing keys of frames. Source: protocol 01 §5.3. */
export const OFS_PEER_EXCHANGE = 1100;
/** The document that an envelope of gossip names. */
export const OFS_GOSSIP = 1200;

/** Source: protocol 01 §5.3. */
export const Frame = struct("Frame", {
  protocol_version: u16,
  ofs_spec: u16,
  message_type: Text,
  sequence: u64,
  timestamp: EpochMillis,
  payload_length: u32,
  compressed: bool,
  authenticated: bool,
  payload: byteArray(null),
  authentication: option(Signature),
});
export type Frame = Infer<typeof Frame>;

/** Names of priorities, in wire order. Source: protocol 01 §7.5. */
export const priorities = [
  "SessionReservationSettlement",
  "TradeEscrow",
  "Advertisement",
  "Reputation",
  "Governance",
  "Snapshot",
  "BackgroundSync",
] as const;
const Priority = enumeration(...priorities);

/** Source: protocol 01 §7.1. */
export const GossipEvent = struct("GossipEvent", {
  id: byteArray(32),
  event_type: Text,
  ofs_spec: u16,
  version: u16,
  origin: PeerId,
  timestamp: EpochMillis,
  ttl: u8,
  priority: Priority,
  signature: Signature,
  payload: byteArray(null),
});
export type GossipEvent = Infer<typeof GossipEvent>;

/** Events that a node holds, for one that was away. */
export const RecoveryResponse = struct("GossipRecoveryResponse", { events: list(GossipEvent) });
/** `All`, the only subscription that nodes of this kind send. Source: protocol 01 §7.2. */
export const SUBSCRIBE_ALL: Uint8Array = Uint8Array.of(0);

/** Source: protocol 01 §5.5, in wire order. */
export const NodeRole = enumeration(
  "FullNode",
  "BootstrapNode",
  "SnapshotProvider",
  "NotificationGateway",
  "OracleProvider",
  "RiskIntelligenceProvider",
  "MerchantGateway",
  "PublicApiNode",
);
export const PeerAdvert = struct("PeerAdvert", {
  peer_id: PeerId,
  public_key: PublicKey,
  addresses: list(Text),
  roles: list(NodeRole),
  node_version: Text,
  supported_ofs: list(u16),
});
export type PeerAdvert = Infer<typeof PeerAdvert>;
export const PeerExchangeRequest = struct("PeerExchangeRequest", { max_peers: u32 });
/** Peers that a node knows, for one that asked. */
export const PeerExchangeResponse = struct("PeerExchangeResponse", { peers: list(PeerAdvert) });

/** Stored events by id; `statement` is the identity of what they carry. Source: DESIGN "Bounds". */
export const StoredEvent = struct("StoredEvent", { event: GossipEvent, statement: option(Text) });
export type StoredEvent = Infer<typeof StoredEvent>;
/** The log: what this node keeps for others, by event. */
export const Events = table<StoredEvent>("events", StoredEvent, {
  root: "local",
  durable: true,
  common: true,
  indexes: {
    statement: (stored) => (stored.statement === null ? [] : [stored.statement]),
    /** Those that carry no statement, by origin and all together. */
    plain: ({ event, statement }) => (statement === null ? [event.origin, "all"] : []),
    minute: ({ event, statement }) =>
      statement === null
        ? [`${minuteOf(event.timestamp)}`, `${plainOf(event.ofs_spec)}${minuteOf(event.timestamp)}`]
        : [`${minuteOf(event.timestamp)}`],
  },
});

/** The group of dated rows that are events without a statement, of one specification. */
export function plainOf(ofs: number): string {
  return `${ofs}/`;
}

/** The bytes that an origin signs. Source: protocol 01 §7.1. */
export function signedBytes(event: Omit<GossipEvent, "id" | "signature">): Uint8Array {
  const origin = fromBase58(event.origin) ?? new Uint8Array(0);
  return concat(utf8(event.event_type), u16be(event.ofs_spec), origin, u64be(event.timestamp), event.payload);
}

/** An event's id. Source: protocol 01 §7.1. */
export function eventId(crypto: CryptoPort, event: Omit<GossipEvent, "id">): Uint8Array {
  const origin = fromBase58(event.origin) ?? new Uint8Array(0);
  const signature = fromBase58(event.signature) ?? new Uint8Array(0);
  const signed = signature.length === SIGNATURE_BYTES ? signature : new Uint8Array(0);
  return crypto.sha256(concat(utf8(event.event_type), event.payload, u64be(event.timestamp), origin, signed));
}

/**
 * An event's id as lower-case hexadecimal digits: its key where events are kept, one text for all nodes that share.
 * Source: protocol 01 §7.2.
 */
export function eventKey(event: GossipEvent, sharing?: SharingPort): string {
  const make = () => toHex(event.id);
  return sharing === undefined ? make() : sharing.of(eventKey, event, make);
}

/** A frame around a payload. Source: protocol 01 §5.3. */
export function frameOf(ofs: number, messageType: string, payload: Uint8Array, now: EpochMillis): Frame {
  return {
    protocol_version: 1,
    ofs_spec: ofs,
    message_type: messageType,
    sequence: 1n,
    timestamp: now,
    payload_length: payload.length,
    compressed: false,
    authenticated: false,
    payload,
    authentication: null,
  };
}
