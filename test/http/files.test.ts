// Goal: snapshots and content over HTTP: found, not found, refused, and nothing but what was meant to be served.
// Source: protocol 05 §6.12; protocol 02 §G.6.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { refusalBody } from "../../core/index.ts";
import type { FakeNode } from "./fake-node.ts";
import { fakeNode } from "./fake-node.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "snapshots-"));
});
afterEach(() => {
  chmodSync(folder, 0o700);
  rmSync(folder, { recursive: true, force: true });
});

/** Asks for a path exactly as written: `fetch` would tidy it up first. */
function get(node: FakeNode, path: string): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const { port } = node.port.address;
    const call = request({ host: "127.0.0.1", port, path }, (response) => {
      let text = "";
      response.setEncoding("latin1");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve([response.statusCode, text]));
    });
    call.on("error", reject).end();
  });
}

describe("snapshots", () => {
  test("a file of the directory is streamed whole, and HEAD tells its size", async () => {
    const node = await fakeNode({ snapshotDirectory: folder });
    const bytes = Buffer.alloc(3_000_000, "snapshot ");
    writeFileSync(join(folder, "snap-1_A.tar.gz"), bytes);
    const response = await fetch(`${node.url}/snapshot/snap-1_A`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-length")).toBe("3000000");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    const head = await fetch(`${node.url}/snapshot/snap-1_A`, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "3000000", ""]);
  });

  test("an empty file is an empty answer", async () => {
    const node = await fakeNode({ snapshotDirectory: folder });
    writeFileSync(join(folder, "empty.tar.gz"), "");
    expect(await get(node, "/snapshot/empty")).toEqual([200, ""]);
  });

  test.each([
    ["/snapshot/unknown", 404, "no such snapshot"],
    [`/snapshot/${"a".repeat(128)}`, 404, "no such snapshot"],
    [`/snapshot/${"a".repeat(129)}`, 400, "invalid snapshot id"],
    ["/snapshot/..", 400, "invalid snapshot id"],
    ["/snapshot/%2e%2e%2fsecret", 400, "invalid snapshot id"],
    ["/snapshot/secret.tar.gz", 400, "invalid snapshot id"],
    ["/snapshot/a%00b", 400, "invalid snapshot id"],
    ["/snapshot/", 400, "invalid snapshot id"],
    ["/snapshot/a/b", 404, "not found"],
  ])("%s answers %i", async (path, status, text) => {
    const snapshots = join(folder, "snapshots");
    mkdirSync(snapshots);
    writeFileSync(join(folder, "secret.tar.gz"), "secret");
    const node = await fakeNode({ snapshotDirectory: snapshots });
    expect(await get(node, path)).toEqual([status, text]);
  });

  test("what cannot be read is 500, a node without snapshots has none, and they cannot be posted", async () => {
    mkdirSync(join(folder, "odd.tar.gz"));
    const node = await fakeNode({ snapshotDirectory: folder });
    expect(await get(node, "/snapshot/odd")).toEqual([500, "unreadable"]);
    expect(await get(await fakeNode(), "/snapshot/odd")).toEqual([404, "no such snapshot"]);
    const posted = await fetch(`${node.url}/snapshot/odd`, { method: "POST", body: "x" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET,HEAD"]);
  });
});

describe("content", () => {
  const png = Buffer.from("89504e470d0a1a0a0000", "hex");

  function answering(node: FakeNode, answer: string): void {
    node.onCall = ({ replyTo }) => {
      node.port.reply(replyTo, answer);
      return true;
    };
  }
  const held = (bytes: Buffer): string =>
    `{"jsonrpc":"2.0","id":null,"result":{"content":"${bytes.toString("base64")}"}}`;

  test.each([
    ["image/png", null, png],
    ["image/jpeg", null, Buffer.from("ffd8ffe0", "hex")],
    ["image/webp", null, Buffer.from("RIFF\u0000\u0000\u0000\u0000WEBPVP8 ", "latin1")],
    ["application/pdf", "attachment", Buffer.from("%PDF-1.7")],
    ["application/octet-stream", "attachment", Buffer.from("<script>alert(1)</script>")],
    ["application/octet-stream", "attachment", Buffer.alloc(0)],
  ])("%s by its leading bytes, disposition %s", async (type, disposition, bytes) => {
    const node = await fakeNode();
    answering(node, held(bytes));
    for (const route of ["ipfs", "content"]) {
      const response = await fetch(`${node.url}/${route}/bafk1`);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
      expect(response.headers.get("content-disposition")).toBe(disposition);
      expect(response.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    }
    expect(node.calls.map((call) => JSON.parse(call.body))).toEqual(
      ["a", "b"].map(() => ({ jsonrpc: "2.0", id: null, method: "getContentFile", params: { cid: "bafk1" } })),
    );
    expect(await (await fetch(`${node.url}/metrics`)).text()).not.toContain("rpc_requests_total");
  });

  test.each([
    ['{"jsonrpc":"2.0","id":null,"result":{"content":null}}', 404, "not held"],
    [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"method not found: getContentFile"}}',
      404,
      "not held",
    ],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"m"}}', 400, "not a content identifier"],
    [refusalBody("DATABASE_ERROR"), 503, "the node cannot tell now"],
  ])("%s answers %i", async (answer, status, text) => {
    const node = await fakeNode();
    answering(node, answer);
    expect(await get(node, "/ipfs/%22x")).toEqual([status, text]);
    expect(JSON.parse(node.calls[0]?.body ?? "").params).toEqual({ cid: '"x' });
  });

  test("a node that stops meanwhile does not say that it holds nothing", async () => {
    const node = await fakeNode();
    node.onCall = () => true;
    const answer = get(node, "/content/bafk1");
    await node.call(1);
    await node.close();
    expect(await answer).toEqual([503, "the node cannot tell now"]);
  });

  test("a full queue is 429: the client may come again", async () => {
    const node = await fakeNode();
    node.onCall = () => false;
    expect((await get(node, "/content/bafk1"))[0]).toBe(429);
  });
});
