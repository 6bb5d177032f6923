/**
 * The WebSocket side of a server: one set of subscriptions a client. A client that does not read what it is sent is
 * cut off. Source: Solana's RPC PubSub.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { RawData } from "ws";
import { WebSocket, WebSocketServer } from "ws";
import type { ServerConditions } from "./conditions.ts";
import { conductToward } from "./conditions.ts";
import { answerText, readBody } from "./json-rpc.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { openExecutedFeed, openSubscriptions } from "./subscriptions.ts";
import type { ChainView } from "./view.ts";

/** Clients at once, bytes of one message, and bytes that a client may leave unread. Source: DESIGN L10. */
const CLIENTS_MAX = 256;
const MESSAGE_BYTES_MAX = 51_200;
const UNREAD_BYTES_MAX = 8_388_608;

export interface PubSub {
  readonly upgrade: (request: IncomingMessage, line: Duplex, head: Buffer) => void;
  /** Tells everybody what came of the chain's move. */
  moved(): void;
  /** Clients that have subscribed to anything. */
  listeners(): number;
  close(): void;
}

export function openPubSub(view: () => ChainView, conditions: () => ServerConditions): PubSub {
  const server = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_BYTES_MAX });
  const feed = openExecutedFeed(view());
  const clients = new Map<WebSocket, Subscriptions>();
  const send = (socket: WebSocket, text: string) => {
    if (socket.bufferedAmount > UNREAD_BYTES_MAX) return socket.terminate();
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
  };
  const serves = () => conductToward(conditions(), ["subscriptions"]) === "serves";
  const receive = (socket: WebSocket, subscriptions: Subscriptions, data: RawData) => {
    const body = readBody(String(data));
    if (!body.ok) return send(socket, answerText(null, body));
    for (const request of body.value.requests) {
      if (!request.ok) send(socket, answerText(null, request));
      else if (request.value.id !== undefined) {
        const { id, method, params } = request.value;
        send(socket, answerText(id, subscriptions.call(view(), method, params)));
      }
    }
    // What has already come true is told at once.
    for (const text of subscriptions.moved(view(), nothingExecuted)) send(socket, text);
  };
  return {
    upgrade(request, line, head) {
      if (clients.size >= CLIENTS_MAX || !serves()) return void line.destroy();
      server.handleUpgrade(request, line, head, (socket) => {
        const subscriptions = openSubscriptions();
        clients.set(socket, subscriptions);
        socket.on("message", (data) => receive(socket, subscriptions, data));
        socket.on("close", () => clients.delete(socket));
        socket.on("error", () => socket.terminate());
      });
    },
    moved() {
      const now = view();
      const executed = feed.next(now);
      if (!serves()) {
        if (conditions().conduct === "cuts") for (const socket of clients.keys()) socket.terminate();
        return;
      }
      for (const [socket, subscriptions] of clients) {
        for (const text of subscriptions.moved(now, executed)) send(socket, text);
      }
    },
    listeners: () => [...clients.values()].filter((subscriptions) => subscriptions.count() > 0).length,
    close() {
      for (const socket of clients.keys()) socket.terminate();
      server.close();
    },
  };
}

const nothingExecuted = { processed: [], confirmed: [], finalized: [] };
