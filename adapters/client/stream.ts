/**
 * The `/ws` stream as the typed client reads it: one message for each send that a node accepted.
 * Source: protocol 01 §10.6, W13.
 */

import type { Methods } from "../../core/index.ts";
import { decodeJson, isObject, methods, parseJson } from "../../core/index.ts";

/** A send that a node accepted. */
export interface StreamMessage {
  readonly method: keyof Methods;
  readonly result: unknown;
}

/** Which node to listen to, and who listens. */
export interface StreamOptions {
  /** Where the stream is served, e.g. `ws://127.0.0.1:7080/ws`. */
  readonly url: string;
  readonly message: (message: StreamMessage) => void;
  /** From here on nothing is missed. */
  readonly opened?: () => void;
  /** The stream ended; on code 1013 messages were lost, so read again what matters. */
  readonly closed?: (code: number) => void;
  /** The runtime's own unless given. */
  readonly WebSocket?: typeof WebSocket;
}

/** Opens the stream; the answer closes it. Messages of methods that this client does not know are passed over. */
export function openStream(options: StreamOptions): () => void {
  const socket = new (options.WebSocket ?? WebSocket)(options.url);
  socket.onopen = () => options.opened?.();
  socket.onmessage = ({ data }) => {
    const message = typeof data === "string" ? decodeMessage(data) : undefined;
    if (message !== undefined) options.message(message);
  };
  socket.onclose = ({ code }) => options.closed?.(code);
  return () => socket.close();
}

function decodeMessage(text: string): StreamMessage | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const method = parsed.value.members.get("method");
  const row = typeof method === "string" && Object.hasOwn(methods, method) ? methods[method] : undefined;
  const decoded = row && decodeJson(row.result, parsed.value.members.get("result") ?? null);
  return decoded?.ok ? { method: method as keyof Methods, result: decoded.value.value } : undefined;
}
