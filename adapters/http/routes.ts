/**
 * Every route of the API server but the stream: what it answers, and which allowance it spends.
 * Source: protocol 01 §10.1, §10.5, §10.7.
 */
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiHandlers } from "../../core/ports/http.ts";
import type { Allowances } from "./allowances.ts";
import { furtherPages } from "./allowances.ts";
import {
  CORS_HEADERS,
  JSON_TYPE,
  PREFLIGHT_HEADERS,
  RATE_LIMIT_EXCEEDED,
  TEXT_TYPE,
  UNADMITTED_HEADERS,
  UNADMITTED_TEXT,
} from "./answers.ts";
import type { Calls } from "./calls.ts";
import type { Check, Refusing } from "./checks.ts";
import { checking } from "./checks.ts";
import type { ClientOf } from "./client-address.ts";
import type { RefusalCounts } from "./counts.ts";
import { docsPage } from "./docs.ts";
import { sendSnapshot, serveContent, serveSnapshot } from "./files.ts";
import type { FixedText } from "./fixed-text.ts";
import { fixedText, sendFixedText } from "./fixed-text.ts";
import type { CallCounts } from "./metrics.ts";
import type { Shares } from "./shares.ts";

/** What the routes need of the server's parts. */
export interface RouteParts extends Refusing {
  readonly handlers: ApiHandlers;
  readonly calls: Calls;
  readonly counts: CallCounts;
  readonly refused: RefusalCounts;
  readonly allowances: Allowances;
  readonly clientOf: ClientOf;
  readonly downloads: Shares;
  readonly admits: (request: IncomingMessage) => boolean;
  readonly forbids: (request: IncomingMessage) => string | undefined;
  readonly snapshotDirectory: string | undefined;
  readonly snapshotFile: ((id: string) => Uint8Array | undefined) | undefined;
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown;

interface Route {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly handler: Handler;
  /** Turns away who asks too much, before anything else is read. */
  readonly onRequest?: Check;
}

/** Adds every route, and what answers to anything else. */
export function addRoutes(app: FastifyInstance, parts: RouteParts): void {
  const aside = checking(parts, parts.allowances.asides, "aside-rate");
  const routes: readonly Route[] = [...pages(parts), ...asides(parts, aside), ...files(parts), callRoute(parts)];
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(CORS_HEADERS);
    const why = parts.forbids(request.raw);
    if (why !== undefined) return aside(request, reply, () => text(reply, 403, why));
    if (request.method === "OPTIONS" || parts.admits(request.raw)) return done();
    aside(request, reply, () => text(reply.headers(UNADMITTED_HEADERS), 401, UNADMITTED_TEXT));
  });
  for (const { method, ...route } of routes) {
    app.route({ ...route, method: method === "GET" ? ["GET", "HEAD"] : method });
  }
  app.setNotFoundHandler((request, reply) => aside(request, reply, () => refuseUnknown(routes, request, reply)));
  // A content type that is none is looked at where there is no route.
  app.setErrorHandler((error: { readonly statusCode?: number }, request, reply) => {
    const isClients = (error.statusCode ?? 500) < 500;
    aside(request, reply, () => (isClients ? refuseUnknown(routes, request, reply) : text(reply, 500, "failed")));
  });
  app.removeAllContentTypeParsers();
  // What a request for a page holds besides is not read; a call is read elsewhere.
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/**
 * A call is read whatever its content type says, and answered in the bytes that the node gave: by the hook that comes
 * before the type is looked at. The route's own handler is never reached.
 */
function callRoute(parts: RouteParts): Route {
  const { serve } = parts.calls;
  const check = checking(parts, parts.allowances.calls, "call-rate");
  return {
    ...{ method: "POST", url: "/rpc", handler: serve },
    onRequest: (request, reply) => check(request, reply, () => serve(request, reply)),
  };
}

/** What describes the node. */
function pages(parts: RouteParts): readonly Route[] {
  const { handlers } = parts;
  let openrpc: FixedText | undefined;
  const document = (): FixedText => {
    openrpc ??= fixedText(JSON_TYPE, handlers.openrpc());
    return openrpc;
  };
  const onRequest = checking(parts, parts.allowances.pages, "page-rate");
  const page = (url: string, text: () => FixedText): Route => ({
    ...{ method: "GET", url, onRequest },
    handler: (request, reply) => {
      parts.allowances.pages.charge(request.raw, furtherPages(sendFixedText(text(), request, reply)));
    },
  });
  return [page("/openrpc.json", document), page("/docs", docsPage)];
}

/** What watches the node, and what is no answer. */
function asides({ handlers, counts }: RouteParts, onRequest: Check): readonly Route[] {
  return [
    { method: "GET", url: "/metrics", onRequest, handler: (_request, reply) => text(reply, 200, counts.page()) },
    {
      ...{ method: "GET", url: "/health", onRequest },
      handler: (_request, reply) =>
        handlers.healthy() ? text(reply, 200, "ok") : text(reply, 503, "the RPC actor is not running"),
    },
    {
      ...{ method: "GET", url: "/ws", onRequest },
      handler: (_request, reply) =>
        text(reply.headers({ upgrade: "websocket", connection: "upgrade" }), 426, "a stream needs a WebSocket"),
    },
  ];
}

function files(parts: RouteParts): readonly Route[] {
  const { calls, allowances, downloads, refused, clientOf, snapshotDirectory, snapshotFile } = parts;
  const nameOf = (request: FastifyRequest): string => (request.params as { readonly name?: string }).name ?? "";
  const content: Handler = (request, reply) =>
    serveContent(calls, nameOf(request), reply, (bytes) => allowances.calls.charge(request.raw, furtherPages(bytes)));
  const snapshot: Handler = (request, reply) => {
    const client = clientOf(request.raw);
    if (!downloads.below(client)) {
      refused.note("downloads");
      return reply.code(429).type(JSON_TYPE).send(RATE_LIMIT_EXCEEDED);
    }
    reply.raw.once("close", downloads.take(client));
    const kept = snapshotFile?.(nameOf(request));
    if (kept !== undefined) return sendSnapshot(kept, reply);
    return serveSnapshot(snapshotDirectory, nameOf(request), request, reply);
  };
  const asCall = checking(parts, allowances.calls, "call-rate");
  return [
    {
      ...{ method: "GET", url: "/snapshot/:name", handler: snapshot },
      onRequest: checking(parts, allowances.pages, "page-rate"),
    },
    { method: "GET", url: "/ipfs/:name", onRequest: asCall, handler: content },
    { method: "GET", url: "/content/:name", onRequest: asCall, handler: content },
  ];
}

/** Preflights, wrong verbs and unknown paths. Source: protocol 01 §10.1, §10.5. */
function refuseUnknown(routes: readonly Route[], request: FastifyRequest, reply: FastifyReply): unknown {
  if (request.method === "OPTIONS") return text(reply.headers(PREFLIGHT_HEADERS), 200, "");
  const [path = ""] = request.url.split("?", 1);
  const known = routes.find(({ url }) => url === path || (url.endsWith("/:name") && isBelow(url.slice(0, -5), path)));
  if (known === undefined) return text(reply, 404, "not found");
  return text(reply.header("allow", known.method === "GET" ? "GET,HEAD" : known.method), 405, "method not allowed");
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder) && path.length > folder.length && !path.includes("/", folder.length);
}

function text(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type(TEXT_TYPE).send(body);
}
