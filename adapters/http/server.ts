/**
 * The API server of a node: JSON-RPC, the stream of changes, and what describes and watches the node.
 * It moves text and decides nothing about it. Source: protocol 01 §10.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fastify } from "fastify";
import type { ApiHandlers, ApiPort } from "../../core/ports/http.ts";
import {
  answer,
  CORS_HEADERS,
  JSON_TYPE,
  jsonRefusals,
  PREFLIGHT_HEADERS,
  plainRefusals,
  TEXT_TYPE,
} from "./answers.ts";
import { openBodyReader } from "./body.ts";
import type { Calls } from "./calls.ts";
import { openCalls } from "./calls.ts";
import { clientFinder } from "./client-address.ts";
import { readDocsPage } from "./docs.ts";
import { serveContent, serveSnapshot } from "./files.ts";
import type { ApiLimits } from "./limits.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { CallCounts } from "./metrics.ts";
import { openCallCounts } from "./metrics.ts";
import { openRateLimit } from "./rate-limit.ts";
import type { Streams } from "./streams.ts";
import { openStreams } from "./streams.ts";
import { serveUpgrades, UPGRADE_OPTIONS } from "./upgrades.ts";

/** Where to listen, who answers, and within which bounds. */
export interface ApiServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly handlers: ApiHandlers;
  /** What differs from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<ApiLimits>;
  /** Addresses and networks of proxies whose `x-forwarded-for` is believed. Source: protocol 01 W21. */
  readonly trustedProxies?: readonly string[];
  /** Where `/snapshot/{id}` finds `{id}.tar.gz`. Source: protocol 05 §6.12. */
  readonly snapshotDirectory?: string;
  /** Whether whole requests are refused in plain text, as the reference does; JSON-RPC errors unless said. */
  readonly parity?: boolean;
  /** A monotonic clock in milliseconds, for the rate limit. */
  readonly clock?: () => number;
}

/** Why there is no server; `reason` is one line for an operator. */
export interface ApiServerFailure {
  readonly code: "bind" | "options";
  readonly reason: string;
}

/** The open server with its address, or why it could not listen. */
export type ApiServerResult =
  | { readonly ok: true; readonly value: ApiPort }
  | { readonly ok: false; readonly error: ApiServerFailure };

/** The longest name at the end of a path; whether it is one is for the route to say. Source: DESIGN "Bounds". */
const NAME_LENGTH_MAX = 1024;

/** What the routes need of the server's parts. */
interface Parts {
  readonly handlers: ApiHandlers;
  readonly calls: Calls;
  readonly counts: CallCounts;
  readonly streams: Streams;
  readonly snapshotDirectory: string | undefined;
}

/** Binds and serves until `close`. */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServerResult> {
  const limits: ApiLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const finder = clientFinder(options.trustedProxies ?? []);
  if ("wrong" in finder) return failed("options", `"${finder.wrong}" is neither an address nor a network`);

  const clock = options.clock ?? (() => performance.now());
  const rate = limits.rate === null ? null : openRateLimit(limits.rate);
  const waitOf = (request: IncomingMessage): number => rate?.take(finder.clientOf(request), clock()) ?? 0;
  const charge = (request: IncomingMessage, more: number) => rate?.charge(finder.clientOf(request), more, clock());
  const counts = openCallCounts();
  const bodies = openBodyReader(limits);
  const refusals = options.parity === true ? plainRefusals : jsonRefusals;
  const calls = openCalls({ called: options.handlers.called, bodies, counts, waitOf, charge, refusals });
  const streams = openStreams(limits);

  const routerOptions = { maxParamLength: NAME_LENGTH_MAX };
  const requestTimeout = limits.requestMs;
  const app = fastify({ requestTimeout, frameworkErrors: refuseBadUrl, routerOptions, http: UPGRADE_OPTIONS });
  app.server.maxConnections = limits.connectionsMax;
  const { handlers, snapshotDirectory } = options;
  addRoutes(app, { handlers, calls, counts, streams, snapshotDirectory });
  serveUpgrades({ server: app.server, streams, waitOf, refusals });
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

/** Serves one request; `name` is the last part of the path of a route that ends in one. */
type Serve = (request: IncomingMessage, response: ServerResponse, name: string) => void;

interface Route {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly serve: Serve;
}

function addRoutes(app: FastifyInstance, parts: Parts): void {
  const routes = [...pages(parts), ...files(parts), { method: "POST", url: "/rpc", serve: parts.calls.serve } as const];
  for (const { method, url, serve } of routes) {
    // Serves before Fastify looks at a body: a call is read whatever its content type says, nothing else has one.
    const onRequest = (request: FastifyRequest, reply: FastifyReply, _done: () => void): void => {
      reply.hijack();
      serve(request.raw, reply.raw, (request.params as { readonly name?: string }).name ?? "");
    };
    app.route({ method, url, onRequest, handler: () => undefined });
  }
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    refuseUnknown(routes, request.raw, reply.raw);
  });
  app.removeAllContentTypeParsers();
}

/** What describes and watches the node. */
function pages({ handlers, calls, counts, streams }: Parts): readonly Route[] {
  const docs = readDocsPage();
  const page = (url: string, type: string, body: () => string, headers = {}): Route => {
    return { method: "GET", url, serve: (_request, response) => answer(response, 200, type, body(), headers) };
  };
  const gauges = (): Readonly<Record<string, number>> => ({
    ...handlers.gauges(),
    rpc_calls_waiting: calls.waiting(),
    ws_subscribers: streams.subscribers(),
  });
  const health: Serve = (_request, response) => {
    if (handlers.healthy()) answer(response, 200, TEXT_TYPE, "ok");
    else answer(response, 503, TEXT_TYPE, "the RPC actor is not running");
  };
  const stream: Serve = (_request, response) => {
    answer(response, 426, TEXT_TYPE, "a stream needs a WebSocket", { upgrade: "websocket", connection: "upgrade" });
  };
  return [
    page("/openrpc.json", JSON_TYPE, handlers.openrpc),
    page("/docs", "text/html; charset=utf-8", () => docs.html, docs.headers),
    page("/metrics", TEXT_TYPE, () => counts.page(gauges())),
    { method: "GET", url: "/health", serve: health },
    { method: "GET", url: "/ws", serve: stream },
  ];
}

function files({ calls, snapshotDirectory }: Parts): readonly Route[] {
  const content: Serve = (_request, response, cid) => serveContent(calls, cid, response);
  const snapshot: Serve = (_request, response, id) => void serveSnapshot(snapshotDirectory, id, response);
  return [
    { method: "GET", url: "/snapshot/:name", serve: snapshot },
    { method: "GET", url: "/ipfs/:name", serve: content },
    { method: "GET", url: "/content/:name", serve: content },
  ];
}

/** Preflights, wrong verbs and unknown paths. Source: protocol 01 §10.1, §10.5. */
function refuseUnknown(routes: readonly Route[], request: IncomingMessage, response: ServerResponse): void {
  if (request.method === "OPTIONS") return answer(response, 200, TEXT_TYPE, "", PREFLIGHT_HEADERS);
  const [path = ""] = (request.url ?? "").split("?", 1);
  const known = routes.find(({ url }) => url === path || (url.endsWith("/:name") && isBelow(url.slice(0, -5), path)));
  if (known === undefined) return answer(response, 404, TEXT_TYPE, "not found");
  const allow = known.method === "GET" ? "GET,HEAD" : known.method;
  answer(response, 405, TEXT_TYPE, "method not allowed", { allow });
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder) && path.length > folder.length && !path.includes("/", folder.length);
}

function refuseBadUrl(_error: unknown, _request: unknown, reply: { raw: ServerResponse; hijack: () => void }): void {
  reply.hijack();
  answer(reply.raw, 400, TEXT_TYPE, "malformed URL", CORS_HEADERS);
}
