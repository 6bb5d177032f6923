// Goal: a server that wants a token serves nobody without one, on no path and to no verb but the preflight; a file at
// hand is served like one of a directory. Method: every route with and without the header, a stream among them.
import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { FakeNode } from "./fake-node.ts";
import { ANSWER, fakeNode } from "./fake-node.ts";

const admitted = { authorization: "Bearer token" };
const guarded = () =>
  fakeNode({ admits: ({ headers }) => headers.authorization === "Bearer token", snapshotFile: () => undefined });

const paths = ["/health", "/metrics", "/docs", "/openrpc.json", "/snapshot/a", "/ipfs/a", "/ws", "/nowhere"];

/** What the handshake of a stream comes to. */
function handshake({ port }: FakeNode, headers: Record<string, string>): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port.address.port}/ws`, { headers });
  return new Promise((resolve) => {
    socket.once("unexpected-response", (_, { statusCode }) => resolve(String(statusCode)));
    socket.once("open", () => resolve("open"));
    socket.once("error", () => undefined);
  }).then((came) => {
    socket.terminate();
    return came as string;
  });
}

describe("a server that asks who it is", () => {
  test.each(paths)("answers 401 for %s, with CORS and the scheme that it wants", async (path) => {
    const node = await guarded();
    const response = await fetch(`${node.url}${path}`, { headers: { authorization: "Bearer other" } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("hands no call on, and hands on that of who is admitted", async () => {
    const node = await guarded();
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, ANSWER);
      return true;
    };
    const body = '{"jsonrpc":"2.0","id":1,"method":"getHealth"}';
    expect((await fetch(`${node.url}/rpc`, { method: "POST", body })).status).toBe(401);
    expect(node.calls).toEqual([]);
    const answered = await fetch(`${node.url}/rpc`, { method: "POST", body, headers: admitted });
    expect([answered.status, await answered.text()]).toEqual([200, ANSWER]);
  });

  test("answers a preflight, which bears no credentials", async () => {
    const node = await guarded();
    const response = await fetch(`${node.url}/rpc`, { method: "OPTIONS" });
    expect([response.status, response.headers.get("access-control-allow-headers")]).toEqual([200, "*"]);
  });

  test("opens a stream to who is admitted alone", async () => {
    const node = await guarded();
    expect([await handshake(node, {}), await handshake(node, admitted)]).toEqual(["401", "open"]);
  });
});

test("a snapshot at hand is served whole, and others are looked for where they always were", async () => {
  const bytes = Buffer.alloc(70_000, "archive ");
  const node = await fakeNode({ snapshotFile: (id) => (id === "held" ? bytes : undefined) });
  const response = await fetch(`${node.url}/snapshot/held`);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  const head = await fetch(`${node.url}/snapshot/held`, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length")]).toEqual([200, "70000"]);
  expect((await fetch(`${node.url}/snapshot/other`)).status).toBe(404);
});
