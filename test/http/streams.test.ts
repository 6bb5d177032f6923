// Goal: /ws gives every subscriber what it asked for, in order, and nobody's slowness becomes the node's.
// Source: protocol 01 §10.6, W13.

import type { Socket } from "node:net";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { DEFAULT_LIMITS } from "../../adapters/http/limits.ts";
import { NEVER_MS } from "../until.ts";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode } from "./fake-node.ts";

const KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
const FRAME = '{"method":"sendSessionEstablish","result":"sess-1"}';

interface Listener {
  readonly socket: WebSocket;
  readonly received: string[];
  /** Waits until so many messages have come. */
  readonly messages: (count: number) => Promise<readonly string[]>;
  readonly closed: Promise<readonly [code: number, reason: string]>;
}

async function listen(node: FakeNode, path = "/ws"): Promise<Listener> {
  const socket = new WebSocket(`ws://127.0.0.1:${node.port.address.port}${path}`);
  const received: string[] = [];
  let wanted = { count: Number.POSITIVE_INFINITY, resolve: (_messages: readonly string[]): void => undefined };
  socket.on("message", (data, binary) => {
    received.push(binary ? "binary" : String(data));
    if (received.length >= wanted.count) wanted.resolve([...received]);
  });
  const closed = new Promise<readonly [number, string]>((resolve) => {
    socket.on("close", (code, reason) => resolve([code, String(reason)]));
  });
  await new Promise<void>((resolve, reject) => socket.on("open", resolve).on("error", reject));
  return {
    socket,
    received,
    closed,
    messages: (count) =>
      new Promise((resolve) => {
        wanted = { count, resolve };
        if (received.length >= count) resolve([...received]);
      }),
  };
}

/** Opens a stream by hand: nothing is read after the handshake until the test does. */
async function listenRaw(node: FakeNode): Promise<Socket> {
  const socket = connect(node.port.address.port, "127.0.0.1");
  socket.write(
    "GET /ws HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
  );
  await new Promise<void>((resolve) => socket.once("readable", resolve));
  let head = "";
  while (!head.endsWith("\r\n\r\n")) head += String(socket.read(1) ?? "");
  expect(head).toMatch(/^HTTP\/1\.1 101 /);
  return socket;
}

/** Waits until so many listen; each look is an answer of the server, so it has moved on. */
async function untilListening(node: FakeNode, wanted: number): Promise<void> {
  while ((await listening(node)) !== wanted);
}

async function listening(node: FakeNode): Promise<number> {
  await (await fetch(`${node.url}/health`)).text();
  return node.port.counts().subscribers;
}

describe("scope", () => {
  test("own changes reach everyone, gossip only those who asked for all", async () => {
    const node = await fakeNode();
    const own = await listen(node);
    const named = await listen(node, "/ws?scope=own");
    const all = await listen(node, "/ws?scope=all");
    node.port.publish("gossip", "g1");
    node.port.publish("own", FRAME);
    node.port.publish("gossip", "g2");
    node.port.publish("own", "o2 é\u{1f600}");
    expect(await all.messages(4)).toEqual(["g1", FRAME, "g2", "o2 é\u{1f600}"]);
    expect(await own.messages(2)).toEqual([FRAME, "o2 é\u{1f600}"]);
    expect(await named.messages(2)).toEqual([FRAME, "o2 é\u{1f600}"]);
  });

  test("nothing is replayed to those who come later", async () => {
    const node = await fakeNode();
    node.port.publish("own", "before");
    const late = await listen(node);
    node.port.publish("own", "after");
    expect(await late.messages(1)).toEqual(["after"]);
  });

  test.each([
    ["/ws?scope=gossip", 400],
    ["/wsx", 404],
    ["/rpc", 404],
  ])("a stream at %s is refused with %i", async (path, status) => {
    const node = await fakeNode();
    await expect(listen(node, path)).rejects.toThrow(`${status}`);
  });
});

test.each([
  ["without a key", "GET", "Sec-WebSocket-Version: 13\r\n", "Missing or invalid Sec-WebSocket-Key header"],
  ["of a version before", "GET", KEY, "Missing or invalid Sec-WebSocket-Version header"],
  ["that is posted", "POST", `${KEY}Sec-WebSocket-Version: 13\r\n`, "Invalid HTTP method"],
])("a handshake %s is refused in plain text, which pages may read", async (_what, method, headers, reason) => {
  const node = await fakeNode();
  const socket = connect(node.port.address.port, "127.0.0.1");
  socket.write(`${method} /ws HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`);
  const answer = String(Buffer.concat(await socket.toArray()));
  const [head = "", body] = answer.split("\r\n\r\n");
  const [status, ...others] = head.toLowerCase().split("\r\n");
  expect([status, body]).toEqual(["http/1.1 400 bad request", reason]);
  expect(others).toEqual(
    expect.arrayContaining([
      ...["content-type: text/plain; charset=utf-8", "access-control-allow-origin: *", "sec-websocket-version: 13"],
    ]),
  );
});

describe("being there", () => {
  test("pings are answered, with their payload", async () => {
    const node = await fakeNode();
    const { socket } = await listen(node);
    const pong = new Promise((resolve) => socket.on("pong", (data) => resolve(String(data))));
    socket.ping("are you there");
    expect(await pong).toBe("are you there");
  });

  test("a ping in text, which browsers can send, is answered alone", async () => {
    const node = await fakeNode();
    const [asking, other] = [await listen(node), await listen(node)];
    for (const text of ["PING", "ping", Buffer.from("ping")]) asking.socket.send(text);
    expect(await asking.messages(1)).toEqual(['{"method":"pong"}']);
    asking.socket.send("ping");
    expect(await asking.messages(2)).toEqual(['{"method":"pong"}', '{"method":"pong"}']);
    expect(other.received).toEqual([]);
  });

  test("what a subscriber sends changes nothing", async () => {
    const node = await fakeNode();
    const listener = await listen(node);
    listener.socket.send('{"jsonrpc":"2.0","id":1,"method":"getVersion"}');
    listener.socket.send(Buffer.alloc(60_000));
    const pong = new Promise((resolve) => listener.socket.on("pong", resolve));
    listener.socket.ping();
    await pong;
    node.port.publish("own", FRAME);
    expect(await listener.messages(1)).toEqual([FRAME]);
    expect(node.calls).toEqual([]);
  });

  test("a frame too large to throw away ends the stream with 1009", async () => {
    const node = await fakeNode();
    const listener = await listen(node);
    listener.socket.send(Buffer.alloc(100_000));
    expect((await listener.closed)[0]).toBe(1009);
  });

  test("a close is noticed at once, and a broken connection too", async () => {
    const node = await fakeNode();
    const [first, second] = [await listen(node), await listen(node)];
    await untilListening(node, 2);
    first.socket.close();
    await untilListening(node, 1);
    second.socket.terminate();
    await untilListening(node, 0);
  });

  test("a subscriber that does not answer is dropped after a whole turn", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { heartbeatMs } = DEFAULT_LIMITS;
    const node = await fakeNode({ limits: { heartbeatMs } });
    const silent = await listenRaw(node);
    const there = await listen(node);
    silent.resume();
    const left = new Promise((resolve) => silent.on("close", resolve));
    const asked = new Promise((resolve) => there.socket.on("ping", resolve));
    vi.advanceTimersByTime(heartbeatMs);
    await asked;
    // Its answer went ahead of this ping, so it is known when this one is answered.
    const answered = new Promise((resolve) => there.socket.on("pong", resolve));
    there.socket.ping();
    await answered;
    expect(await listening(node)).toBe(2);
    vi.advanceTimersByTime(heartbeatMs - 1);
    expect(await listening(node)).toBe(2);
    vi.advanceTimersByTime(1);
    await left;
    node.port.publish("own", FRAME);
    expect(await there.messages(1)).toEqual([FRAME]);
  });
});

describe("bounds", () => {
  test("a connection above the cap is refused with 429, and taken when another has left", async () => {
    const node = await fakeNode({ limits: { subscribersMax: 2 } });
    const [first] = [await listen(node), await listen(node)];
    await expect(listen(node)).rejects.toThrow("429");
    first.socket.close();
    await first.closed;
    await untilListening(node, 1);
    await listen(node);
  });

  test("a subscriber too many bytes behind is closed with 1013; the others go on", async () => {
    const node = await fakeNode({ limits: { subscriberBytesMax: 1_000_000, subscriberMessagesMax: 1_000_000 } });
    const quick = await listen(node);
    const slow = await listen(node);
    slow.socket.pause();
    // The operating system takes in some megabytes before the subscriber is behind at all.
    const message = "m".repeat(500_000);
    let sent = 0;
    for (let there = 2; there === 2 && sent < 200; there = await listening(node)) {
      node.port.publish("own", message);
      sent += 1;
      await quick.messages(sent);
    }
    expect(sent).toBeLessThan(200);
    slow.socket.resume();
    expect(await slow.closed).toEqual([1013, "too slow: read again what you follow"]);
    expect(slow.received.length).toBeLessThan(sent);
    expect(quick.received.length).toBe(sent);
  });

  test("a subscriber too many messages behind is closed with 1013, after those it was still given", async () => {
    const node = await fakeNode();
    const listener = await listen(node);
    for (let n = 1; n <= 1024; n += 1) node.port.publish("own", `${n}`);
    expect((await listener.messages(1024)).at(-1)).toBe("1024");
    for (let n = 1; n <= 1025; n += 1) node.port.publish("own", `again ${n}`);
    expect((await listener.closed)[0]).toBe(1013);
    expect(listener.received.length).toBe(2048);
    node.port.publish("own", "unheard");
    await untilListening(node, 0);
  });

  test("all together too many messages behind, those beyond their share are closed with 1013, nobody else", async () => {
    const node = await fakeNode({ limits: { streamMessagesMax: 100, subscribersMax: 4 } });
    const behind = [await listen(node, "/ws?scope=all"), await listen(node, "/ws?scope=all")];
    const level = await listen(node);
    for (let n = 1; n <= 50; n += 1) node.port.publish("gossip", `${n}`);
    node.port.publish("own", FRAME);
    expect(node.port.counts().subscribers).toBe(1);
    expect(await level.messages(1)).toEqual([FRAME]);
    for (const each of behind) {
      expect((await each.closed)[0]).toBe(1013);
      expect(each.received.at(-1)).toBe("50");
    }
    // What was taken counts no more.
    for (let n = 1; n <= 90; n += 1) node.port.publish("own", `${n}`);
    expect((await level.messages(91)).at(-1)).toBe("90");
  });
});

test("closing the server says goodbye with 1001", async () => {
  const node = await fakeNode({ limits: { closingMs: NEVER_MS } });
  const listener = await listen(node);
  await node.close();
  expect((await listener.closed)[0]).toBe(1001);
});

test("closing the server cuts whoever does not say goodbye in time", async () => {
  const node = await fakeNode({ limits: { closingMs: 50 } });
  const silent = await listenRaw(node);
  silent.resume();
  await node.close();
  await new Promise((resolve) => (silent.closed ? resolve(null) : silent.on("close", resolve)));
});
