/**
 * The API server of a node: JSON-RPC, the stream of changes, and what describes and watches the node.
 * It moves text and decides nothing about it. Source: protocol 01 §10.
 */
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fastify } from "fastify";
import type { ApiHandlers, ApiPort } from "../../core/ports/http.ts";
import { openAllowances } from "./allowances.ts";
import { CORS_HEADERS, jsonRefusals, plainRefusals, sendText, TEXT_TYPE } from "./answers.ts";
import { openBodyReader } from "./body.ts";
import type { Calls } from "./calls.ts";
import { openCalls } from "./calls.ts";
import type { Check } from "./checks.ts";
import { checking, turningAway } from "./checks.ts";
import { clientFinder } from "./client-address.ts";
import { boundConnections } from "./connections.ts";
import type { RefusalCounts } from "./counts.ts";
import { openRefusalCounts } from "./counts.ts";
import { addFrontPage, FRONT_PATH } from "./front-page.ts";
import type { LateRefusals } from "./late-refusals.ts";
import { openLateRefusals } from "./late-refusals.ts";
import type { ApiLimits } from "./limits.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import type { Counted } from "./metrics.ts";
import { openCallCounts } from "./metrics.ts";
import { oneAddress } from "./one-address.ts";
import type { OwnPage } from "./own-page.ts";
import { closeQueuedAnswers } from "./queued-answers.ts";
import { addRoutes } from "./routes.ts";
import { openShares } from "./shares.ts";
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
  /** The same of files that are in no directory: the bytes of `{id}.tar.gz`. */
  readonly snapshotFile?: (id: string) => Uint8Array | undefined;
  /** Who is served at all, everybody unless said; others are answered 401. Preflights are: they bear no credentials. */
  readonly admits?: (request: IncomingMessage) => boolean;
  /** Why a request is not served whoever asks, in one line, with 403; preflights and the page at `/` too. */
  readonly forbids?: (request: IncomingMessage) => string | undefined;
  /** What stands at `/`; nothing unless said. Everybody is served it. */
  readonly frontPage?: () => Promise<OwnPage>;
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

/** The API port of an open server, and what its operator asks of it besides. */
export interface ApiServer extends ApiPort {
  /** Ends a call without an answer of the node: for who simulates a network in which that happens. */
  readonly breakOff: Calls["breakOff"];
  readonly counts: () => ApiCounts;
  /** Goes on with another limit on calls, from nothing; `null` switches it off. */
  readonly changeRate: (rate: ApiLimits["rate"]) => void;
}

/** What the server holds now, and what it turned away. */
export interface ApiCounts {
  readonly connections: number;
  readonly callsWaiting: number;
  readonly subscribers: number;
  /** Calls that reached the handler, and those whose answer was an error. */
  readonly calls: Counted;
  readonly refused: ReturnType<RefusalCounts["read"]>;
}

/** The open server with its address, or why it could not listen. */
export type ApiServerResult =
  | { readonly ok: true; readonly value: ApiServer }
  | { readonly ok: false; readonly error: ApiServerFailure };

/** The longest name at the end of a path; whether it is one is for the route to say. Source: DESIGN "Bounds". */
const NAME_LENGTH_MAX = 1024;
/** How often connections are looked through for those that are too slow, in milliseconds, at most. */
const CHECK_EVERY_MS = 5_000;

/** Binds and serves until `close`. */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServerResult> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const finder = clientFinder(options.trustedProxies ?? []);
  if ("wrong" in finder) return failed("options", `"${finder.wrong}" is neither an address nor a network`);

  const { clock = () => performance.now() } = options;
  const allowances = openAllowances(limits, finder.clientOf, clock);
  const counts = openCallCounts();
  const refused = openRefusalCounts();
  const late = openLateRefusals(limits);
  const bodies = openBodyReader(limits, finder.clientOf);
  const refusals = options.parity === true ? plainRefusals : jsonRefusals;
  const turnAway = turningAway({ refusals, refused, late }, "call-rate");
  const calls = openCalls({
    ...{ called: options.handlers.called, bodies, counts, allowance: allowances.calls, turnAway, refusals, refused },
  });
  const streams = openStreams(limits);
  const app = fastify(serverOptions(limits, checking({ refusals, refused, late }, allowances.asides, "aside-rate")));
  app.server.maxConnections = limits.connectionsMax;
  app.server.on("drop", () => refused.note("connections"));
  const { holderOf, clientOf } = finder;
  const { server } = app;
  const connections = boundConnections({
    ...{ server, holderOf, clientMax: limits.clientConnectionsMax, rate: limits.newConnections, late, clock },
    refused: refused.note,
  });
  closeQueuedAnswers(server);
  // What a client expects besides is no reason to refuse it. Source: RFC 9110, section 10.1.1.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  const downloads = openShares(limits.clientDownloadsMax);
  const { handlers, snapshotDirectory, snapshotFile, frontPage } = options;
  const admits = admitting(options);
  const forbids = options.forbids ?? (() => undefined);
  addRoutes(app, {
    ...{ handlers, calls, counts, refused, late, allowances, refusals, clientOf, downloads, admits, forbids },
    ...{ snapshotDirectory, snapshotFile },
  });
  if (frontPage !== undefined) addFrontPage(app, frontPage);
  serveUpgrades({ server, streams, allowances, clientOf, refusals, refused, late, admits, forbids });
  try {
    await app.listen({ host: await oneAddress(options.host), port: options.port });
  } catch (error) {
    streams.stop();
    await app.close();
    return failed("bind", bindReason(options, error));
  }
  const counted = (): ApiCounts => ({
    ...{ connections: connections(), callsWaiting: calls.waiting(), subscribers: streams.subscribers() },
    ...{ calls: counts.read(), refused: refused.read() },
  });
  const port = portOf(app, { calls, streams, late }, limits.closingMs);
  return {
    ok: true,
    value: { ...port, breakOff: calls.breakOff, counts: counted, changeRate: allowances.calls.change },
  };
}

/** Who is served: the page at `/` has no secret. */
function admitting({ admits, frontPage }: ApiServerOptions): (request: IncomingMessage) => boolean {
  if (admits === undefined) return () => true;
  return (request) => (frontPage !== undefined && request.url === FRONT_PATH) || admits(request);
}

/** Time-outs: of a head, of a request, and of a connection on which nothing moves. Source: DESIGN L10. */
function serverOptions({ headersMs, requestMs, idleMs }: ApiLimits, aside: Check) {
  const checkMs = Math.min(CHECK_EVERY_MS, headersMs, requestMs);
  return {
    ...{ requestTimeout: requestMs, keepAliveTimeout: idleMs, connectionTimeout: idleMs },
    // What comes while it closes is answered by the routes: 503 is for /health alone. Source: protocol 01 §15 W14.
    return503OnClosing: false,
    ...{ frameworkErrors: refusingBadUrl(aside), routerOptions: { maxParamLength: NAME_LENGTH_MAX } },
    http: {
      ...{ ...UPGRADE_OPTIONS, requestTimeout: requestMs, connectionsCheckingInterval: checkMs },
      headersTimeout: Math.min(headersMs, requestMs),
    },
  };
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

interface Answering {
  readonly calls: Calls;
  readonly streams: Streams;
  readonly late: LateRefusals;
}

function portOf(app: FastifyInstance, { calls, streams, late }: Answering, closingMs: number): ApiPort {
  const bound = app.server.address();
  const address =
    typeof bound === "object" && bound !== null ? { host: bound.address, port: bound.port } : { host: "", port: 0 };
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    const ending = setTimeout(() => {
      streams.cut();
      calls.stop();
    }, closingMs);
    // What was just answered takes its way.
    const cutting = setTimeout(() => app.server.closeAllConnections(), 2 * closingMs);
    late.stop();
    calls.takeNoMore();
    streams.stop();
    await app.close();
    clearTimeout(ending);
    clearTimeout(cutting);
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

function refusingBadUrl(aside: Check) {
  return (_error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(CORS_HEADERS);
    aside(request, reply, () => sendText(reply.code(400), TEXT_TYPE, "malformed URL"));
  };
}
