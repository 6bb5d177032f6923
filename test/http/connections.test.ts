// Goal: new connections are bounded for each client, and one beyond them ends unread, though not at once.
// Method: real sockets from addresses of loopback, under a clock that stands still until it is moved.
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { NEVER_MS, until } from "../until.ts";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode } from "./fake-node.ts";

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const ASK = "GET /health HTTP/1.1\r\nHost: n\r\n\r\n";

/** Asks over a connection of its own, from an address of loopback: the first line of the answer, or none. */
function asked(node: FakeNode, localAddress = "127.0.0.1", text = ASK): Promise<string | undefined> {
  const socket = connect({ port: node.port.address.port, host: "127.0.0.1", localAddress });
  sockets.push(socket.on("error", () => undefined));
  socket.write(text);
  return new Promise((resolve) => {
    socket.once("data", (bytes) => resolve(String(bytes).split("\r\n")[0]));
    socket.once("close", () => resolve(undefined));
  });
}

const OK = "HTTP/1.1 200 OK";
const THREE = { burst: 3, intervalMs: 250, clientsMax: 9 };

test("a client opens as many connections as it may, and keeps nobody else out", async () => {
  const clock = { now: 0 };
  const node = await fakeNode({ limits: { newConnections: THREE }, clock: () => clock.now });
  const answers = [];
  for (let n = 0; n < 5; n++) answers.push(await asked(node));
  expect(answers).toEqual([OK, OK, OK, undefined, undefined]);
  expect(await asked(node, "127.0.0.2")).toBe(OK);
  expect(node.port.counts().refused).toMatchObject({ "connection-rate": 2, "client-connections": 0 });
  clock.now += 250;
  expect([await asked(node), await asked(node)]).toEqual([OK, undefined]);
});

test("requests over a connection that is open open none", async () => {
  const node = await fakeNode({ limits: { newConnections: { ...THREE, burst: 1 } }, clock: () => 0 });
  const offer = "GET /health HTTP/1.1\r\nHost: n\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n";
  expect(await asked(node, "127.0.0.1", `${offer}${ASK}`)).toBe(OK);
  await until(() => node.port.counts().connections === 1);
  expect(node.port.counts().refused["connection-rate"]).toBe(0);
});

test.each(["/elsewhere", "/ws"])(
  "an offer that is refused at %s ends its connection, whatever its client keeps",
  async (path) => {
    const node = await fakeNode();
    const socket = connect({ port: node.port.address.port, host: "127.0.0.1", allowHalfOpen: true });
    sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: n\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`);
    let told = "";
    socket.on("data", (bytes) => (told += String(bytes)));
    await new Promise((resolve) => socket.once("end", resolve));
    expect(told).toMatch(/^HTTP\/1\.1 40[04] /);
    await until(() => node.port.counts().connections === 0);
  },
);

test("a trusted proxy opens those of many clients", async () => {
  const limits = { newConnections: { ...THREE, burst: 1 } };
  const node = await fakeNode({ limits, trustedProxies: ["127.0.0.1"], clock: () => 0 });
  for (let n = 0; n < 3; n++) expect(await asked(node)).toBe(OK);
  expect([await asked(node, "127.0.0.2"), await asked(node, "127.0.0.2")]).toEqual([OK, undefined]);
});

test("one that is refused stays for a while, counts meanwhile, and ends unread", async () => {
  const limits = { newConnections: { ...THREE, burst: 1 }, refusalMs: NEVER_MS, clientConnectionsMax: 2 };
  const node = await fakeNode({ limits, clock: () => 0 });
  expect(await asked(node)).toBe(OK);
  let end: string | undefined = "none yet";
  const refused = asked(node).then((answer) => {
    end = answer;
  });
  // Who gives his half up, as attackers do, waits like others.
  sockets.at(-1)?.end();
  await until(() => node.port.counts().refused["connection-rate"] === 1);
  expect(await asked(node)).toBe(undefined);
  expect([node.port.counts().refused["client-connections"], end]).toEqual([1, "none yet"]);
  await node.close();
  await refused;
  expect(end).toBe(undefined);
});
