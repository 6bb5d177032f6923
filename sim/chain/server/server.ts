/**
 * A Solana RPC server over the simulated chain: JSON-RPC over HTTP, PubSub over WebSocket, on this machine alone.
 * WebSocket is answered at the port of HTTP and at the next one, where clients look by themselves. Each server has
 * conditions of its own, so that several over one chain lag, fail and contradict each other.
 * Source: Solana's JSON-RPC and RPC PubSub; DESIGN section 4 "Cluster".
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { err, ok } from "../../../core/index.ts";
import type { ServerConditions } from "./conditions.ts";
import { conductToward, healthyServer } from "./conditions.ts";
import type { RpcRequest } from "./json-rpc.ts";
import { answerText, readBody } from "./json-rpc.ts";
import { methods } from "./methods.ts";
import { openPubSub } from "./pub-sub.ts";
import type { Answer } from "./rpc-errors.ts";
import { methodNotFound } from "./rpc-errors.ts";
import type { ServedChain } from "./served-chain.ts";
import type { ChainView } from "./view.ts";
import { openHeads, viewOf } from "./view.ts";

/** Largest body of a request, in bytes. Source: Solana's JSON-RPC. */
const BODY_BYTES_MAX = 51_200;
const LOOPBACK = "127.0.0.1";
/** Pairs of neighbouring ports tried before giving up. Source: DESIGN "Simulated world". */
const PORT_TRIES = 32;

/** Which chain is served, and where. */
export interface RpcServerOptions {
  readonly chain: ServedChain;
  /** A port for HTTP, the next one being free too; any pair unless said. */
  readonly port?: number;
  /** The address to listen at; loopback unless said. */
  readonly host?: string;
}

/** A server that listens. */
export interface RpcServer {
  readonly url: string;
  readonly port: number;
  setConditions(changed: Partial<ServerConditions>): void;
  /** Requests that came so far, by method. */
  readonly asked: ReadonlyMap<string, number>;
  /** Clients of the PubSub. */
  listeners(): number;
  /** Open connections, those of the PubSub included. */
  lines(): number;
  /** Cuts every line and stops. */
  close(): Promise<void>;
}

interface Serving {
  readonly chain: ServedChain;
  conditions: ServerConditions;
  readonly asked: Map<string, number>;
  view(): ChainView;
}

/** Serves Solana's RPC and its subscriptions. */
export async function openRpcServer({ chain, port, host = LOOPBACK }: RpcServerOptions): Promise<RpcServer> {
  const serving: Serving = {
    chain,
    conditions: healthyServer,
    asked: new Map(),
    view: () => viewOf(chain, branch(), heads, serving.conditions.lagSlots),
  };
  const branch = () => {
    const { branch: followed } = serving.conditions;
    return followed === undefined ? chain.cluster : chain.cluster.on(followed);
  };
  const heads = openHeads(branch);
  heads.note();
  const pubSub = openPubSub(serving.view, () => serving.conditions);
  const [http, neighbour] = await bindPair(host, port, () => {
    const server = createServer((request, response) => void serve(serving, request, response));
    server.on("upgrade", pubSub.upgrade);
    return server;
  });
  const lines = new Set<Socket>();
  for (const server of [http, neighbour]) {
    server.on("connection", (line: Socket) => {
      lines.add(line);
      line.once("close", () => lines.delete(line));
    });
  }
  const stop = chain.onMoved(() => {
    heads.note();
    pubSub.moved();
  });
  const bound = (http.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    setConditions: (changed) => {
      serving.conditions = { ...healthyServer, ...changed };
    },
    asked: serving.asked,
    listeners: pubSub.listeners,
    lines: () => lines.size,
    async close() {
      stop();
      pubSub.close();
      for (const line of lines) line.destroy();
      await Promise.all([http, neighbour].map((server) => new Promise((done) => server.close(done))));
    },
  };
}

/** Answers one HTTP request. */
async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-allow-headers", "*");
  if (request.method === "OPTIONS") return void response.writeHead(204).end();
  if (request.method === "GET" && request.url === "/health") return await health(serving, response);
  if (request.method !== "POST")
    return void response.writeHead(405).end("Used HTTP Method is not allowed. POST or OPTIONS is required\n");
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    return void response.writeHead(415).end("Supplied content type is not allowed. application/json is required\n");
  const text = await bodyOf(request);
  if (text === undefined) return void response.writeHead(413, { connection: "close" }).end("Payload too large\n");
  const body = readBody(text);
  const asked = body.ok ? body.value.requests.flatMap((each) => (each.ok ? [each.value.method] : [])) : [];
  for (const method of asked) serving.asked.set(method, (serving.asked.get(method) ?? 0) + 1);
  await serving.chain.settled();
  switch (conductToward(serving.conditions, asked)) {
    case "serves":
      return send(response, body.ok ? await answersText(serving, body.value) : answerText(null, body));
    case "fails":
      return void response.writeHead(503).end("Service Unavailable");
    case "limits":
      response.setHeader("retry-after", String(serving.conditions.retryAfterSecs ?? 1));
      return void response.writeHead(429).end("Too many requests");
    case "babbles":
      return send(response, "<html>not what was asked for</html>");
    case "cuts":
      return void request.socket.destroy();
    case "hangs":
      return;
  }
}

async function answersText(
  serving: Serving,
  body: Extract<ReturnType<typeof readBody>, { readonly ok: true }>["value"],
): Promise<string> {
  const answers: string[] = [];
  for (const request of body.requests) {
    if (!request.ok) answers.push(answerText(null, request));
    else if (request.value.id !== undefined) {
      answers.push(answerText(request.value.id, await answer(serving, request.value)));
    }
  }
  return body.batch ? `[${answers.join(",")}]` : (answers[0] ?? "");
}

async function answer(serving: Serving, { method, params }: RpcRequest): Promise<Answer> {
  const run = methods.get(method);
  if (run === undefined) return err(methodNotFound);
  const answered = await run(serving.view(), params);
  const { lie } = serving.conditions;
  return answered.ok && lie !== undefined ? ok(lie(method, params, answered.value)) : answered;
}

function send(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

async function health(serving: Serving, response: ServerResponse): Promise<void> {
  const healthy = (await answer(serving, { id: 0, method: "getHealth", params: [] })).ok;
  response.writeHead(200, { "content-type": "text/plain" }).end(healthy ? "ok" : "behind");
}

/** The body as text; undefined when it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      bytes += part.length;
      if (bytes > BODY_BYTES_MAX) return undefined;
      parts.push(part);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Two servers at neighbouring ports. */
async function bindPair(
  host: string,
  port: number | undefined,
  make: () => Server,
): Promise<readonly [Server, Server]> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const first = make();
    if (!(await listen(first, host, port ?? 0))) break;
    const second = make();
    if (await listen(second, host, (first.address() as AddressInfo).port + 1)) return [first, second];
    await new Promise((done) => first.close(done));
    if (port !== undefined) break;
  }
  const where = port === undefined ? host : `${host}:${port}`;
  throw new Error(`no two neighbouring ports are free at ${where}`);
}

function listen(server: Server, host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, host, () => resolve(true));
  });
}
