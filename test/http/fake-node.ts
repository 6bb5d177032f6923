/**
 * A node that only speaks HTTP: answers calls as the test says, and keeps what it was asked.
 */
import { afterEach } from "vitest";
import type { ApiServer, ApiServerOptions } from "../../adapters/http/server.ts";
import { openApiServer } from "../../adapters/http/server.ts";
import { NEVER_MS } from "../until.ts";

export interface Call {
  readonly replyTo: string;
  readonly body: string;
}

export interface FakeNode {
  readonly port: ApiServer;
  readonly url: string;
  /** Calls in the order they came. */
  readonly calls: Call[];
  /** What `called` does beside keeping the call; false is a full queue. */
  onCall: (call: Call) => boolean;
  healthy: boolean;
  /** Waits for the nth call from the start, counted from 1. */
  readonly call: (n: number) => Promise<Call>;
  readonly close: () => Promise<void>;
}

const open: FakeNode[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((node) => node.close()));
});

/** The answer that a call gets when the test gives no other. */
export const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"ok"}';

/** Nobody asks too much and nobody is too slow. */
const UNBOUNDED = {
  ...{ rate: null, pages: null, asides: null, newConnections: null },
  ...{ clientConnectionsMax: 4096, clientSubscribersMax: 1024 },
  ...{ headersMs: NEVER_MS, requestMs: NEVER_MS, idleMs: NEVER_MS, heartbeatMs: NEVER_MS, closingMs: 200 },
  refusalMs: 0,
};

/**
 * A served fake node; closed after the test, which cuts whoever is still there. Without limits of its own, nothing is
 * rate-limited, no client is too slow and no refusal waits; a test that closes it itself says how long clients get.
 */
export async function fakeNode(options: Partial<ApiServerOptions> = {}): Promise<FakeNode> {
  const calls: Call[] = [];
  const waiting = new Map<number, (call: Call) => void>();
  const openrpc = JSON.stringify(DOCUMENT);
  const server = await openApiServer({
    host: "127.0.0.1",
    port: 0,
    ...options,
    limits: { ...UNBOUNDED, ...options.limits },
    handlers: {
      called: (replyTo, body) => {
        const call = { replyTo, body };
        calls.push(call);
        waiting.get(calls.length)?.(call);
        return node.onCall(call);
      },
      healthy: () => node.healthy,
      openrpc: () => openrpc,
    },
  });
  if (!server.ok) throw new Error(server.error.reason);
  const port = server.value;
  const host = port.address.host.includes(":") ? `[${port.address.host}]` : port.address.host;
  const node: FakeNode = {
    port,
    url: `http://${host}:${port.address.port}`,
    calls,
    onCall: (call) => {
      port.reply(call.replyTo, ANSWER);
      return true;
    },
    healthy: true,
    call: (n) =>
      new Promise((resolve) => {
        const known = calls[n - 1];
        if (known !== undefined) resolve(known);
        else waiting.set(n, resolve);
      }),
    close: () => new Promise((resolve) => port.close(resolve)),
  };
  open.push(node);
  return node;
}

/** Posts a body as a client would. */
export function post(node: FakeNode, body: RequestInit["body"], init: RequestInit = {}): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${node.url}/rpc`, { method: "POST", headers, ...init, body: body ?? null });
}

const id = { type: "object", properties: { id: { type: "string", description: "The record." } }, required: ["id"] };
const data = {
  type: "object",
  properties: { data: { type: "string", format: "byte", description: "The signed statement." } },
  required: ["data"],
};
const none = { type: "object", properties: {} };
const record = { type: ["object", "null"] };

function method(name: string, summary: string, schema: unknown, result: unknown, description?: string): unknown {
  const params = [{ name: "params", schema }];
  return { name, summary, ...(description && { description }), params, result: { name: "result", schema: result } };
}

/** An OpenRPC document as a node gives it. Source: protocol 01 §10.8. */
export const DOCUMENT = {
  openrpc: "1.2.6",
  info: { title: "OpenFiat Node API", version: "0.1.0", description: "A node of the marketplace." },
  servers: [{ name: "this node", url: "/rpc" }],
  methods: [
    method("getAdvertisement", "get advertisement", id, { $ref: "#/components/schemas/Advertisement" }),
    method("getHealth", "get health", none, { type: "string" }),
    method("getReservation", "get reservation", id, record, "One reservation, without the people."),
    method("sendReservationRequest", "send reservation request", data, {}, "Reserves part of an advertisement."),
    method("sendTransaction", "send transaction", data, { type: "object" }),
  ],
  components: {
    schemas: {
      Advertisement: { type: "object", properties: { id: { type: "string" }, price: { type: "number" } } },
    },
  },
};
