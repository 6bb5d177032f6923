/**
 * GET /ws: what the node publishes, to everyone who listens. Of what a subscriber sends a `ping` alone is read, and
 * answered; one that does not keep up is closed with 1013, so that it knows to read again.
 * Source: protocol 01 §10.6, W13.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import type { ApiPort } from "../../core/ports/http.ts";
import { refuseUpgrade, TEXT_TYPE } from "./answers.ts";
import type { ApiLimits } from "./limits.ts";
import { openShares } from "./shares.ts";

export type Scope = "own" | "all";

/** A handshake, whose it is, and what it wants to follow. */
export interface StreamOffer {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly scope: Scope;
  readonly client: string;
}

export interface Streams {
  /** Whether one more subscriber of a client is taken. */
  readonly belowLimit: (client: string) => boolean;
  /** Completes the handshake of a client that may listen. */
  readonly accept: (offer: StreamOffer) => void;
  readonly publish: ApiPort["publish"];
  readonly subscribers: () => number;
  /** Says goodbye to everyone and takes nobody more. */
  readonly stop: () => void;
  /** Cuts whoever has not said goodbye. */
  readonly cut: () => void;
}

type StreamLimits = Pick<
  ApiLimits,
  | "subscribersMax"
  | "clientSubscribersMax"
  | "subscriberMessagesMax"
  | "subscriberBytesMax"
  | "streamMessagesMax"
  | "heartbeatMs"
>;

/** Messages that all subscribers are behind. */
interface Backlog {
  messages: number;
}

/** Close codes. Source: RFC 6455 §7.4.1 and its IANA registry (1013 "try again later"). */
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;
/** With the refusal of a handshake that is none. Source: RFC 6455 §4.4. */
const VERSION_HEADERS = { "sec-websocket-version": "13" } as const;
/** What a subscriber may ask, and what answers it: no message of a method. Source: protocol 01 §10.6. */
const PING = Buffer.from("ping");
const PONG = Buffer.from('{"method":"pong"}');
/** The largest frame a subscriber may send; it is thrown away, larger ones end the stream with 1009. */
const INBOUND_BYTES_MAX = 64 * 1024;

/** Takes subscribers until `stop`. */
export function openStreams(limits: StreamLimits): Streams {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: INBOUND_BYTES_MAX,
  });
  server.on("wsClientError", ({ message }, socket) => refuseUpgrade(socket, 400, TEXT_TYPE, message, VERSION_HEADERS));
  /** Whoever is closing still holds memory, so it counts until its connection is gone. */
  const connected = new Set<Subscriber>();
  const listening = (): readonly Subscriber[] => [...connected].filter((subscriber) => subscriber.listens);
  const byClient = openShares(limits.clientSubscribersMax);
  const backlog: Backlog = { messages: 0 };
  let stopped = false;
  const heartbeat = setInterval(() => {
    for (const subscriber of connected) subscriber.ask();
  }, limits.heartbeatMs).unref();

  return {
    belowLimit: (client) => !stopped && connected.size < limits.subscribersMax && byClient.below(client),
    accept: ({ request, socket, head, scope, client }) => {
      server.handleUpgrade(request, socket, head, (accepted) => {
        const subscriber = new Subscriber(accepted, scope, limits, backlog);
        connected.add(subscriber);
        const giveBack = byClient.take(client);
        accepted.on("close", () => {
          connected.delete(subscriber);
          giveBack();
        });
      });
    },
    publish: (source, message) => {
      if (connected.size === 0) return;
      const bytes = Buffer.from(message, "utf8");
      for (const subscriber of connected) {
        if (source === "own" || subscriber.scope === "all") subscriber.send(bytes);
      }
    },
    subscribers: () => listening().length,
    stop: () => {
      stopped = true;
      clearInterval(heartbeat);
      for (const subscriber of listening()) subscriber.leave(GOING_AWAY, "the node is stopping");
    },
    cut: () => {
      for (const subscriber of connected) subscriber.cut();
    },
  };
}

/** One connection, and how far it is behind. */
class Subscriber {
  readonly scope: Scope;
  readonly #socket: WebSocket;
  readonly #limits: StreamLimits;
  readonly #backlog: Backlog;
  /** Messages handed over and not yet taken by the operating system. */
  #behind = 0;
  #alive = true;

  constructor(socket: WebSocket, scope: Scope, limits: StreamLimits, backlog: Backlog) {
    this.#socket = socket;
    this.#backlog = backlog;
    this.scope = scope;
    this.#limits = limits;
    socket.on("error", () => socket.terminate());
    socket.on("pong", () => {
      this.#alive = true;
    });
    // Clients in browsers see no pings of the protocol, and can send none: theirs is a text.
    socket.on("message", (data, isBinary) => {
      if (!isBinary && data instanceof Buffer && data.equals(PING)) this.send(PONG);
    });
    // Pings are answered by the library. Answers that nobody takes pile up like messages do.
    socket.on("ping", () => {
      if (socket.bufferedAmount > limits.subscriberBytesMax) socket.terminate();
    });
  }

  /** Whether it is still to be sent something. */
  get listens(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(message: Buffer): void {
    if (!this.listens) return;
    if (this.#isTooSlow(message.length)) return this.leave(TRY_AGAIN_LATER, "too slow: read again what you follow");
    this.#behind += 1;
    this.#backlog.messages += 1;
    this.#socket.send(message, { binary: false }, () => {
      this.#behind -= 1;
      this.#backlog.messages -= 1;
    });
  }

  #isTooSlow(bytes: number): boolean {
    const { subscriberMessagesMax, subscriberBytesMax, streamMessagesMax, subscribersMax } = this.#limits;
    if (this.#behind + 1 > subscriberMessagesMax) return true;
    if (this.#socket.bufferedAmount + bytes > subscriberBytesMax) return true;
    return this.#backlog.messages >= streamMessagesMax && this.#behind + 1 > streamMessagesMax / subscribersMax;
  }

  /** Asks whether it is there, and drops it when it did not answer since the last time. */
  ask(): void {
    if (!this.#alive) return this.cut();
    this.#alive = false;
    if (this.listens) this.#socket.ping();
  }

  leave(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  cut(): void {
    this.#socket.terminate();
  }
}
