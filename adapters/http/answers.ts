/**
 * What the server answers by itself: headers that every answer carries, and refusals of calls that never reach
 * the node. Source: protocol 01 §6.1, §10.4, §10.5.
 */
import type { ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyReply } from "fastify";
import { refusalBody } from "../../core/index.ts";

export const JSON_TYPE = "application/json";
export const TEXT_TYPE = "text/plain; charset=utf-8";

/** On every answer, documentation included. Source: protocol 01 §10.5. */
export const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  vary: "origin, access-control-request-method, access-control-request-headers",
} as const;

/** On the answer to OPTIONS. Source: protocol 01 §10.5. */
export const PREFLIGHT_HEADERS = {
  ...CORS_HEADERS,
  "access-control-allow-methods": "*",
  "access-control-allow-headers": "*",
} as const;

/** With 401, for who is not admitted. Source: RFC 6750, section 3. */
export const UNADMITTED_HEADERS = { "www-authenticate": "Bearer" } as const;
export const UNADMITTED_TEXT = "a token is needed: authorization: Bearer TOKEN";

function plainFailure(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
}

/** With 429 for a client above its rate, with 200 when the node's queue is full. Source: protocol 01 §10.4, W14. */
export const RATE_LIMIT_EXCEEDED = refusalBody("RATE_LIMIT_EXCEEDED");
/** With 413. Source: protocol 01 §10.4. */
export const INVALID_PARAMETER = refusalBody("INVALID_PARAMETER");
/** A body that is no text is no JSON. Source: protocol 01 §6.1. */
export const NOT_UTF8 = plainFailure(-32700, "the body is not UTF-8");
/** The call was taken, and the node stopped before it answered. Source: protocol 01 §6.1 ("internal"). */
export const STOPPING = plainFailure(-32603, "the node is stopping");

/** A refusal of a whole request, before the node hears of it. */
export interface Refusal {
  readonly type: string;
  readonly body: string;
}

/** What the server says to a client above its rate, and to one whose body is too large. */
export interface Refusals {
  readonly tooMany: (waitMs: number) => Refusal;
  readonly tooLarge: Refusal;
}

/** Ours: JSON-RPC errors. Source: protocol 01 §10.4. */
export const jsonRefusals: Refusals = {
  tooMany: () => ({ type: JSON_TYPE, body: RATE_LIMIT_EXCEEDED }),
  tooLarge: { type: JSON_TYPE, body: INVALID_PARAMETER },
};

/** The reference's: plain text. Source: protocol 01 §10.4. */
export const plainRefusals: Refusals = {
  tooMany: (waitMs) => ({ type: TEXT_TYPE, body: `Too Many Requests! Wait for ${Math.floor(waitMs / 1000)}s` }),
  tooLarge: { type: TEXT_TYPE, body: "length limit exceeded" },
};

/**
 * Sends a text under exactly this type: to JSON in a string the library adds a charset unless somebody else writes it.
 * As a text it goes out with its head in one piece, and takes no buffer. Not to who is gone.
 */
export function sendText(reply: FastifyReply, type: string, body: string): void {
  if (reply.sent || reply.raw.destroyed) return;
  void reply.header("content-type", type).serializer(asItIs).send(body);
}

function asItIs(body: string): string {
  return body;
}

/** Writes a whole answer where there is no route. Does nothing when the client is gone. */
export function answer(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...CORS_HEADERS, "content-type": type, "content-length": length, ...headers });
  response.end(body);
}

/** Refuses another protocol on a connection, which ends with it. Source: protocol 01 §10.1. */
export function refuseUpgrade(
  socket: Duplex,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = String(Buffer.byteLength(body));
  const all = { ...CORS_HEADERS, ...headers, "content-type": type, "content-length": length, connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  // No time-out holds on it any more, and a client may keep its end open for as long as it likes.
  socket.once("finish", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

/** `retry-after` counts whole seconds and may be 0. Source: protocol 01 §10.4. */
export function waitHeaders(waitMs: number): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(waitMs / 1000));
  return { "retry-after": seconds, "x-ratelimit-after": seconds };
}
