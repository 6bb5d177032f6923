/**
 * The address for those who run the node: liveness, readiness, metrics and debug reads, apart from what clients reach.
 * It names no party, and yet it is on loopback unless the operator wants it elsewhere. Source: DESIGN section 6.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";
import type { FastifyReply } from "fastify";
import { fastify } from "fastify";
import type { EndpointState } from "../../adapters/chain/rpc.ts";
import { oneAddress } from "../../adapters/http/one-address.ts";
import type { Result, RootTexts } from "../../core/index.ts";
import { err, ok } from "../../core/index.ts";
import { bindProblem } from "./binds.ts";
import type { Check } from "./health.ts";
import type { Metrics } from "./metrics.ts";
import { ASKED_BY_OPERATOR } from "./usage.ts";

export interface AdminOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Names under which it may be asked, beside addresses and names of loopback. */
  readonly names?: readonly string[];
  readonly dead: () => string | undefined;
  readonly checks: () => readonly Check[];
  readonly metrics: Metrics;
  readonly roots: () => RootTexts | undefined;
  readonly endpoints: () => readonly EndpointState[];
  /** Copies the ledger into a new directory; answers the roots of the copy, or why there is none. */
  readonly backup: (out: string) => Promise<RootTexts | string>;
}

export interface Admin {
  readonly host: string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** So many connections at once: whoever watches a node has few. Source: DESIGN L10. */
const CONNECTIONS_AT_ONCE = 64;
/** Time-outs of its clients, in milliseconds. */
const REQUEST_MS = 10_000;
const TEXT = "text/plain; charset=utf-8";

/** Where its operator reaches a node. */
export const ADMIN_FLAG = "--admin-bind-address";

/** Listens, or answers with one line why it cannot. */
export async function openAdmin(options: AdminOptions): Promise<Result<Admin, string>> {
  const app = fastify({ requestTimeout: REQUEST_MS, keepAliveTimeout: REQUEST_MS, forceCloseConnections: true });
  app.server.maxConnections = CONNECTIONS_AT_ONCE;
  const names = new Set([options.host, ...(options.names ?? [])].map((name) => name.toLowerCase()));
  app.addHook("onRequest", async (request, reply) => {
    if (!isOwnName(request.headers.host ?? "", names))
      await text(reply, 403, "asked under a name that is not this node's: use its address, or --admin-name");
  });
  app.get("/live", (_request, reply) => {
    const reason = options.dead();
    return text(reply, reason === undefined ? 200 : 503, reason ?? "ok");
  });
  app.get("/ready", (_request, reply) => {
    const checks = options.checks();
    const ready = checks.every(({ ok }) => ok);
    return reply.code(ready ? 200 : 503).send({ ready, checks });
  });
  app.get("/metrics", async (_request, reply) => {
    const page = await options.metrics.page();
    return reply.type(options.metrics.contentType).send(page);
  });
  app.get("/debug/roots", (_request, reply) => {
    const roots = options.roots();
    return roots === undefined ? text(reply, 503, "the ledger is not loaded") : reply.send(roots);
  });
  app.get("/debug/endpoints", (_request, reply) =>
    reply.send(options.endpoints().map(({ slot, lag, ...rest }) => ({ ...rest, slot: `${slot}`, lag: `${lag}` }))),
  );
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.post("/backup", async (request, reply) => {
    const refused = notTheOperator(request.headers);
    if (refused !== undefined) return text(reply, 403, refused);
    const done = await options.backup(String(request.body ?? ""));
    return typeof done === "string" ? text(reply, 409, done) : reply.send(done);
  });
  app.setNotFoundHandler((_request, reply) =>
    text(reply, 404, "not found; see /live, /ready, /metrics, /debug/roots, /debug/endpoints, POST /backup"),
  );
  try {
    await app.listen({ host: await oneAddress(options.host), port: options.port });
  } catch (error) {
    await app.close();
    const { host, port } = options;
    return err(bindProblem({ flag: ADMIN_FLAG, host, port }, error as NodeJS.ErrnoException));
  }
  const bound = app.server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : options.port;
  return ok({ host: options.host, port, close: () => app.close() });
}

/**
 * Why an order is not the operator's: a page of another origin cannot send the header, and one whose name was pointed
 * at this machine after it was loaded can, but says of which origin it is. Source: RFC 6454, section 7.3.
 */
function notTheOperator(headers: IncomingHttpHeaders): string | undefined {
  if (headers.origin !== undefined) return "no page of a browser may order anything";
  return headers[ASKED_BY_OPERATOR] === undefined ? `${ASKED_BY_OPERATOR} is needed` : undefined;
}

/**
 * Whether a request names this node: a page whose name was pointed at this machine after it was loaded reads as the
 * page of that name, and every browser says the name. An address cannot be pointed elsewhere.
 * Source: RFC 9112, section 3.2; RFC 6761, section 6.3.
 */
function isOwnName(host: string, names: ReadonlySet<string>): boolean {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  const bare = name.replace(/^\[(.*)\]$/, "$1");
  return isIP(bare) !== 0 || /^(?:.+\.)?localhost\.?$/.test(name) || names.has(name);
}

function text(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type(TEXT).send(body);
}
