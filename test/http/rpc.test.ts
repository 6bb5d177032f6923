// Goal: POST /rpc moves text unchanged, whatever it is called, and answers as the protocol's tables say.
// Source: protocol 01 §10.2-§10.4.
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import * as own from "../../adapters/http/answers.ts";
import { NEVER_MS, until } from "../until.ts";
import { ANSWER, fakeNode, post } from "./fake-node.ts";

const INVALID_PARAMETER =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"INVALID_PARAMETER",' +
  '"data":{"ofsErrorCode":3,"ofsErrorName":"INVALID_PARAMETER","ofsRetryable":false}}}';
const RATE_LIMIT_EXCEEDED =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"RATE_LIMIT_EXCEEDED",' +
  '"data":{"ofsErrorCode":9,"ofsErrorName":"RATE_LIMIT_EXCEEDED","ofsRetryable":true}}}';

/** Sends bytes over a plain connection and gives everything that comes back until the server closes. */
function raw(url: string, text: string, afterTheAnswer = ""): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let received = "";
    socket.setEncoding("utf8");
    socket.once("data", () => socket.write(afterTheAnswer));
    socket.on("data", (chunk) => {
      received += chunk;
    });
    socket.on("end", () => resolve(received)).on("error", reject);
    socket.write(text);
  });
}

describe("answers", () => {
  test("a call reaches the node as it was sent, and its answer the client as it was given", async () => {
    const node = await fakeNode();
    const answer = '{"jsonrpc":"2.0","id":1e2,"result":{"b":1.0,"a":"é\u{1f600}"}}';
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, answer);
      return true;
    };
    const body = ' {"jsonrpc":"2.0", "id":1e2,\n"method":"get\u{1f600}é"}\n';
    const response = await post(node, body);
    expect(node.calls.map((call) => call.body)).toEqual([body]);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(answer);
  });

  test.each([
    ["text/plain"],
    ["application/json; charset=utf-8"],
    ["application/x-www-form-urlencoded"],
    ["application/octet-stream"],
    ["nonsense"],
    ["/"],
    [""],
  ])("the content type %j is read the same way", async (type) => {
    const node = await fakeNode();
    const response = await post(node, new TextEncoder().encode("{}"), { headers: { "content-type": type } });
    expect([response.status, await response.text(), node.calls[0]?.body]).toEqual([200, ANSWER, "{}"]);
  });

  test("no content type and no body are read as the empty text", async () => {
    const node = await fakeNode();
    const response = await post(node, null, { headers: {} });
    expect([response.status, node.calls[0]?.body]).toEqual([200, ""]);
  });

  test("a null answer is 204 without a body", async () => {
    const node = await fakeNode();
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, null);
      return true;
    };
    const response = await post(node, "[]");
    expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([204, "", null]);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("answers in another order than the calls reach their own clients", async () => {
    const node = await fakeNode();
    node.onCall = () => true;
    const answers = ["a", "b", "c"].map((body) => post(node, body).then((response) => response.text()));
    await node.call(3);
    for (const call of node.calls.toReversed()) node.port.reply(call.replyTo, `answer ${call.body}`);
    expect(await Promise.all(answers)).toEqual(["answer a", "answer b", "answer c"]);
    expect(new Set(node.calls.map((call) => call.replyTo)).size).toBe(3);
  });

  test("several requests on one connection are answered in order", async () => {
    const node = await fakeNode();
    node.onCall = () => true;
    const one = "POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 1\r\n\r\n1";
    const two = "POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 1\r\nConnection: close\r\n\r\n2";
    const received = raw(node.url, one + two);
    await node.call(2);
    for (const call of node.calls.toReversed()) node.port.reply(call.replyTo, `[${call.body}]`);
    expect((await received).match(/\[\d\]/g)).toEqual(["[1]", "[2]"]);
  });

  test("a body that is not UTF-8 answers -32700 and does not reach the node", async () => {
    const node = await fakeNode();
    const response = await post(node, new Uint8Array([0x22, 0xff, 0x22]));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } });
    expect(node.calls).toEqual([]);
  });

  test("a client that offers HTTP/2 on the way is served in HTTP/1.1, its body included", async () => {
    const node = await fakeNode();
    const head =
      "POST /rpc HTTP/1.1\r\nHost: n\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
      "HTTP2-Settings: AAEAAEAA\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";
    const next = "POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 3\r\nConnection: close\r\n\r\n[1]";
    const received = await raw(node.url, `${head}{}`, next);
    expect(node.calls.map((call) => call.body)).toEqual(["{}", "[1]"]);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
  });
});

/** Waits until nobody new is let in. */
const untilClosed = (url: string) =>
  until(() => {
    return new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.destroy() && resolve(false));
      socket.on("error", () => resolve(true));
    });
  });

test("a call that comes on an open connection while the server closes is answered as JSON-RPC, with CORS", async () => {
  const node = await fakeNode({ limits: { closingMs: NEVER_MS } });
  const socket = connect(node.port.address.port, "127.0.0.1");
  let received = "";
  socket.setEncoding("utf8").on("data", (chunk) => (received += chunk));
  // A connection on which nothing has begun is closed at once by later versions of Node.js.
  socket.write("POST /rpc HTTP/1.1\r\nHost: n\r\n");
  await until(() => node.port.counts().connections === 1);
  await (await fetch(`${node.url}/health`)).text();
  const closed = node.close();
  await untilClosed(node.url);
  socket.end("Content-Length: 2\r\n\r\n[1");
  await Promise.all([closed, once(socket, "close")]);
  expect(received.match(/^HTTP\/1\.1 \d+/gm)).toEqual(["HTTP/1.1 200"]);
  expect(received.match(/^access-control-allow-origin: \*/gm)).toHaveLength(1);
  expect(received.match(/\{.*the node is stopping.*\}/g)).toEqual([own.STOPPING]);
  expect(node.calls).toEqual([]);
});

test("whatever the server refuses by itself is a JSON-RPC answer to no call in particular", () => {
  const { RATE_LIMIT_EXCEEDED, INVALID_PARAMETER, NOT_UTF8, STOPPING } = own;
  const bodies = Object.entries({ RATE_LIMIT_EXCEEDED, INVALID_PARAMETER, NOT_UTF8, STOPPING });
  const named = (name: string, ofsErrorCode: number, ofsRetryable: boolean) => {
    return { code: -32000, message: name, data: { ofsErrorCode, ofsErrorName: name, ofsRetryable } };
  };
  const answer = (error: unknown) => ({ jsonrpc: "2.0", id: null, error });
  expect(Object.fromEntries(bodies.map(([name, body]) => [name, JSON.parse(body)]))).toEqual({
    RATE_LIMIT_EXCEEDED: answer(named("RATE_LIMIT_EXCEEDED", 9, true)),
    INVALID_PARAMETER: answer(named("INVALID_PARAMETER", 3, false)),
    NOT_UTF8: answer({ code: -32700, message: "the body is not UTF-8" }),
    STOPPING: answer({ code: -32603, message: "the node is stopping" }),
  });
});

describe("size", () => {
  test("a body of the largest size is read, one byte more answers 413", async () => {
    const node = await fakeNode();
    const limit = 2 * 1024 * 1024;
    expect((await post(node, "x".repeat(limit))).status).toBe(200);
    expect(node.calls[0]?.body.length).toBe(limit);
    const response = await post(node, "x".repeat(limit + 1));
    expect(response.status).toBe(413);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.text()).toBe(INVALID_PARAMETER);
    expect(node.calls.length).toBe(1);
  });

  test("a body that says it is too large is refused before it is sent", async () => {
    const node = await fakeNode();
    const socket = connect(node.port.address.port, "127.0.0.1");
    socket.write("POST /rpc HTTP/1.1\r\nHost: n\r\nContent-Length: 2097153\r\n\r\n");
    const answer = await new Promise<string>((resolve) => socket.once("data", (chunk) => resolve(String(chunk))));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test("a body that does not say its size is cut at the same bound", async () => {
    const node = await fakeNode({ limits: { bodyBytesMax: 1000 } });
    const [status, text] = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const call = request(`${node.url}/rpc`, { method: "POST" }, (response) => {
        let received = "";
        response.setEncoding("utf8");
        response.on("data", (chunk) => {
          received += chunk;
        });
        response.on("end", () => resolve([response.statusCode, received]));
      });
      call.on("error", reject);
      for (let sent = 0; sent < 20; sent += 1) call.write("y".repeat(100));
      call.end();
    });
    expect([status, text]).toEqual([413, INVALID_PARAMETER]);
    expect(node.calls).toEqual([]);
  });

  test("when too many bytes are on their way at once, a call is refused as if the queue were full", async () => {
    const node = await fakeNode({ limits: { receivingBytesMax: 1000 } });
    const response = await post(node, "x".repeat(1001));
    expect([response.status, await response.text()]).toEqual([200, RATE_LIMIT_EXCEEDED]);
    expect((await post(node, "x".repeat(900))).status).toBe(200);
    expect((await post(node, "x".repeat(900))).status).toBe(200);
    expect(node.calls.length).toBe(2);
  });
});

test("one client whose bodies are on their way keeps no room from others, and has it again when he is gone", async () => {
  const node = await fakeNode({ limits: { receivingBytesMax: 2000, clientReceivingBytesMax: 1500 } });
  const begin = (localAddress: string): ClientRequest => {
    const { port } = node.port.address;
    const call = request({ ...{ host: "127.0.0.1", port, localAddress, path: "/rpc", method: "POST" }, agent: false });
    call.on("error", () => undefined).setHeader("content-length", 1000);
    call.write("x".repeat(900));
    return call;
  };
  const taken = async (call: ClientRequest): Promise<string> => {
    const [response] = (await once(call.end("x".repeat(100)), "response")) as [IncomingMessage];
    return String(Buffer.concat(await response.toArray()));
  };
  const greedy = [begin("127.0.0.1"), begin("127.0.0.1")];
  await until(() => node.port.counts().refused["bodies-at-once"] === 1);
  expect(await taken(begin("127.0.0.2"))).toBe(ANSWER);
  for (const call of greedy) call.destroy();
  await until(() => node.port.counts().connections === 0);
  expect(await taken(begin("127.0.0.1"))).toBe(ANSWER);
});

describe("queue", () => {
  test("a full queue answers 200 with RATE_LIMIT_EXCEEDED", async () => {
    const node = await fakeNode();
    node.onCall = () => false;
    const response = await post(node, "{}");
    expect([response.status, await response.text()]).toEqual([200, RATE_LIMIT_EXCEEDED]);
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  test("what a node answers to a call it did not take is ignored", async () => {
    const node = await fakeNode();
    node.onCall = ({ replyTo }) => {
      queueMicrotask(() => node.port.reply(replyTo, RATE_LIMIT_EXCEEDED));
      return false;
    };
    expect(await (await post(node, "{}")).text()).toBe(RATE_LIMIT_EXCEEDED);
    // Answered once, so counted once.
    expect(await (await fetch(`${node.url}/metrics`)).text()).toMatch(/^rpc_errors_total 1$/m);
  });
});
