/**
 * The `/ws` stream as the typed client reads it: one message for each send that a node accepted.
 * Source: protocol 01 §10.6, W13.
 */

import type { Methods } from "../../core/index.ts";
import { decodeJson, isObject, methods, parseJson } from "../../core/index.ts";

/** Silence after which a node is asked whether it is there, in milliseconds. Source: ours; protocol 01 §10.6. */
const QUIET_MS = 30_000;
/** How long it has to answer, in milliseconds. Source: ours; protocol 01 §10.6. */
const ANSWER_MS = 10_000;
/** What the question is. Source: protocol 01 §10.6. */
const PING = "ping";
/** The code of a stream that ended without a word. Source: RFC 6455 §7.4.1. */
const ENDED_SILENTLY = 1006;

/** A send that a node accepted. */
export interface StreamMessage {
  readonly method: keyof Methods;
  readonly result: unknown;
}

/** What a stream needs of a socket: a browser's, a runtime's own, and the one of the package `ws` have it. */
export interface StreamSocket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** Which node to listen to, and who listens. */
export interface StreamOptions {
  /** Where the stream is served, e.g. `ws://127.0.0.1:7080/ws`. */
  readonly url: string;
  readonly message: (message: StreamMessage) => void;
  /** From here on nothing is missed. */
  readonly opened?: () => void;
  /**
   * The stream ended; on code 1013 messages were lost, so read again what matters. On 1006 it broke: so does one on
   * which nothing came for half a minute, nor an answer to the question that follows.
   */
  readonly closed?: (code: number) => void;
  /** The runtime's own unless given. Node.js has one from 22 on; before that, give the one of the package `ws`. */
  readonly WebSocket?: new (
    url: string,
  ) => StreamSocket;
  /** Does something after so many milliseconds, unless the answer calls it off; the runtime's timer unless given. */
  readonly after?: (ms: number, act: () => void) => () => void;
}

/** Opens the stream; the answer closes it. Messages of methods that this client does not know are passed over. */
export function openStream(options: StreamOptions): () => void {
  const after = options.after ?? afterTimeout;
  const socket = new (options.WebSocket ?? runtimeSocket())(options.url);
  let isOpen = false;
  let over = false;
  let left = false;
  let callOff = after(QUIET_MS, ask);

  /** Whatever comes shows that the other end is there; a connection cut in the middle brings nothing for hours. */
  function received(): void {
    callOff();
    if (!over && !left) callOff = after(QUIET_MS, ask);
  }

  function ask(): void {
    if (!isOpen) return broken();
    socket.send(PING);
    callOff = after(ANSWER_MS, broken);
  }

  function broken(): void {
    socket.close();
    ended(ENDED_SILENTLY);
  }

  function ended(code: number): void {
    if (over) return;
    over = true;
    callOff();
    options.closed?.(code);
  }

  socket.onopen = () => {
    isOpen = true;
    received();
    options.opened?.();
  };
  socket.onmessage = ({ data }: { readonly data: unknown }) => {
    if (over || left) return;
    received();
    const message = typeof data === "string" ? decodeMessage(data) : undefined;
    if (message !== undefined) options.message(message);
  };
  socket.onclose = ({ code }: { readonly code: number }) => ended(code);
  // Its end follows. A socket of the package `ws` ends the process where nobody takes its errors.
  socket.onerror = () => undefined;
  return () => {
    left = true;
    callOff();
    socket.close();
  };
}

function runtimeSocket(): new (url: string) => StreamSocket {
  const { WebSocket: own } = globalThis as { readonly WebSocket?: new (url: string) => StreamSocket };
  if (own === undefined)
    throw new TypeError("this runtime has no WebSocket: give one, such as the one of the package ws");
  return own;
}

function afterTimeout(ms: number, act: () => void): () => void {
  const timeout = setTimeout(act, ms);
  return () => clearTimeout(timeout);
}

function decodeMessage(text: string): StreamMessage | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const method = parsed.value.members.get("method");
  const row = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined;
  const decoded = row && decodeJson(row.result, parsed.value.members.get("result") ?? null);
  return decoded?.ok ? { method: method as keyof Methods, result: decoded.value.value } : undefined;
}
