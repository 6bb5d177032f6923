/**
 * The transport port over libp2p: dials, listens, and moves envelopes between authenticated peers.
 * Not here: what an envelope says, whom to dial and when (core), the network's bounds (limits.ts).
 * Source: protocol 01 §5, §9.1.
 */
import type { LookupFunction } from "node:net";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { TransportEvents, TransportPort } from "../../core/ports/transport.ts";
import type { Carriers } from "./addresses.ts";
import { announcedAddresses, parseAnnouncedAddress, parseDialAddress, parseListenAddress } from "./addresses.ts";
import { ByteBudget } from "./byte-budget.ts";
import type { RefusalCause } from "./connections.ts";
import { ConnectionTable } from "./connections.ts";
import type { SetDeadline } from "./deadlines.ts";
import { setRealDeadline } from "./deadlines.ts";
import { Inbox } from "./inbox.ts";
import type { TransportLimits } from "./limits.ts";
import { TRANSPORT_LIMITS } from "./limits.ts";
import { ENVELOPE_PROTOCOL, Outbox } from "./outbox.ts";
import { answerPings, PING_PROTOCOL, PING_STREAMS_MAX } from "./ping.ts";
import type { Quic } from "./quic.ts";
import type { Stack } from "./stack.ts";
import { createStack, identityOf, STREAMS_PER_CONNECTION_MAX } from "./stack.ts";
import { asError } from "./streams.ts";
import type { Connection, IdentifyResult, PeerId, ReplyHandle, RequestNumber, Result, Stream } from "./types.ts";

const SECRET_KEY_BYTES = 32;

/** Who a node is, where it listens, and who is told. */
export interface Libp2pTransportOptions {
  /** The node's Ed25519 seed: its transport identity. */
  readonly secretKey: Uint8Array;
  /** Multiaddrs; none makes a node that only dials. */
  readonly listen: readonly string[];
  /** Multiaddrs at which the operator knows this node to be reachable. */
  readonly announce?: readonly string[];
  readonly events: TransportEvents;
  /** Adds the in-process transport: addresses `/memory/NAME`. */
  readonly memory?: true;
  /** Adds QUIC: addresses `/ip4/HOST/udp/PORT/quic-v1`. What `loadQuic` gives. */
  readonly quic?: Quic | undefined;
  readonly limits?: Partial<TransportLimits>;
  /** Whose clock says that a request's time is over; the machine's unless said. */
  readonly setDeadline?: SetDeadline;
  /** Who tells the addresses of a name, anew for each dial; the machine's resolver unless said. */
  readonly lookup?: LookupFunction;
}

/** Why a transport could not be opened. */
export interface TransportOpenFailure {
  readonly code: "bad-key" | "bad-address" | "cannot-listen";
  /** One line. */
  readonly reason: string;
}

/** The port, and what a process that runs several of them side by side needs to know. */
export interface OpenedTransport extends TransportPort {
  readonly peer: PeerId;
  /** Connected peers. */
  peers(): readonly PeerId[];
  /** Dials, requests and partings that are not over. */
  unfinished(): number;
  /** A peer brought a statement that this node did not hold: its link is worth keeping when places are full. */
  brought(peer: PeerId): void;
  counts(): TransportCounts;
}

/** Connections as they are, and since the transport was opened those refused, by cause, and those closed for others. */
export interface TransportCounts {
  readonly inbound: number;
  readonly outbound: number;
  readonly refused: Readonly<Record<RefusalCause, number>>;
  readonly evicted: number;
}

/** Binds the addresses and starts to answer. */
export async function openLibp2pTransport(
  options: Libp2pTransportOptions,
): Promise<Result<OpenedTransport, TransportOpenFailure>> {
  if (options.secretKey.length !== SECRET_KEY_BYTES) return refusal("bad-key", "a secret key is 32 bytes");
  const identity = await identityOf(options.secretKey);
  const memory = options.memory === true;
  const carriers: Carriers = { memory, quic: options.quic !== undefined };
  const listen = all(options.listen.map((text) => parseListenAddress(text, carriers)));
  if (!listen.ok) return refusal("bad-address", listen.error);
  const declared = all((options.announce ?? []).map((text) => parseAnnouncedAddress(text, identity.peer, carriers)));
  if (!declared.ok) return refusal("bad-address", declared.error);
  const limits: TransportLimits = { ...TRANSPORT_LIMITS, ...options.limits };
  const connections = new ConnectionTable(limits);
  const dials = new Map<string, PeerId>();
  const refused = { address: 0, subnet: 0, places: 0, connections: 0, parting: 0 };
  const stack = await createStack({
    identity,
    listen: listen.value,
    declared: declared.value,
    memory,
    quic: options.quic,
    limits,
    lookup: options.lookup,
    refuseInbound(from) {
      const cause = connections.refusalFor(from);
      if (cause !== undefined) refused[cause] += 1;
      return cause !== undefined;
    },
    isExpected: (peer) => [...dials.values()].includes(peer),
  });
  const { peer } = identity;
  const parts: Parts = { peer, carriers, limits, connections, dials, stack, declared: declared.value, refused };
  const transport = new Libp2pTransport(options, parts);
  try {
    await transport.start();
  } catch (error) {
    return refusal("cannot-listen", `cannot listen on ${options.listen.join(", ")}: ${rootCause(asError(error))}`);
  }
  return { ok: true, value: transport };
}

interface Parts {
  readonly peer: PeerId;
  readonly carriers: Carriers;
  readonly limits: TransportLimits;
  readonly connections: ConnectionTable;
  /** Dials under way: the address as it was given, and the peer expected there. */
  readonly dials: Map<string, PeerId>;
  readonly stack: Stack;
  readonly declared: readonly Multiaddr[];
  readonly refused: Record<RefusalCause, number>;
}

class Libp2pTransport implements OpenedTransport {
  readonly #options: Libp2pTransportOptions;
  readonly #parts: Parts;
  readonly #outbox: Outbox;
  readonly #inbox: Inbox;
  readonly #partings = new Map<PeerId, Promise<void>>();
  /** Addresses under way whose connection a bound refused. */
  readonly #refusedDials = new Set<string>();
  readonly #closings: (() => void)[] = [];
  /** Round trips of pings as they were last told. */
  readonly #told = new Map<PeerId, number>();
  #evicted = 0;
  #phase: "open" | "closing" | "closed" = "open";
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: Libp2pTransportOptions, parts: Parts) {
    this.#options = options;
    this.#parts = parts;
    const { limits, connections } = parts;
    const incoming = new ByteBudget(limits.bytesMax, limits.bytesPerPeerMax);
    const { setDeadline = setRealDeadline } = options;
    const answers = new ByteBudget(limits.bytesMax, limits.bytesPerPeerMax);
    this.#inbox = new Inbox({ limits, setDeadline, incoming, answers, received: options.events.received });
    this.#outbox = new Outbox({
      limits,
      setDeadline,
      incoming,
      outgoing: new ByteBudget(limits.bytesMax, limits.bytesPerPeerMax),
      connectionTo: (to) => connections.newest(to),
      verdict: (to, request, result) => {
        if (result.ok) options.events.answered(to, request, result.value);
        else options.events.failed(to, request, result.error);
      },
    });
  }

  get peer(): PeerId {
    return this.#parts.peer;
  }

  async start(): Promise<void> {
    const { limits, stack } = this.#parts;
    const { node, forgetStrangers } = stack;
    node.addEventListener("connection:open", (event) => this.#onOpen(event.detail));
    node.addEventListener("connection:close", (event) => this.#onClose(event.detail));
    node.addEventListener("peer:identify", (event) => this.#onIdentified(event.detail));
    await node.handle(PING_PROTOCOL, answerPings, {
      maxInboundStreams: PING_STREAMS_MAX,
      maxOutboundStreams: PING_STREAMS_MAX,
    });
    await node.handle(ENVELOPE_PROTOCOL, (stream, connection) => this.#onStream(stream, connection), {
      maxInboundStreams: limits.inboundStreamsPerConnectionMax,
      maxOutboundStreams: STREAMS_PER_CONNECTION_MAX,
    });
    await node.start();
    this.#sweep = setInterval(() => {
      this.#tellPings();
      // A peer that leaves while its record is being written leaves the record behind; the next sweep takes it.
      forgetStrangers().catch(() => {});
    }, limits.pingIntervalMs).unref();
  }

  addresses(): readonly string[] {
    return announcedAddresses(this.#parts.declared, this.#parts.stack.bound(), this.peer);
  }

  peers(): readonly PeerId[] {
    return this.#parts.connections.peers;
  }

  brought(peer: PeerId): void {
    this.#parts.connections.brought(peer);
  }

  counts(): TransportCounts {
    const { connections, refused } = this.#parts;
    const [inbound, outbound] = [connections.count("inbound"), connections.count("outbound")];
    return { inbound, outbound, refused: { ...refused }, evicted: this.#evicted };
  }

  unfinished(): number {
    const closing = this.#phase === "closing" ? 1 : 0;
    const { connections, dials } = this.#parts;
    return dials.size + connections.parting + this.#outbox.unfinished + this.#inbox.unfinished + closing;
  }

  dial(address: string): void {
    const parsed = parseDialAddress(address, this.#parts.carriers);
    if (!parsed.ok) return this.#dialFailed(address, parsed.error);
    const { peer } = parsed.value;
    if (peer === this.peer) return this.#dialFailed(address, `${address}: this node itself`);
    const { connections, dials, limits } = this.#parts;
    if (this.#phase !== "open" || dials.has(address)) return;
    if (connections.has(peer) && !connections.isParting(peer)) return;
    const crowded = connections.full || dials.size >= limits.dialsMax;
    if (crowded) return this.#dialFailed(address, `${address}: too many connections`);
    dials.set(address, peer);
    // A dial that a bound refused was told when its connection was; that it broke then is no more news.
    const over = () => dials.delete(address) && !this.#refusedDials.delete(address);
    this.#connect(parsed.value.address, peer).then(over, (error: unknown) => {
      if (over()) this.#dialFailed(address, `${address}: ${rootCause(asError(error))}`);
    });
  }

  disconnect(peer: PeerId): void {
    if (this.#parts.connections.part(peer)) this.#partings.set(peer, this.#part(peer));
  }

  send(to: PeerId, request: RequestNumber, bytes: Uint8Array): void {
    if (this.#phase === "open") return this.#outbox.send(to, request, bytes);
    queueMicrotask(() => this.#options.events.failed(to, request, "transport closed"));
  }

  reply(replyTo: ReplyHandle, bytes: Uint8Array): void {
    this.#inbox.reply(replyTo, bytes);
  }

  /** Requests without an answer fail, then `done`; nothing else is told from now on. */
  close(done: () => void): void {
    if (this.#phase === "closed") return queueMicrotask(done);
    this.#closings.push(done);
    if (this.#phase === "closing") return;
    this.#phase = "closing";
    clearInterval(this.#sweep);
    void this.#shutDown();
  }

  async #shutDown(): Promise<void> {
    await null;
    this.#outbox.abandon("transport closed");
    this.#inbox.abandon();
    const { connections } = this.#parts;
    await Promise.all(connections.peers.flatMap((peer) => connections.all(peer)).map(hangUp));
    try {
      await this.#parts.stack.stop();
    } catch {
      // A library that stumbles while it stops has stopped all the same.
    }
    this.#phase = "closed";
    for (const done of this.#closings.splice(0)) done();
  }

  async #connect(address: Multiaddr, peer: PeerId): Promise<void> {
    await this.#partings.get(peer);
    await this.#parts.stack.node.dial(address);
  }

  #dialFailed(address: string, reason: string): void {
    queueMicrotask(() => {
      if (this.#phase === "open") this.#options.events.unreachable(address, reason);
    });
  }

  async #part(peer: PeerId): Promise<void> {
    await null;
    this.#outbox.abandon("disconnected", peer);
    this.#inbox.abandon(peer);
    await Promise.all(this.#parts.connections.all(peer).map(hangUp));
    this.#partings.delete(peer);
  }

  #onOpen(connection: Connection): void {
    // The library also announces connections that broke during their handshake; those never say that they close.
    if (connection.status !== "open") return;
    if (this.#phase !== "open") return connection.abort(new Error("transport closed"));
    const peer = peerOf(connection);
    const taken = this.#parts.connections.add(peer, connection);
    if (taken.admission === "refused") {
      this.#parts.refused[taken.cause] += 1;
      return this.#refuse(peer, connection);
    }
    for (const old of taken.evicted) {
      if (peerOf(old) !== peer) this.#evicted += 1;
      old.abort(new Error("superseded"));
    }
    if (taken.admission !== "first") return;
    const address = connection.direction === "outbound" ? connection.remoteAddr.toString() : null;
    this.#options.events.connected(peer, address);
  }

  /** A connection that a bound refuses; a dial of this node's own that led to it led nowhere. */
  #refuse(peer: PeerId, connection: Connection): void {
    connection.abort(new Error("too many connections"));
    if (connection.direction !== "outbound") return;
    for (const [address, expected] of this.#parts.dials) {
      if (expected !== peer || this.#refusedDials.has(address)) continue;
      this.#refusedDials.add(address);
      this.#dialFailed(address, `${address}: too many connections`);
    }
  }

  /** Tells what the library's pings took since it was last told. */
  #tellPings(): void {
    if (this.#phase !== "open") return;
    const { connections } = this.#parts;
    for (const peer of connections.peers) {
      const rtt = connections.newest(peer)?.rtt;
      if (rtt === undefined || this.#told.get(peer) === rtt) continue;
      this.#told.set(peer, rtt);
      this.#options.events.measured(peer, Math.round(rtt));
    }
    for (const peer of this.#told.keys()) if (!connections.has(peer)) this.#told.delete(peer);
  }

  #onClose(connection: Connection): void {
    const peer = peerOf(connection);
    if (!this.#parts.connections.remove(peer, connection)) return;
    this.#outbox.abandon("connection lost", peer);
    this.#inbox.abandon(peer);
    if (this.#phase === "open") this.#options.events.disconnected(peer);
  }

  /** A peer said where it sees this node; where it dialled this node itself, that is what it chose to dial. */
  #onIdentified({ connection, observedAddr }: IdentifyResult): void {
    const peer = peerOf(connection);
    const known = this.#parts.connections.all(peer).includes(connection) && connection.direction === "outbound";
    if (this.#phase === "open" && known && observedAddr !== undefined)
      this.#options.events.observed(peer, observedAddr.toString());
  }

  #onStream(stream: Stream, connection: Connection): void {
    const peer = peerOf(connection);
    const known = this.#parts.connections.all(peer).includes(connection) && !this.#parts.connections.isParting(peer);
    if (this.#phase === "open" && known) this.#inbox.accept(peer, stream);
    else stream.abort(new Error("not connected"));
  }
}

/** Closes politely, or cuts the connection when that takes longer than the library's second. */
async function hangUp(connection: Connection): Promise<void> {
  try {
    await connection.close();
  } catch (error) {
    connection.abort(asError(error));
  }
}

function peerOf(connection: Connection): PeerId {
  return connection.remotePeer.toString() as PeerId;
}

function all<T>(results: readonly Result<T, string>[]): Result<readonly T[], string> {
  const values: T[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    values.push(result.value);
  }
  return { ok: true, value: values };
}

function refusal(code: TransportOpenFailure["code"], reason: string): Result<never, TransportOpenFailure> {
  return { ok: false, error: { code, reason } };
}

/** One line: the operating system's word where there is one, else the library's. */
function rootCause(error: Error): string {
  if (error.name === "ConnectionInterceptedError") return "answered by another peer";
  const texts = error instanceof AggregateError ? error.errors.map((inner) => asError(inner).message) : [error.message];
  const text = texts.join("; ");
  return /\bE[A-Z]{3,}\b[^\n]*/.exec(text)?.[0] ?? /[^\n]+/.exec(text)?.[0] ?? error.name;
}
