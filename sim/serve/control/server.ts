/**
 * The control port: a page for people at /, JSON-RPC at POST /rpc, its document, its docs page, and every message of
 * every node's stream at /ws. On loopback it takes what comes from this machine; elsewhere it wants a token.
 * Source: DESIGN section 6 "serve".
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ApiServer } from "../../../adapters/http/server.ts";
import { openApiServer } from "../../../adapters/http/server.ts";
import type { Result } from "../../../core/index.ts";
import { err, ok } from "../../../core/index.ts";
import { answerControl } from "./dispatch.ts";
import { controlDocument } from "./document.ts";
import { controlPage } from "./front-page.ts";
import type { Controlled } from "./method.ts";

/** Requests in hand at most; beyond that a caller hears that the queue is full. Source: DESIGN L10. */
const REQUESTS_IN_HAND = 1_024;
/** Those who control are few, and may wait long. */
const LIMITS = { rate: null, pages: null, asides: null, newConnections: null, requestMs: 600_000, idleMs: 600_000 };

/** Where control listens, and who may use it. */
export interface ControlServerOptions {
  readonly host: string;
  readonly port: number;
  /** What callers must bear; nothing where control is on loopback and was given none. */
  readonly token: string | undefined;
  readonly version: string;
  /** The script of the page at `/`. */
  readonly page: () => Promise<string>;
}

/** Opens the control port; or says in one line why not. */
export async function openControlServer(
  network: Controlled,
  { host, port, token, version, page }: ControlServerOptions,
): Promise<Result<ApiServer, string>> {
  const bearing = token === undefined ? { forbids: elsewhere } : { admits: bearerOf(token) };
  if (token === undefined && !isLoopback(host)) return err(`control on ${host} needs a token`);
  let inHand = 0;
  const opened: { server?: ApiServer } = {};
  const made = await openApiServer({
    ...{ host, port, limits: LIMITS, ...bearing },
    frontPage: async () => controlPage(await page()),
    handlers: {
      called(replyTo, body) {
        if (inHand >= REQUESTS_IN_HAND) return false;
        inHand += 1;
        void answerControl(network, body).then((text) => {
          inHand -= 1;
          opened.server?.reply(replyTo, text);
        });
        return true;
      },
      healthy: () => true,
      openrpc: () => controlDocument(version),
    },
  });
  if (!made.ok) return err(made.error.reason);
  opened.server = made.value;
  network.host.onPublished((node, source, message) => {
    made.value.publish("own", `{"node":${node},"source":"${source}","message":${message}}`);
  });
  return ok(made.value);
}

/** Whether a host is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Why a request without a token comes from elsewhere than this machine. A browser lets the page of any site call
 * loopback: such a page is named in Origin, and one whose name was turned to loopback stands in Host.
 */
function elsewhere({ headers: { host, origin } }: IncomingMessage): string | undefined {
  if (host !== undefined && !isOfLoopback(`http://${host}`))
    return "control without a token is called by an address of loopback, and by no other name";
  if (origin !== undefined && !isOfLoopback(origin)) return "control without a token takes nothing from other sites";
  return undefined;
}

function isOfLoopback(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, "$1"));
}

function bearerOf(token: string): (request: IncomingMessage) => boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return ({ headers }) => timingSafeEqual(hash(headers.authorization ?? ""), hash(`Bearer ${token}`));
}
