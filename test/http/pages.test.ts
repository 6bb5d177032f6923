// Goal: what describes and watches the node: every route, verb and header of the protocol's tables.
// Source: protocol 01 §10.1, §10.5, §10.7, §10.8.
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { errorsIn } from "../../adapters/http/metrics.ts";
import { DOCUMENT, fakeNode, post } from "./fake-node.ts";

const CORS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
  vary: expect.stringMatching(/^origin, access-control-request-method, access-control-request-headers/),
};

function headersOf(
  response: Response,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, response.headers.get(name)]));
}

describe("routes", () => {
  test.each([
    ["POST", "/rpc", 200, "application/json"],
    ["GET", "/openrpc.json", 200, "application/json"],
    ["GET", "/docs", 200, "text/html; charset=utf-8"],
    ["GET", "/metrics", 200, "text/plain; charset=utf-8"],
    ["GET", "/health", 200, "text/plain; charset=utf-8"],
    ["GET", "/health?now=1", 200, "text/plain; charset=utf-8"],
    ["HEAD", "/health", 200, "text/plain; charset=utf-8"],
    ["GET", "/ws", 426, "text/plain; charset=utf-8"],
    ["GET", "/", 404, "text/plain; charset=utf-8"],
    ["POST", "/nowhere", 404, "text/plain; charset=utf-8"],
    ["GET", "/rpc/", 404, "text/plain; charset=utf-8"],
    ["GET", "/%zz", 400, "text/plain; charset=utf-8"],
  ])("%s %s answers %i %s with CORS", async (method, path, status, type) => {
    const node = await fakeNode();
    const response = await fetch(`${node.url}${path}`, { method });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
    expect(headersOf(response, CORS)).toEqual(CORS);
    // The metrics page has nothing on it before the first call.
    expect((await response.text()) === "").toBe(method === "HEAD" || path === "/metrics");
  });

  test.each([
    ["GET", "/rpc", "POST"],
    ["PUT", "/rpc", "POST"],
    ["DELETE", "/rpc?x=1", "POST"],
    ["POST", "/docs", "GET,HEAD"],
    ["POST", "/openrpc.json", "GET,HEAD"],
    ["PATCH", "/metrics", "GET,HEAD"],
    ["POST", "/health", "GET,HEAD"],
    ["POST", "/ws", "GET,HEAD"],
  ])("%s %s answers 405 and allows %s", async (method, path, allow) => {
    const node = await fakeNode();
    const body = method === "GET" ? {} : { body: "{not json", headers: { "content-type": "application/json" } };
    const response = await fetch(`${node.url}${path}`, { method, ...body });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
    expect(headersOf(response, CORS)).toEqual(CORS);
    expect(node.calls).toEqual([]);
  });

  test.each(["/rpc", "/ws", "/openrpc.json", "/docs", "/metrics", "/health"])("a preflight to %s", async (path) => {
    const node = await fakeNode();
    const response = await fetch(`${node.url}${path}`, {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
      },
    });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    const allowed = { "access-control-allow-methods": "*", "access-control-allow-headers": "*" };
    expect(headersOf(response, { ...CORS, ...allowed })).toEqual({ ...CORS, ...allowed });
  });

  test("the document is given as the node wrote it", async () => {
    const node = await fakeNode();
    expect(await (await fetch(`${node.url}/openrpc.json`)).text()).toBe(JSON.stringify(DOCUMENT));
  });

  test("health is 503 while the node answers no calls", async () => {
    const node = await fakeNode();
    expect(await (await fetch(`${node.url}/health`)).text()).toBe("ok");
    node.healthy = false;
    const response = await fetch(`${node.url}/health`);
    expect([response.status, await response.text()]).toEqual([503, "the RPC actor is not running"]);
  });

  test("a request that is no HTTP is refused and closes its connection", async () => {
    const node = await fakeNode();
    const socket = connect(node.port.address.port, "127.0.0.1");
    socket.write("hello\r\n\r\n");
    let received = "";
    for await (const chunk of socket) received += chunk;
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("metrics", () => {
  const page = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

  test("neither counter is there before it counted; then both, sorted by name, with their help", async () => {
    const node = await fakeNode();
    expect(await page(node.url)).toBe("");
    await post(node, "{}");
    const requests = (n: number): string =>
      `# HELP rpc_requests_total Total JSON-RPC requests received\n# TYPE rpc_requests_total counter\nrpc_requests_total ${n}\n`;
    expect(await page(node.url)).toBe(requests(1));
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: nope"}}');
      return true;
    };
    await post(node, "{}");
    const errors =
      "# HELP rpc_errors_total Total JSON-RPC requests that returned an error\n" +
      "# TYPE rpc_errors_total counter\nrpc_errors_total 1\n";
    expect(await page(node.url)).toBe(errors + requests(2));
  });

  test("refusals that do not reach the handler are not counted", async () => {
    const rate = { burst: 2, intervalMs: 500, clientsMax: 9 };
    const node = await fakeNode({ limits: { rate, bodyBytesMax: 10 }, clock: () => 0 });
    const statuses = [
      (await post(node, "x".repeat(11))).status,
      (await post(node, "x")).status,
      (await post(node, "x")).status,
    ];
    expect(statuses).toEqual([413, 200, 429]);
    expect(await page(node.url)).toMatch(/^rpc_requests_total 1$/m);
    expect(await page(node.url)).not.toMatch(/rpc_errors_total/);
  });

  test.each([
    ['{"jsonrpc":"2.0","id":1,"result":{"error":{"code":1}}}', 0],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m"}}', 1],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"m"}}', 0],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"m"}}', 1],
    ['{"jsonrpc":"2.0","id":-1.5e3,"error":{"code":-32601,"message":"m"}}', 1],
    ['{"jsonrpc":"2.0","id":"a\\",\\"error\\":","result":1}', 0],
    ['{"jsonrpc":"2.0","id":"a\\\\","error":{"code":-32601,"message":"m"}}', 1],
    ['{"jsonrpc":"2.0","id":"","error":{"code":-32601,"message":"m"}}', 1],
    ['{"jsonrpc":"2.0","id":{"error":1},"result":2}', 0],
    ['{"jsonrpc":"2.0","id":[1,2],"error":{"code":-32602,"message":"m"}}', 1],
    ['[{"jsonrpc":"2.0","id":1,"result":1}]', 0],
    ['[{"jsonrpc":"2.0","id":1,"error":{"code":1}},{"jsonrpc":"2.0","id":2,"error":{"code":-32700}},{"error":{}}]', 2],
  ])("%s holds %i failed calls", (body, errors) => {
    expect(errorsIn(body)).toBe(errors);
  });
});
