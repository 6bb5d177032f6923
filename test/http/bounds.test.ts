// Goal: no client can take what others need: connections, streams, downloads, pages and content are bounded for each,
// whoever stalls is let go, and pages cost little to give twice.
// Method: real sockets from several addresses of loopback; bounds so small that they are reached at once.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { until } from "../until.ts";
import type { FakeNode } from "./fake-node.ts";
import { DOCUMENT, fakeNode, post } from "./fake-node.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection from an address of loopback, on which nothing was sent yet. */
function connected(node: FakeNode, localAddress = "127.0.0.1"): Promise<Socket> {
  const socket = connect({ port: node.port.address.port, host: "127.0.0.1", localAddress });
  sockets.push(socket.on("error", () => undefined));
  // One that is reset may be so before it has connected.
  return new Promise((resolve) => socket.once("connect", () => resolve(socket)).once("close", () => resolve(socket)));
}

function closed(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  socket.resume();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Asks for a path over a connection of its own, from an address of loopback. */
function get(node: FakeNode, path: string, headers: Record<string, string> = {}, from = "127.0.0.1"): Promise<Got> {
  const { port } = node.port.address;
  return new Promise((resolve, reject) => {
    const call = request(
      { host: "127.0.0.1", port, path, headers, localAddress: from, agent: new Agent({ keepAlive: false }) },
      async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
      },
    );
    call.on("error", reject).end();
  });
}

const statusOf = async (node: FakeNode, path: string, from?: string) => (await get(node, path, {}, from)).status;

test("a client that holds as many connections as it may keeps nobody else out", async () => {
  const node = await fakeNode({ limits: { clientConnectionsMax: 3 } });
  const held = [await connected(node), await connected(node), await connected(node)];
  await closed(await connected(node));
  expect(await statusOf(node, "/health", "127.0.0.2")).toBe(200);
  expect(node.port.counts().refused).toMatchObject({ "client-connections": 1, connections: 0 });
  // Whoever gives one back may have another.
  held[0]?.destroy();
  await until(() => node.port.counts().connections === 2);
  expect(await statusOf(node, "/health")).toBe(200);
});

test("a trusted proxy holds the connections of many clients", async () => {
  const node = await fakeNode({ limits: { clientConnectionsMax: 1 }, trustedProxies: ["127.0.0.1"] });
  await connected(node);
  expect(await statusOf(node, "/health")).toBe(200);
  await connected(node, "127.0.0.2");
  await expect(get(node, "/health", {}, "127.0.0.2")).rejects.toThrow();
});

test("connections beyond all clients' bound are counted", async () => {
  const node = await fakeNode({ limits: { connectionsMax: 1 } });
  await connected(node);
  await closed(await connected(node));
  expect(node.port.counts().refused.connections).toBe(1);
});

test.each([
  ["that sends nothing", ""],
  ["that sends half a head", "POST /rpc HTTP/1.1\r\nHost:"],
])("a connection %s ends when its time is up", async (_name, sent) => {
  const node = await fakeNode({ limits: { headersMs: 20 } });
  const socket = await connected(node);
  socket.write(sent);
  await closed(socket);
});

test("a request whose body does not come ends when its time is up", async () => {
  const node = await fakeNode({ limits: { requestMs: 40, headersMs: 20 } });
  const socket = await connected(node);
  socket.write("POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 9\r\n\r\nhalf");
  await closed(socket);
  expect(node.calls).toEqual([]);
});

test.each([
  ["that asks nothing more", "GET /health HTTP/1.1\r\nHost: n\r\n\r\n"],
  ["whose call is never answered", "POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 2\r\n\r\n{}"],
])("a connection %s ends when nothing moves on it", async (_name, sent) => {
  const node = await fakeNode({ limits: { idleMs: 20 } });
  node.onCall = () => true;
  const socket = await connected(node);
  socket.write(sent);
  await closed(socket);
});

test("a client has so many streams and no more, however many there are in all", async () => {
  const node = await fakeNode({ limits: { clientSubscribersMax: 2 } });
  const listen = (localAddress: string) => {
    const socket = new WebSocket(`${node.url.replace("http", "ws")}/ws`, { localAddress });
    return new Promise<WebSocket>((resolve, reject) => {
      socket.on("open", () => resolve(socket)).on("error", reject);
    });
  };
  const [first] = [await listen("127.0.0.1"), await listen("127.0.0.1")];
  await expect(listen("127.0.0.1")).rejects.toThrow("429");
  await listen("127.0.0.2");
  expect(node.port.counts().refused.streams).toBe(1);
  first.close();
  await until(() => node.port.counts().connections === 2);
  await listen("127.0.0.1");
});

const FEW = { burst: 3, intervalMs: 500, clientsMax: 9 };

test("pages have an allowance of their own, and others are not touched by it", async () => {
  const node = await fakeNode({ limits: { rate: FEW, pages: FEW }, clock: () => 0 });
  for (const path of ["/docs", "/openrpc.json", "/snapshot/none"]) await get(node, path);
  const refused = await get(node, "/docs");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "0"]);
  expect(JSON.parse(refused.body.toString()).error.message).toBe("RATE_LIMIT_EXCEEDED");
  expect(await statusOf(node, "/docs", "127.0.0.2")).toBe(200);
  expect([await statusOf(node, "/health"), await statusOf(node, "/metrics")]).toEqual([200, 200]);
  expect((await post(node, "{}")).status).toBe(200);
  expect(node.port.counts().refused["page-rate"]).toBe(1);
});

test("content spends calls, for it enters the node's queue, and large content several", async () => {
  const node = await fakeNode({ limits: { rate: { ...FEW, burst: 10 } }, clock: () => 0 });
  const content = Buffer.alloc(2_000_000).toString("base64");
  node.onCall = ({ replyTo }) => {
    node.port.reply(replyTo, `{"jsonrpc":"2.0","id":null,"result":{"content":"${content}"}}`);
    return true;
  };
  expect(await statusOf(node, "/ipfs/bafk1")).toBe(200);
  expect((await post(node, "{}")).status).toBe(200);
  expect(await statusOf(node, "/content/bafk1")).toBe(200);
  // 1 + 7, 1, 1 + 7: six more than the burst.
  expect([await statusOf(node, "/ipfs/bafk1"), (await post(node, "{}")).status]).toEqual([429, 429]);
  expect(node.calls).toHaveLength(3);
});

test("a client takes so many snapshots at once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "snapshots-"));
  try {
    writeFileSync(join(folder, "large.tar.gz"), Buffer.alloc(32_000_000));
    const node = await fakeNode({ snapshotDirectory: folder, limits: { clientDownloadsMax: 1 } });
    const slow = await connected(node);
    slow.write("GET /snapshot/large HTTP/1.1\r\nHost: n\r\n\r\n");
    await new Promise((resolve) => slow.once("readable", resolve));
    expect(await statusOf(node, "/snapshot/large")).toBe(429);
    expect(node.port.counts().refused.downloads).toBe(1);
    slow.destroy();
    await until(async () => (await statusOf(node, "/snapshot/large")) === 200, 20);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a page is named by what it holds, and whoever has it gets no body", async () => {
  const node = await fakeNode();
  for (const path of ["/openrpc.json", "/docs"]) {
    const first = await get(node, path);
    const name = String(first.headers.etag);
    for (const known of [name, `"other", ${name}`, name.replace("W/", ""), "*"]) {
      const again = await get(node, path, { "if-none-match": known });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, name]);
    }
    expect((await get(node, path, { "if-none-match": '"other"' })).status).toBe(200);
  }
});

test.each([
  ["gzip", true],
  ["br, GZIP;q=0.5", true],
  ["*", true],
  ["gzip;q=0", false],
  ["*;q=0", false],
  ["gzip;q=0, *", false],
  ["br", false],
  ["", false],
])("a client that takes %j gets the page compressed: %s", async (accepted, compressed) => {
  const node = await fakeNode();
  const { headers, body } = await get(node, "/openrpc.json", { "accept-encoding": accepted });
  expect(headers["content-encoding"]).toBe(compressed ? "gzip" : undefined);
  expect(headers["content-length"]).toBe(String(body.length));
  expect((compressed ? gunzipSync(body) : body).toString()).toBe(JSON.stringify(DOCUMENT));
});
