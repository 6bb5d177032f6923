/**
 * The libp2p node under the transport: TCP, Noise, Yamux, identify and ping, and `@libp2p/memory` where asked for.
 * Source: protocol 01 §5.1, §5.2.
 */
import "./promise-with-resolvers.ts";
import type { LookupFunction } from "node:net";
import { generateKeyPairFromSeed } from "@libp2p/crypto/keys";
import { identify, identifyPush } from "@libp2p/identify";
import { memory } from "@libp2p/memory";
import { noise } from "@libp2p/noise";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import type { TCPSocketOptions } from "@libp2p/tcp";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { Libp2p, Libp2pInit } from "libp2p";
import { createLibp2p } from "libp2p";
import { isWildcard } from "./addresses.ts";
import type { TransportLimits } from "./limits.ts";
import { ENVELOPE_BYTES_MAX } from "./limits.ts";
import type { Quic } from "./quic.ts";
import type { PeerId } from "./types.ts";

export const AGENT_VERSION = "openfiat/0.1.0";
/** The protocol version field of identify. Source: protocol 01 §5.2. */
export const IDENTIFY_VERSION = "/openfiat/id/1.0.0";

/**
 * Streams of one connection whatever their protocol; envelopes have their own, smaller bound. Source: DESIGN "Bounds".
 */
export const STREAMS_PER_CONNECTION_MAX = 256;
/**
 * Receive window of a stream, the protocol's initial one for good. Growing, the library sends a window update for a
 * stream whose connection broke in the tick that opened it, and the exception of that is caught by nobody.
 */
const STREAM_WINDOW_BYTES = 262_144;
/** Receive window of a whole QUIC connection: streams share it, so that one peer holds little memory outside ours. */
const QUIC_WINDOW_BYTES = 2 * ENVELOPE_BYTES_MAX;
/** Unread bytes of one stream: an envelope, its prefix and what negotiation leaves. Source: DESIGN "Bounds". */
const UNREAD_BYTES_MAX = ENVELOPE_BYTES_MAX + 65_536;

export interface TransportIdentity {
  readonly peer: PeerId;
  readonly privateKey: NonNullable<Libp2pInit["privateKey"]>;
}

export interface StackOptions {
  readonly identity: TransportIdentity;
  readonly listen: readonly Multiaddr[];
  readonly declared: readonly Multiaddr[];
  readonly memory: boolean;
  /** Where its module loads. */
  readonly quic: Quic | undefined;
  readonly limits: TransportLimits;
  /** Who tells the addresses of a name, anew for each dial; the machine's resolver unless said. */
  readonly lookup?: LookupFunction | undefined;
  /** Whether a connection from outside, from this address, is refused before its handshake. */
  readonly refuseInbound: (from: Multiaddr) => boolean;
  /** Whether a dial to this peer is under way; not every transport of the library compares peer and address. */
  readonly isExpected: (peer: PeerId) => boolean;
}

export interface Stack {
  readonly node: Libp2p;
  /** Really bound addresses, wildcards expanded, ports filled in. */
  readonly bound: () => readonly Multiaddr[];
  /** Forgets peers that are no longer connected. */
  readonly forgetStrangers: () => Promise<void>;
  /** Stops the node for good. */
  readonly stop: () => Promise<void>;
}

type Logger = ReturnType<NonNullable<Libp2pInit["logger"]>["forComponent"]>;
type Service<T extends (...options: never) => (components: never) => unknown> = ReturnType<ReturnType<T>>;
type Listener = { getAddrs(): Multiaddr[] };
/** What the library puts off for a second: telling its own addresses to itself, and then to peers. */
type PutOff = { stop(): void };

/** The identity of an Ed25519 seed. Source: protocol 01 §1.2. */
export async function identityOf(seed: Uint8Array): Promise<TransportIdentity> {
  const privateKey = await generateKeyPairFromSeed("Ed25519", seed);
  return { privateKey, peer: peerIdFromPrivateKey(privateKey).toString() as PeerId };
}

/** Builds a node that is not started. */
export async function createStack(options: StackOptions): Promise<Stack> {
  const { limits, quic } = options;
  const patience = { timeout: limits.identifyTimeoutMs };
  const ending = openEnding();
  const node = await createLibp2p({
    start: false,
    privateKey: options.identity.privateKey,
    nodeInfo: { name: "openfiat", version: "0.1.0", userAgent: AGENT_VERSION },
    logger: { forComponent: () => silent },
    addresses: {
      listen: options.listen.map(String),
      appendAnnounce: options.declared.map(String),
      announceFilter: (addresses) => addresses.filter((address) => !isWildcard(address)),
    },
    transports: [
      tcpOf(options),
      ...(quic === undefined ? [] : [quicOf(quic, limits)]),
      ...(options.memory ? [memory()] : []),
    ],
    connectionEncrypters: [noise()],
    streamMuxers: [muxer()],
    connectionManager: {
      // The connection table counts; two counts of one thing would disagree.
      maxConnections: Number.MAX_SAFE_INTEGER,
      maxIncomingPendingConnections: limits.handshakesMax,
      inboundConnectionThreshold: limits.connectionsPerHostAndSecondMax,
      maxParallelDials: limits.dialsMax,
      maxDialQueueLength: limits.dialsMax,
      dialTimeout: limits.dialTimeoutMs,
      addressDialTimeout: limits.dialAddressTimeoutMs,
      inboundUpgradeTimeout: limits.handshakeTimeoutMs,
      inboundStreamProtocolNegotiationTimeout: limits.negotiationTimeoutMs,
      outboundStreamProtocolNegotiationTimeout: limits.negotiationTimeoutMs,
      resolvers: {},
    },
    connectionMonitor: {
      pingInterval: limits.pingIntervalMs,
      pingTimeout: { minTimeout: limits.pingTimeoutMs, maxTimeout: limits.pingTimeoutMs },
    },
    connectionGater: {
      denyInboundConnection: ({ remoteAddr }) => options.refuseInbound(remoteAddr),
      denyInboundEncryptedConnection: (peer) => peer.type !== "Ed25519",
      denyOutboundEncryptedConnection: (peer) => !options.isExpected(peer.toString() as PeerId),
    },
    services: {
      identify: (components) => named(identify(patience)(components)),
      identifyPush: (components) => ending.watched(named(identifyPush(patience)(components)), components),
    },
  });
  return {
    node,
    bound: followListeners(node),
    forgetStrangers: () => forgetStrangers(node),
    stop: () => ending.stop(node),
  };
}

/** The end of a node that leaves no timer behind. */
function openEnding() {
  const putOff: (PutOff | undefined)[] = [];
  let stopped = false;
  return {
    watched(service: Service<typeof identifyPush>, { addressManager }: { readonly addressManager: object }) {
      const { push } = service;
      // What changes while the node stops is told to nobody.
      service.push = () => (stopped ? Promise.resolve() : push.call(service));
      const { _push } = service as { _push?: PutOff };
      putOff.push(_push, (addressManager as { _updatePeerStoreAddresses?: PutOff })._updatePeerStoreAddresses);
      return service;
    },
    async stop(node: Libp2p): Promise<void> {
      stopped = true;
      try {
        await node.stop();
      } finally {
        // Each holds the process for a second, and the one leads to the other.
        for (const each of putOff) each?.stop();
      }
    },
  };
}

function tcpOf({ limits, lookup }: StackOptions): ReturnType<typeof tcp> {
  // The library hands on to the socket what it does not know.
  const dialOpts: TCPSocketOptions & { readonly lookup?: LookupFunction } = lookup === undefined ? {} : { lookup };
  return tcp({
    dialOpts,
    inboundSocketInactivityTimeout: limits.idleTimeoutMs,
    outboundSocketInactivityTimeout: limits.idleTimeoutMs,
    maxConnections: limits.connectionsMax + limits.handshakesMax,
  });
}

/** Windows as over TCP: what QUIC does not hand over stays with the sender. */
function quicOf(quic: Quic, limits: TransportLimits): ReturnType<Quic> {
  return quic({
    handshakeTimeout: limits.dialAddressTimeoutMs,
    maxIdleTimeout: limits.idleTimeoutMs,
    keepAliveInterval: limits.pingIntervalMs,
    maxConcurrentStreamLimit: STREAMS_PER_CONNECTION_MAX,
    maxStreamData: STREAM_WINDOW_BYTES,
    maxConnectionData: QUIC_WINDOW_BYTES,
  });
}

function muxer(): ReturnType<typeof yamux> {
  return yamux({
    maxInboundStreams: STREAMS_PER_CONNECTION_MAX,
    maxOutboundStreams: STREAMS_PER_CONNECTION_MAX,
    streamOptions: { maxReadBufferLength: UNREAD_BYTES_MAX, maxStreamWindowSize: STREAM_WINDOW_BYTES },
  });
}

/** The library derives the field from the stream protocol's prefix, which must stay `ipfs`. */
function named<T extends Service<typeof identify> | Service<typeof identifyPush>>(service: T): T {
  const { host } = service as { host?: { protocolVersion: string } };
  if (host !== undefined) host.protocolVersion = IDENTIFY_VERSION;
  return service;
}

/** The library leaves out public addresses that no outside service confirmed; an operator who binds one means it. */
function followListeners(node: Libp2p): () => readonly Multiaddr[] {
  const listeners = new Set<Listener>();
  node.addEventListener("transport:listening", (event) => listeners.add(event.detail));
  node.addEventListener("transport:close", (event) => listeners.delete(event.detail));
  // TCP first, whichever was bound first: every peer can dial that.
  return () => [...listeners].flatMap((listener) => listener.getAddrs()).sort((a, b) => rank(a) - rank(b));
}

function rank(address: Multiaddr): number {
  return address.getComponents().some(({ name }) => name === "udp") ? 1 : 0;
}

async function forgetStrangers(node: Libp2p): Promise<void> {
  const connected = new Set(node.getPeers().map(String));
  for (const peer of await node.peerStore.all()) {
    if (!connected.has(peer.id.toString())) await node.peerStore.delete(peer.id);
  }
}

const silent: Logger = Object.assign(() => {}, {
  enabled: false,
  error: () => {},
  trace: () => {},
  newScope: () => silent,
});
