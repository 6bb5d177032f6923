// Goal: small answers are bounded for each client: what watches the node, preflights, and refusals of every kind;
// others are answered meanwhile, and calls and pages are counted apart.
// Method: each such request from a client that has had its allowance, under a clock that stands still.
import { Agent, request } from "node:http";
import { expect, test } from "vitest";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode, post } from "./fake-node.ts";

interface Aside {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
}

/** Asks over a connection of its own, from an address of loopback. */
function statusOf(node: FakeNode, { method = "GET", path, headers = {} }: Aside, from = "127.0.0.1"): Promise<number> {
  const { port } = node.port.address;
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path, method, headers, localAddress: from, agent });
    call.on("response", (response) => resolve(response.resume().statusCode ?? 0));
    call.on("upgrade", () => resolve(101));
    call.on("error", reject).end();
  });
}

const offer = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": "x" };
const ASIDES: readonly (readonly [Aside, number])[] = [
  [{ path: "/health" }, 200],
  [{ method: "HEAD", path: "/health" }, 200],
  [{ path: "/metrics" }, 200],
  [{ method: "OPTIONS", path: "/rpc" }, 200],
  [{ method: "OPTIONS", path: "/health" }, 200],
  [{ path: "/ws" }, 426],
  [{ path: "/nowhere" }, 404],
  [{ method: "POST", path: "/nowhere" }, 404],
  [{ path: "/rpc" }, 405],
  [{ method: "DELETE", path: "/docs" }, 405],
  [{ path: "/%zz" }, 400],
  [{ method: "POST", path: "/health", headers: { "content-type": "nonsense", "content-length": "0" } }, 405],
  [{ method: "POST", path: "/nowhere", headers: { "content-type": "nonsense", "transfer-encoding": "chunked" } }, 404],
  [{ path: "/health", headers: { expect: "something" } }, 200],
  [{ path: "/nowhere", headers: offer }, 404],
  [{ path: "/ws?scope=none", headers: offer }, 400],
];
const ONE = { burst: 1, intervalMs: 250, clientsMax: 9 };

test.each(ASIDES)("%j is answered %i, and as often as its client may ask", async (aside, status) => {
  const clock = { now: 0 };
  const node = await fakeNode({ limits: { asides: ONE }, clock: () => clock.now });
  expect([await statusOf(node, aside), await statusOf(node, aside)]).toEqual([status, 429]);
  expect(await statusOf(node, aside, "127.0.0.2")).toBe(status);
  clock.now += 250;
  expect([await statusOf(node, aside), await statusOf(node, aside)]).toEqual([status, 429]);
  expect(node.port.counts().refused["aside-rate"]).toBe(2);
});

test.each(["/health", "/nowhere"])("who is not admitted hears 401 at %s as often as he may ask", async (path) => {
  const node = await fakeNode({ limits: { asides: ONE }, clock: () => 0, admits: () => false });
  expect([await statusOf(node, { path }), await statusOf(node, { path })]).toEqual([401, 429]);
  const offered = { path: "/ws", headers: offer };
  expect([await statusOf(node, offered, "127.0.0.2"), await statusOf(node, offered, "127.0.0.2")]).toEqual([401, 429]);
});

test("calls, pages and asides are counted apart", async () => {
  const node = await fakeNode({ limits: { rate: ONE, pages: ONE, asides: ONE }, clock: () => 0 });
  const ask = async () => [
    await statusOf(node, { method: "OPTIONS", path: "/rpc" }),
    await statusOf(node, { path: "/docs" }),
    (await post(node, "{}")).status,
  ];
  expect([await ask(), await ask()]).toEqual([
    [200, 200, 200],
    [429, 429, 429],
  ]);
  const { "call-rate": calls, "page-rate": pages, "aside-rate": asides } = node.port.counts().refused;
  expect([calls, pages, asides]).toEqual([1, 1, 1]);
});
