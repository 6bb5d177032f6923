/**
 * Goal: what leaves a node for a gateway is one signed POST, and no gateway can make the node do more, wait longer or
 * hold more than that. Method: a real HTTP server on this machine for every kind of answer; verdicts are awaited.
 */
import { expect, test } from "vitest";
import type { HttpGatewayOptions } from "../../adapters/gateway/http-gateway.ts";
import { BODY_BYTES_MAX, IN_FLIGHT_MAX, openHttpGateway } from "../../adapters/gateway/http-gateway.ts";
import { compareText } from "../../core/kernel/text.ts";
import type { GatewayPort } from "../../core/ports/gateway.ts";
import { createLoop } from "../../sim/clock.ts";
import { openNodeGateway } from "../../sim/gateway.ts";
import { WORLD_START } from "../../sim/world.ts";
import { NEVER_MS, until } from "../until.ts";
import { delivery, describeGateway } from "./gateway.contract.ts";
import { openGatewayServer } from "./gateway-server.ts";

/** An HTTP gateway port that says when nothing is in hand any more. */
function openWatched(options: Partial<HttpGatewayOptions> = {}) {
  const inHand = new Set<string>();
  const verdicts: string[] = [];
  let notify: () => void = () => undefined;
  let closed = false;
  const port = openHttpGateway({
    allowPrivate: true,
    timeoutMs: NEVER_MS,
    ...options,
    delivered(dispatch, taken) {
      verdicts.push(`${dispatch} ${taken}`);
      options.delivered?.(dispatch, taken);
      inHand.delete(dispatch);
      notify();
    },
  });
  const watched: GatewayPort = {
    deliver(order) {
      if (!closed) inHand.add(order.dispatch);
      port.deliver(order);
    },
    close(done) {
      closed = true;
      inHand.clear();
      port.close(done);
    },
  };
  const settle = async () => {
    while (inHand.size > 0) {
      await new Promise<void>((done) => {
        notify = done;
      });
    }
  };
  return { port: watched, verdicts, settle, close: () => new Promise<void>((done) => watched.close(done)) };
}

describeGateway("HTTP", async (delivered) => {
  const server = await openGatewayServer((response) => response.writeHead(204).end());
  const { port, settle, close } = openWatched({ delivered });
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= close().then(() => server.close());
    return ended;
  };
  return { port, endpoint: `${server.url}/deliver`, settle, end };
});

describeGateway("simulated", async (delivered) => {
  const loop = createLoop(WORLD_START);
  const port = openNodeGateway(7n, "node/0", loop).open(delivered);
  const settle = () => loop.runDry(10_000);
  return { port, endpoint: "https://gw.example.org", settle, end: async () => port.close(() => undefined) };
});

/** What became of one delivery to a server that answers so. */
async function verdictOf(
  answer: Parameters<typeof openGatewayServer>[0],
  options: Partial<HttpGatewayOptions> = {},
  order = (url: string) => delivery("d", `${url}/deliver`),
) {
  const server = await openGatewayServer(answer);
  const gateway = openWatched(options);
  gateway.port.deliver(order(server.url));
  await gateway.settle();
  await gateway.close();
  await server.close();
  return { verdict: gateway.verdicts.join(), received: server.received };
}

test("a delivery is one POST of the payload's bytes, signed by the node", async () => {
  const { verdict, received } = await verdictOf(
    (response) => response.writeHead(200).end("thanks"),
    {},
    (url) => delivery("d", `${url.replace("//", "//user:secret@")}/deliver?to=1`),
  );
  expect(verdict).toBe("d true");
  expect(received.map(({ method, path, body }) => [method, path, body.toString()])).toEqual([
    ["POST", "/deliver?to=1", '{"of":"d"}'],
  ]);
  expect(received[0]?.headers).toMatchObject({
    "content-type": "application/json",
    "content-length": "10",
    "x-openfiat-node": "12D3KooWnode",
    "x-openfiat-signature": "signature",
  });
  expect(received[0]?.headers).not.toHaveProperty("authorization");
});

test.each([
  [200, true],
  [204, true],
  [299, true],
  [301, false],
  [400, false],
  [500, false],
])("status %i says %s", async (status, taken) => {
  expect((await verdictOf((response) => response.writeHead(status).end())).verdict).toBe(`d ${taken}`);
});

test("a redirect is followed nowhere", async () => {
  const target = await openGatewayServer((response) => response.writeHead(200).end());
  const { verdict } = await verdictOf((response) => response.writeHead(307, { location: `${target.url}/other` }).end());
  expect(verdict).toBe("d false");
  expect(target.received).toEqual([]);
  await target.close();
});

test("an answer without end has been taken by its first line, and holds nothing", async () => {
  const { verdict } = await verdictOf((response) => response.writeHead(200).write("and on and on"));
  expect(verdict).toBe("d true");
});

test("a gateway that never answers has failed when its time is over", async () => {
  expect((await verdictOf(() => undefined, { timeoutMs: 30 })).verdict).toBe("d false");
});

test("a gateway that hangs up, and one that is not there, have failed", async () => {
  expect((await verdictOf((response) => response.destroy())).verdict).toBe("d false");
  const gone = await openGatewayServer(() => undefined);
  await gone.close();
  const gateway = openWatched();
  gateway.port.deliver(delivery("d", gone.url));
  await gateway.settle();
  expect(gateway.verdicts).toEqual(["d false"]);
  await gateway.close();
});

test.each([
  "",
  "gw.example.org",
  "/ip4/1.2.3.4/tcp/1",
  "ftp://gw.example.org",
  "file:///etc/passwd",
  "http://",
  "https://:1",
])("%j is no endpoint", async (endpoint) => {
  const gateway = openWatched();
  gateway.port.deliver(delivery("d", endpoint));
  await gateway.settle();
  expect(gateway.verdicts).toEqual(["d false"]);
  await gateway.close();
});

test("the largest body passes, one byte more does not leave", async () => {
  const accept = (response: { writeHead(status: number): { end(): void } }) => void response.writeHead(200).end();
  const largest = await verdictOf(accept, {}, (url) => delivery("d", url, "x".repeat(BODY_BYTES_MAX)));
  expect([largest.verdict, largest.received[0]?.body.length]).toEqual(["d true", BODY_BYTES_MAX]);
  const larger = await verdictOf(accept, {}, (url) => delivery("d", url, "x".repeat(BODY_BYTES_MAX + 1)));
  expect([larger.verdict, larger.received]).toEqual(["d false", []]);
});

test("one request at once to an endpoint, in order; so many at once in all", async () => {
  const held: (() => void)[] = [];
  const server = await openGatewayServer((response) => void held.push(() => response.writeHead(200).end()));
  const gateway = openWatched();
  const endpoints = IN_FLIGHT_MAX + 6;
  const deliver = (from: number, until: number) => {
    for (let n = from; n < until; n++) gateway.port.deliver(delivery(`d${n}`, `${server.url}/${n % endpoints}`));
  };
  deliver(0, 2 * endpoints);
  await until(() => server.received.length === IN_FLIGHT_MAX);
  // What comes while a request is under way waits for it as well.
  deliver(2 * endpoints, 3 * endpoints);
  while (gateway.verdicts.length < 3 * endpoints) {
    for (const answer of held.splice(0)) answer();
    await new Promise((done) => setImmediate(done));
  }
  expect([...server.most.values()].every((most) => most === 1)).toBe(true);
  for (let n = 0; n < endpoints; n++) {
    const bodies = server.received.filter(({ path }) => path === `/${n}`).map(({ body }) => body.toString());
    expect(bodies).toEqual([0, 1, 2].map((round) => `{"of":"d${n + round * endpoints}"}`));
  }
  await gateway.close();
  await server.close();
});

test("what comes for an endpoint that is busy waits, while others are served", async () => {
  const held: (() => void)[] = [];
  const server = await openGatewayServer((response, { path }) => {
    const answer = () => response.writeHead(200).end();
    if (path === "/busy") held.push(answer);
    else answer();
  });
  const gateway = openWatched();
  const served = (dispatch: string) => until(() => gateway.verdicts.includes(`${dispatch} true`));
  gateway.port.deliver(delivery("first", `${server.url}/busy`));
  await until(() => held.length === 1);
  gateway.port.deliver(delivery("second", `${server.url}/busy`));
  for (const other of ["a", "b", "c"]) {
    gateway.port.deliver(delivery(other, `${server.url}/${other}`));
    await served(other);
  }
  expect(held.length).toBe(1);
  held.shift()?.();
  await until(() => held.length === 1);
  held.shift()?.();
  await gateway.settle();
  expect(server.most.get("/busy")).toBe(1);
  expect([...gateway.verdicts].sort(compareText)).toEqual(["a true", "b true", "c true", "first true", "second true"]);
  await gateway.close();
  await server.close();
});

test("what is more than the queue holds has failed at once; the rest is not touched", async () => {
  const server = await openGatewayServer((response) => response.writeHead(200).end());
  const gateway = openWatched({ queueMax: 3 });
  for (let n = 0; n < 5; n++) gateway.port.deliver(delivery(`d${n}`, server.url));
  await gateway.settle();
  expect([...gateway.verdicts].sort(compareText)).toEqual(["d0 true", "d1 true", "d2 true", "d3 false", "d4 false"]);
  await gateway.close();
  await server.close();
});
