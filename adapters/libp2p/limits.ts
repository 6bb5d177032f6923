/**
 * What one transport spends at most: connections, streams, bytes and time. A full bound refuses, it never grows.
 * Source: protocol 01 §5.1, §5.2, §13.1 where a section is named; else DESIGN L10.
 */

/** Bytes of one envelope, its length prefix not counted. Source: protocol 01 §9.3. */
export const ENVELOPE_BYTES_MAX = 1_048_576;

/** The bounds of the transport: of connections, streams, queues and bytes. */
export interface TransportLimits {
  /** Established connections, both directions together. Source: protocol 01 §5.1. */
  readonly connectionsMax: number;
  /** Established connections that others opened. Source: protocol 01 §5.1. */
  readonly inboundConnectionsMax: number;
  /** Connections that others opened from one address, of IPv6 from one /64. Source: DESIGN section 7 #27. */
  readonly connectionsPerAddressMax: number;
  /**
   * The same for a loopback, link-local or private address, behind which a proxy or the router of containers may hide
   * many: a quarter of the places. Source: DESIGN section 7 #27.
   */
  readonly connectionsPerLocalAddressMax: number;
  /** Connections that others opened from one public /24, of IPv6 from one /48. Source: DESIGN section 7 #27. */
  readonly connectionsPerSubnetMax: number;
  /** Connections that others opened and whose handshake is not over. Source: DESIGN "Bounds". */
  readonly handshakesMax: number;
  /**
   * Connections per second from one address; a neighbourhood behind one router still fits. Source: DESIGN "Work at
   * once".
   */
  readonly connectionsPerHostAndSecondMax: number;
  /**
   * Connections to one peer: two, for peers that dial each other at once. The oldest goes. Source: DESIGN "Work at
   * once".
   */
  readonly connectionsPerPeerMax: number;
  /** Dials under way. Source: DESIGN "Work at once". */
  readonly dialsMax: number;
  /**
   * From the order of a dial to its end, waiting for its turn included. Source: DESIGN "Waiting times", the library's
   * default.
   */
  readonly dialTimeoutMs: number;
  /** From the first byte of a dial to its handshake's end. Source: DESIGN "Waiting times", the library's default. */
  readonly dialAddressTimeoutMs: number;
  /**
   * From the first byte of a connection that a peer opened to its handshake's end. Source: DESIGN "Waiting times", as
   * above.
   */
  readonly handshakeTimeoutMs: number;
  /** For agreeing on the protocol of a stream. Source: DESIGN "Waiting times", the library's default. */
  readonly negotiationTimeoutMs: number;
  /** From a connection to what the peer says of itself. Source: DESIGN "Bounds", the library's default. */
  readonly identifyTimeoutMs: number;
  /** From `send` to the answer, and from a request's first byte to its reply. Source: protocol 01 §13.1. */
  readonly requestTimeoutMs: number;
  /** Requests of one connection that are being read or answered. Source: protocol 01 §13.1. */
  readonly inboundStreamsPerConnectionMax: number;
  /** Requests of all peers together that are being read or answered. Source: DESIGN "Bounds". */
  readonly inboundRequestsMax: number;
  /** Requests to one peer on the wire at once; below the 100 it accepts. Source: DESIGN "Work at once". */
  readonly outboundStreamsPerPeerMax: number;
  /** Requests to one peer, waiting ones included. Source: DESIGN "Waiting times". */
  readonly outboundRequestsPerPeerMax: number;
  /**
   * Bytes held for one peer and for all peers: of what peers send, of requests to them, and of answers that they have
   * not taken yet, each by itself. Source: DESIGN "Bounds".
   */
  readonly bytesPerPeerMax: number;
  readonly bytesMax: number;
  /** Source: protocol 01 §13.1. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
  /** A socket without a byte for so long is dead. Source: protocol 01 §5.1. */
  readonly idleTimeoutMs: number;
}

/** The bounds unless others are given. */
export const TRANSPORT_LIMITS: TransportLimits = {
  connectionsMax: 512,
  inboundConnectionsMax: 256,
  connectionsPerAddressMax: 8,
  connectionsPerLocalAddressMax: 64,
  connectionsPerSubnetMax: 32,
  handshakesMax: 128,
  connectionsPerHostAndSecondMax: 32,
  connectionsPerPeerMax: 2,
  dialsMax: 128,
  dialTimeoutMs: 10_000,
  dialAddressTimeoutMs: 6_000,
  handshakeTimeoutMs: 10_000,
  negotiationTimeoutMs: 10_000,
  identifyTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  inboundStreamsPerConnectionMax: 100,
  inboundRequestsMax: 4_096,
  outboundStreamsPerPeerMax: 64,
  outboundRequestsPerPeerMax: 1_024,
  bytesPerPeerMax: 16 * ENVELOPE_BYTES_MAX,
  bytesMax: 128 * ENVELOPE_BYTES_MAX,
  pingIntervalMs: 15_000,
  pingTimeoutMs: 45_000,
  idleTimeoutMs: 45_000,
};
