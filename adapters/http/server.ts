/**
 * The API server of a node: JSON-RPC, the stream of changes, and what describes and watches the node.
 * It moves text and decides nothing about it. Source: protocol 01 §10.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { fastify } from "fastify";
import type { ApiHandlers, ApiPort } from "../../core/ports/http.ts";
import { answer, CORS_HEADERS, JSON_TYPE, PREFLIGHT_HEADERS, TEXT_TYPE } from "./answers.ts";
import { openBodyReader } from "./body.ts";
import type { Calls } from "./calls.ts";
import { openCalls } from "./calls.ts";
import { clientFinder } from "./client-address.ts";
import { readDocsPage } from "./docs.ts";
import type { ApiLimits } from "./limits.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { CallCounts } from "./metrics.ts";
import { openCallCounts } from "./metrics.ts";
import { openRateLimit } from "./rate-limit.ts";
import type { Streams } from "./streams.ts";
import { openStreams } from "./streams.ts";
import { serveUpgrades } from "./upgrades.ts";

export interface ApiServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handlers: ApiHandlers;
  /** What differs from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ApiLimits>;
  /** Addresses and networks of proxies whose `x-forwarded-for` is believed. Source: protocol 01 W21. */
  readonly trustedProxies?: readonly string[];
  /** A monotonic clock in milliseconds, for the rate limit. */
  readonly clock?: () => number;
}

/** Why there is no server; `reason` is one line for an operator. */
export interface ApiServerFailure {
  readonly code: "bind" | "options";
  readonly reason: string;
}

export type ApiServerResult =
  | { readonly ok: true; readonly value: ApiPort }
  | { readonly ok: false; readonly error: ApiServerFailure };

/** What the routes need of the server's parts. */
interface Parts {
  readonly handlers: ApiHandlers;
  readonly calls: Calls;
  readonly counts: CallCounts;
  readonly streams: Streams;
}

/** Binds and serves until `close`. */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServerResult> {
  const limits: ApiLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const finder = clientFinder(options.trustedProxies ?? []);
  if ("wrong" in finder) return failed("options", `"${finder.wrong}" is neither an address nor a network`);

  const clock = options.clock ?? (() => performance.now());
  const rate = limits.rate === null ? null : openRateLimit(limits.rate);
  const waitOf = (request: IncomingMessage): number => rate?.take(finder.clientOf(request), clock()) ?? 0;
  const counts = openCallCounts();
  const bodies = openBodyReader(limits);
  const calls = openCalls({ called: options.handlers.called, bodies, counts, waitOf });
  const streams = openStreams(limits);

  const app = fastify({ requestTimeout: limits.requestMs, frameworkErrors: refuseBadUrl });
  app.server.maxConnections = limits.connectionsMax;
  addRoutes(app, { handlers: options.handlers, calls, counts, streams });
  serveUpgrades({ server: app.server, streams, waitOf });
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (error) {
    streams.stop();
    await app.close();
    return failed("bind", bindReason(options, error));
  }
  return { ok: true, value: portOf(app, calls, streams, limits.closingMs) };
}

function failed(code: ApiServerFailure["code"], reason: string): ApiServerResult {
  return { ok: false, error: { code, reason } };
}

function bindReason({ host, port }: ApiServerOptions, error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "the port is in use",
    EADDRNOTAVAIL: "this machine has no such address",
    EACCES: "the port needs more permissions",
    ENOTFOUND: "the host has no address",
  };
  const reason = reasons[code] ?? (error instanceof Error ? error.message : String(error));
  return `cannot listen on ${host}:${port}: ${reason}`;
}

function portOf(app: FastifyInstance, calls: Calls, streams: Streams, closingMs: number): ApiPort {
  const bound = app.server.address();
  const address =
    typeof bound === "object" && bound !== null ? { host: bound.address, port: bound.port } : { host: "", port: 0 };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const late = setTimeout(() => {
      streams.cut();
      app.server.closeAllConnections();
    }, closingMs);
    calls.stop();
    streams.stop();
    await app.close();
    clearTimeout(late);
  };
  return {
    address,
    reply: calls.reply,
    publish: streams.publish,
    close: (done) => {
      closing ??= close();
      closing.then(done, done);
    },
  };
}

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

function addRoutes(app: FastifyInstance, { handlers, calls, counts, streams }: Parts): void {
  const docs = readDocsPage();
  const text = (body: () => string, type: string, headers = {}): Serve => {
    return (_request, response) => answer(response, 200, type, body(), headers);
  };
  route(app, "POST", "/rpc", calls.serve);
  route(app, "GET", "/openrpc.json", text(handlers.openrpc, JSON_TYPE));
  route(
    app,
    "GET",
    "/docs",
    text(() => docs.html, "text/html; charset=utf-8", docs.headers),
  );
  const gauges = (): Readonly<Record<string, number>> => ({
    ...handlers.gauges(),
    rpc_calls_waiting: calls.waiting(),
    ws_subscribers: streams.subscribers(),
  });
  route(
    app,
    "GET",
    "/metrics",
    text(() => counts.page(gauges()), TEXT_TYPE),
  );
  route(app, "GET", "/health", (_request, response) => {
    if (handlers.healthy()) answer(response, 200, TEXT_TYPE, "ok");
    else answer(response, 503, TEXT_TYPE, "the RPC actor is not running");
  });
  route(app, "GET", "/ws", (_request, response) => {
    answer(response, 426, TEXT_TYPE, "a stream needs a WebSocket", { upgrade: "websocket", connection: "upgrade" });
  });
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    refuseUnknown(app, request.raw, reply.raw);
  });
  app.removeAllContentTypeParsers();
}

/**
 * Serves before Fastify looks at the body: a call is read whatever its content type says, and nothing else has one.
 */
function route(app: FastifyInstance, method: "GET" | "POST", url: string, serve: Serve): void {
  app.route({
    method,
    url,
    onRequest: (request, reply, _done) => {
      reply.hijack();
      serve(request.raw, reply.raw);
    },
    handler: () => undefined,
  });
}

/** Preflights, wrong verbs and unknown paths. Source: protocol 01 §10.1, §10.5. */
function refuseUnknown(app: FastifyInstance, request: IncomingMessage, response: ServerResponse): void {
  if (request.method === "OPTIONS") return answer(response, 200, TEXT_TYPE, "", PREFLIGHT_HEADERS);
  const [path = ""] = (request.url ?? "").split("?", 1);
  const allowed = (["GET", "HEAD", "POST"] as const).filter((method) => app.hasRoute({ method, url: path }));
  if (allowed.length === 0) return answer(response, 404, TEXT_TYPE, "not found");
  answer(response, 405, TEXT_TYPE, "method not allowed", { allow: allowed.join(",") });
}

function refuseBadUrl(_error: unknown, _request: unknown, reply: { raw: ServerResponse; hijack: () => void }): void {
  reply.hijack();
  answer(reply.raw, 400, TEXT_TYPE, "malformed URL", CORS_HEADERS);
}
