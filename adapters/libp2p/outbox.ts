/**
 * Requests this node sends: each ends in exactly one verdict, whatever becomes of peer, stream or answer.
 * Source: protocol 01 §5.2.
 */
import type { ByteBudget, ByteLease } from "./byte-budget.ts";
import type { SetDeadline } from "./deadlines.ts";
import type { TransportLimits } from "./limits.ts";
import { ENVELOPE_BYTES_MAX } from "./limits.ts";
import type { ReadFailure } from "./streams.ts";
import { asError, readFrame, writeFrame } from "./streams.ts";
import type { Connection, PeerId, RequestNumber, Result, SendFailure, Stream } from "./types.ts";

export const ENVELOPE_PROTOCOL = "/openfiat/envelope/1.0.0";

export interface OutboxOptions {
  readonly limits: TransportLimits;
  readonly setDeadline: SetDeadline;
  /** Memory of requests not yet written. */
  readonly outgoing: ByteBudget;
  /** Memory of answers not yet whole; shared with requests from peers. */
  readonly incoming: ByteBudget;
  readonly connectionTo: (peer: PeerId) => Connection | undefined;
  readonly verdict: (to: PeerId, request: RequestNumber, result: Result<Uint8Array, SendFailure>) => void;
}

interface Exchange {
  readonly to: PeerId;
  readonly request: RequestNumber;
  readonly bytes: Uint8Array;
  readonly leases: readonly [outgoing: ByteLease, incoming: ByteLease];
  readonly patience: AbortController;
  cancelDeadline: () => void;
  stream: Stream | undefined;
  decided: boolean;
}

/** A peer's requests: on the wire, and waiting for their turn. */
interface Lane {
  readonly open: Set<Exchange>;
  readonly waiting: Exchange[];
}

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #lanes = new Map<PeerId, Lane>();
  #undecided = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Requests without a verdict. */
  get undecided(): number {
    return this.#undecided;
  }

  /** Requests with a verdict whose stream is not over yet, and those without one. */
  get unfinished(): number {
    let count = this.#undecided;
    for (const lane of this.#lanes.values()) for (const exchange of lane.open) if (exchange.decided) count++;
    return count;
  }

  /** Takes a request; its verdict comes later, never during the call. */
  send(to: PeerId, request: RequestNumber, bytes: Uint8Array): void {
    const { limits, setDeadline, outgoing, incoming } = this.#options;
    this.#undecided++;
    if (bytes.length > ENVELOPE_BYTES_MAX) return this.#refuse(to, request, "envelope too large");
    if (this.#options.connectionTo(to) === undefined) return this.#refuse(to, request, "not connected");
    const lane = this.#laneOf(to);
    const lease = outgoing.lease(to);
    const crowded = lane.open.size + lane.waiting.length >= limits.outboundRequestsPerPeerMax;
    if (crowded || !lease.grow(bytes.length)) return this.#refuse(to, request, "too many unanswered requests");
    const exchange: Exchange = {
      to,
      request,
      bytes,
      leases: [lease, incoming.lease(to)],
      patience: new AbortController(),
      cancelDeadline: () => undefined,
      stream: undefined,
      decided: false,
    };
    const late = () => this.#end(exchange, "no answer in time");
    exchange.cancelDeadline = setDeadline(limits.requestTimeoutMs, late);
    lane.waiting.push(exchange);
    this.#proceed(to, lane);
  }

  /** Ends every request to a peer, or to all. */
  abandon(reason: SendFailure, peer?: PeerId): void {
    const lanes = peer === undefined ? [...this.#lanes.values()] : [this.#lanes.get(peer)];
    for (const lane of lanes) {
      if (lane === undefined) continue;
      for (const exchange of [...lane.waiting.splice(0), ...lane.open]) this.#end(exchange, reason);
    }
  }

  #refuse(to: PeerId, request: RequestNumber, reason: SendFailure): void {
    queueMicrotask(() => {
      this.#undecided--;
      this.#options.verdict(to, request, { ok: false, error: reason });
    });
  }

  #laneOf(peer: PeerId): Lane {
    const known = this.#lanes.get(peer);
    if (known !== undefined) return known;
    const lane: Lane = { open: new Set(), waiting: [] };
    this.#lanes.set(peer, lane);
    return lane;
  }

  #proceed(peer: PeerId, lane: Lane): void {
    while (lane.open.size < this.#options.limits.outboundStreamsPerPeerMax) {
      const next = lane.waiting.shift();
      if (next === undefined) break;
      lane.open.add(next);
      this.#begin(next).catch((error: unknown) => this.#end(next, failureOf(asError(error))));
    }
    if (lane.open.size === 0 && lane.waiting.length === 0 && this.#lanes.get(peer) === lane) this.#lanes.delete(peer);
  }

  async #begin(exchange: Exchange): Promise<void> {
    const connection = this.#options.connectionTo(exchange.to);
    if (connection === undefined) return this.#end(exchange, "not connected");
    const stream = await connection.newStream(ENVELOPE_PROTOCOL, { signal: exchange.patience.signal });
    if (exchange.decided) return stream.abort(new Error("too late"));
    exchange.stream = stream;
    stream.addEventListener("close", () => this.#end(exchange, "connection lost"));
    readFrame(stream, exchange.leases[1], (result) => {
      if (result.ok) this.#decide(exchange, result);
      else this.#end(exchange, readFailureOf(result.error));
    });
    writeFrame(stream, exchange.bytes);
    exchange.leases[0].release();
  }

  /** Tells the verdict. The stream may still have to close, which its time-out bounds. */
  #decide(exchange: Exchange, result: Result<Uint8Array, SendFailure>): void {
    if (exchange.decided) return;
    exchange.decided = true;
    this.#undecided--;
    for (const lease of exchange.leases) lease.release();
    this.#options.verdict(exchange.to, exchange.request, result);
  }

  /** Ends an exchange for good, with a failure if it has no verdict yet, and lets the next one begin. */
  #end(exchange: Exchange, reason: SendFailure): void {
    exchange.cancelDeadline();
    const lane = this.#lanes.get(exchange.to);
    const waitingAt = lane?.waiting.indexOf(exchange) ?? -1;
    if (waitingAt >= 0) lane?.waiting.splice(waitingAt, 1);
    lane?.open.delete(exchange);
    // First, since a stream that is aborted says at once that it has closed, which is no reason of its own.
    this.#decide(exchange, { ok: false, error: reason });
    if (exchange.stream === undefined) exchange.patience.abort();
    else if (exchange.stream.status === "open") exchange.stream.abort(new Error(reason));
    // Not at once: what ends this exchange may be ending the connection, one stream after the other.
    if (lane !== undefined) queueMicrotask(() => this.#proceed(exchange.to, lane));
  }
}

function readFailureOf(failure: ReadFailure): SendFailure {
  switch (failure) {
    case "ended":
      return "connection lost";
    case "no room":
      return "too many unanswered requests";
    case "too large":
    case "more than one frame":
      return "malformed answer";
    default:
      return failure satisfies never;
  }
}

function failureOf(error: Error): SendFailure {
  return error.name === "UnsupportedProtocolError" ? "refused by peer" : "connection lost";
}
