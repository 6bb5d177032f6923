// Goal: the API port over real HTTP: every call is answered once, no handle outlives its client, and a server that
// cannot start or that stops says so.
import { createServer } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../adapters/http/limits.ts";
import { openApiServer } from "../../adapters/http/server.ts";
import type { FakeNode } from "../http/fake-node.ts";
import { fakeNode, post } from "../http/fake-node.ts";
import { NEVER_MS, until } from "../until.ts";

const HANDLERS = { called: () => true, healthy: () => true, openrpc: () => "{}" };

async function untilWaiting(node: FakeNode, count: number): Promise<void> {
  await until(() => node.port.counts().callsWaiting === count);
}

describe("handles", () => {
  test("a client that leaves gives its handle back, and the late answer goes nowhere", async () => {
    const node = await fakeNode();
    node.onCall = () => true;
    const leaving = new AbortController();
    const left = post(node, "{}", { signal: leaving.signal }).catch((error: Error) => error.name);
    const call = await node.call(1);
    await untilWaiting(node, 1);
    leaving.abort();
    expect(await left).toBe("AbortError");
    await untilWaiting(node, 0);
    node.port.reply(call.replyTo, "late");
    node.port.reply("unknown", "nobody");
  });

  test("a client that leaves before its call is complete is never heard of", async () => {
    const node = await fakeNode();
    const socket = connect(node.port.address.port, "127.0.0.1");
    socket.write("POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 100\r\n\r\nhalf");
    await new Promise<void>((resolve) => socket.end(resolve));
    socket.resume();
    await new Promise((resolve) => socket.on("close", resolve));
    await untilWaiting(node, 0);
    expect(node.calls).toEqual([]);
  });

  test("a second answer to one call is ignored", async () => {
    const node = await fakeNode();
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, "first");
      node.port.reply(replyTo, "second");
      return true;
    };
    expect(await (await post(node, "{}")).text()).toBe("first");
    expect(await (await post(node, "{}")).text()).toBe("first");
  });
});

describe("starting", () => {
  test("the address is the one really bound", async () => {
    const node = await fakeNode({ host: "127.0.0.1", port: 0 });
    expect(node.port.address.host).toBe("127.0.0.1");
    expect(node.port.address.port).toBeGreaterThan(0);
    expect((await fetch(`${node.url}/health`)).status).toBe(200);
  });

  test("a port in use is one clear failure, and nothing stays open", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.on("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const result = await openApiServer({ host: "127.0.0.1", port, handlers: HANDLERS });
    const reason = `cannot listen on 127.0.0.1:${port}: the port is in use`;
    expect(result).toEqual({ ok: false, error: { code: "bind", reason } });
    taken.close();
  });

  test.each([
    ["192.0.2.1", 0, "cannot listen on 192.0.2.1:0: this machine has no such address"],
    ["127.0.0.1", 70_000, /^cannot listen on 127\.0\.0\.1:70000: /],
    ["no such host", 0, /^cannot listen on no such host:0: /],
  ])("%s:%i is one clear failure", async (host, port, reason) => {
    const result = await openApiServer({ host, port, handlers: HANDLERS });
    expect(result).toMatchObject({ ok: false, error: { code: "bind" } });
    if (!result.ok) expect(result.error.reason).toMatch(reason);
  });

  test("the limits are the protocol's", () => {
    expect(DEFAULT_LIMITS).toMatchObject({
      rate: { burst: 120, intervalMs: 500 },
      bodyBytesMax: 2_097_152,
      subscriberMessagesMax: 1024,
    });
  });

  test("a connection above the bound is closed as it comes", async () => {
    const node = await fakeNode({ limits: { connectionsMax: 1 } });
    const first = connect(node.port.address.port, "127.0.0.1");
    await new Promise<void>((resolve) => first.on("connect", resolve));
    first.write("GET /health HTTP/1.1\r\nHost: n\r\n\r\n");
    await new Promise((resolve) => first.once("data", resolve));
    const second = connect(node.port.address.port, "127.0.0.1");
    second.on("error", () => undefined);
    await new Promise((resolve) => second.on("close", resolve));
    first.destroy();
  });
});

describe("stopping", () => {
  test("a call that waits has the node's answer, new connections are refused, done is called each time", async () => {
    const node = await fakeNode({ limits: { closingMs: NEVER_MS } });
    node.onCall = () => true;
    const waiting = post(node, "{}");
    const { replyTo } = await node.call(1);
    const closed = [node.close(), node.close()];
    // It was taken and may be stored: whoever was told otherwise would be told wrong.
    node.port.reply(replyTo, '{"kept":true}');
    const answer = await waiting;
    expect(await answer.json()).toEqual({ kept: true });
    expect(answer.headers.get("connection")).toBe("close");
    await Promise.all(closed);
    await expect(fetch(`${node.url}/health`)).rejects.toThrow();
    await node.close();
  });

  test("a call that the node does not answer hears at the end that it stops", async () => {
    const node = await fakeNode({ limits: { closingMs: 50 } });
    node.onCall = () => true;
    const waiting = post(node, "{}");
    await node.call(1);
    await node.close();
    expect(await (await waiting).json()).toMatchObject({ id: null, error: { code: -32603 } });
  });

  test("a client that holds its connection open does not hold the server", async () => {
    const node = await fakeNode({ limits: { closingMs: 50 } });
    const half = connect(node.port.address.port, "127.0.0.1");
    half.on("error", () => undefined);
    await new Promise<void>((resolve) => half.on("connect", resolve));
    half.write("POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 100\r\n\r\nhalf");
    await fetch(`${node.url}/health`);
    await node.close();
  });
});
