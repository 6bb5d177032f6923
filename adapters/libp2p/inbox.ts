/**
 * Requests of peers: each is answered through its handle, or its stream is reset when the time is over.
 * Source: protocol 01 §5.2.
 */
import type { ByteBudget, ByteLease } from "./byte-budget.ts";
import type { SetDeadline } from "./deadlines.ts";
import type { TransportLimits } from "./limits.ts";
import { ENVELOPE_BYTES_MAX } from "./limits.ts";
import { readFrame, writeFrame } from "./streams.ts";
import type { PeerId, ReplyHandle, Stream } from "./types.ts";

export interface InboxOptions {
  readonly limits: TransportLimits;
  readonly setDeadline: SetDeadline;
  /** Memory of requests, until they are over. */
  readonly incoming: ByteBudget;
  /** Memory of answers that their peers have not taken yet; of its own, or who takes none keeps requests back too. */
  readonly answers: ByteBudget;
  readonly received: (from: PeerId, replyTo: ReplyHandle, bytes: Uint8Array) => void;
}

interface Request {
  readonly from: PeerId;
  readonly handle: ReplyHandle;
  readonly stream: Stream;
  readonly leases: readonly [incoming: ByteLease, answers: ByteLease];
  cancelDeadline: () => void;
}

export class Inbox {
  readonly #options: InboxOptions;
  readonly #requests = new Map<ReplyHandle, Request>();
  #handles = 0;

  constructor(options: InboxOptions) {
    this.#options = options;
  }

  /** Requests whose stream is not over. */
  get unfinished(): number {
    return this.#requests.size;
  }

  /** Takes a stream that a peer opened. */
  accept(from: PeerId, stream: Stream): void {
    const { limits, setDeadline, incoming, answers, received } = this.#options;
    if (this.#requests.size >= limits.inboundRequestsMax) return stream.abort(new Error("too many requests"));
    const handle: ReplyHandle = `${++this.#handles}`;
    const leases = [incoming.lease(from), answers.lease(from)] as const;
    const request: Request = { from, handle, stream, leases, cancelDeadline: () => undefined };
    request.cancelDeadline = setDeadline(limits.requestTimeoutMs, () => this.#end(request));
    this.#requests.set(handle, request);
    stream.addEventListener("close", () => this.#end(request));
    readFrame(stream, leases[0], (result) => {
      if (!result.ok) this.#end(request);
      else if (this.#requests.has(handle)) received(from, handle, result.value);
    });
  }

  /**
   * Answers a request; one that is over, or answered, stays as it is. A peer that takes no answers has a few of them
   * kept for it, and the further streams reset.
   */
  reply(handle: ReplyHandle, bytes: Uint8Array): void {
    const request = this.#requests.get(handle);
    if (request === undefined || request.stream.writeStatus !== "writable") return;
    const isTaken = bytes.length <= ENVELOPE_BYTES_MAX && request.leases[1].grow(bytes.length);
    if (!isTaken || !writeFrame(request.stream, bytes)) this.#end(request);
  }

  /** Resets the streams of a peer, or all. */
  abandon(peer?: PeerId): void {
    for (const request of [...this.#requests.values()]) {
      if (peer === undefined || request.from === peer) this.#end(request);
    }
  }

  #end(request: Request): void {
    if (!this.#requests.delete(request.handle)) return;
    request.cancelDeadline();
    for (const lease of request.leases) lease.release();
    if (request.stream.status === "open") request.stream.abort(new Error("request over"));
  }
}
