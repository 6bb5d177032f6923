/**
 * Requests that ask for another protocol: a WebSocket on /ws, refusals elsewhere, and clients that offer HTTP/2
 * on the way (Java's does), who are served in HTTP/1.1 as if they had not. Source: protocol 01 §10.1, §10.4, §10.6.
 */
import type { IncomingMessage, Server, ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { Allowance, Allowances } from "./allowances.ts";
import type { Refusals } from "./answers.ts";
import {
  JSON_TYPE,
  RATE_LIMIT_EXCEEDED,
  refuseUpgrade,
  TEXT_TYPE,
  UNADMITTED_HEADERS,
  UNADMITTED_TEXT,
  waitHeaders,
} from "./answers.ts";
import type { ClientOf } from "./client-address.ts";
import type { RefusalCause, RefusalCounts } from "./counts.ts";
import type { LateRefusals } from "./late-refusals.ts";
import type { Scope, Streams } from "./streams.ts";

export interface UpgradesOptions {
  readonly server: Server;
  readonly streams: Streams;
  /** A handshake spends one call, and a refusal of one an aside. */
  readonly allowances: Pick<Allowances, "calls" | "asides">;
  readonly clientOf: ClientOf;
  readonly refusals: Refusals;
  readonly refused: Pick<RefusalCounts, "note">;
  readonly late: Pick<LateRefusals, "later">;
  readonly admits: (request: IncomingMessage) => boolean;
  readonly forbids: (request: IncomingMessage) => string | undefined;
}

/** Options of the server: a runtime that asks whom to hand over (Node.js 22.21, 24.9) serves all others itself. */
export const UPGRADE_OPTIONS: ServerOptions & { readonly shouldUpgradeCallback: typeof offersStream } = {
  shouldUpgradeCallback: offersStream,
};

/** Headers that concern this connection alone, and only the upgrade that is not done. */
const UPGRADE_HEADERS = new Set(["connection", "upgrade", "http2-settings", "keep-alive"]);

/** Takes every request of the server that asks for an upgrade. */
export function serveUpgrades(options: UpgradesOptions): void {
  const { server, streams, allowances, clientOf, refusals, refused, late, admits, forbids } = options;
  /** Spends one of an allowance, or answers 429 after a while. */
  const spends = (from: Allowance, cause: RefusalCause, request: IncomingMessage, socket: Duplex): boolean => {
    const waitMs = from.take(request);
    if (waitMs === 0) return true;
    refused.note(cause);
    const { type, body } = refusals.tooMany(waitMs);
    late.later(() => refuseUpgrade(socket, 429, type, body, waitHeaders(waitMs)));
    return false;
  };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!offersStream(request)) return serveAsUsual(server, request, socket, head);
    socket.on("error", () => socket.destroy());
    const [path, search = ""] = (request.url ?? "").split("?", 2);
    const scope = scopeOf(search);
    const why = forbids(request);
    if (why !== undefined || !admits(request) || path !== "/ws" || scope === undefined) {
      if (!spends(allowances.asides, "aside-rate", request, socket)) return;
      if (why !== undefined) return refuseUpgrade(socket, 403, TEXT_TYPE, why);
      if (!admits(request)) return refuseUpgrade(socket, 401, TEXT_TYPE, UNADMITTED_TEXT, UNADMITTED_HEADERS);
      if (path !== "/ws") return refuseUpgrade(socket, 404, TEXT_TYPE, "there is no stream here; see /ws");
      return refuseUpgrade(socket, 400, TEXT_TYPE, "scope is own or all");
    }
    if (!spends(allowances.calls, "stream-rate", request, socket)) return;
    const client = clientOf(request);
    if (!streams.belowLimit(client)) {
      refused.note("streams");
      return refuseUpgrade(socket, 429, JSON_TYPE, RATE_LIMIT_EXCEEDED);
    }
    streams.accept({ request, socket, head, scope, client });
  });
}

function offersStream(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === "websocket";
}

/** Own changes unless `scope=all` asks for those that peers brought, too. Source: protocol 01 W13. */
function scopeOf(search: string): Scope | undefined {
  const scope = new URLSearchParams(search).get("scope") ?? "own";
  return scope === "own" || scope === "all" ? scope : undefined;
}

/**
 * For a runtime that asks nobody. Gives the connection back to the server with the request on it once more, without
 * the offer: the parser has stopped at the end of the head, so the body, if any, is still to come.
 */
function serveAsUsual(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? "";
    if (!UPGRADE_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), head]));
  server.emit("connection", socket);
}
