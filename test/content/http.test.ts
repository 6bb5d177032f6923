/**
 * Goal: what is put at one node is read over HTTP at another, as a browser would.
 * Method: two real processes on loopback, HTTP, libp2p and SQLite; the test waits for facts, never for time.
 * Source: protocol 02 G.6, G.7.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AttachmentPublish } from "../../core/domains/content/attachments/schema.ts";
import { toBase64 } from "../../core/kernel/text.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { NodeProcess } from "../node/node-process.ts";
import { call, startNode } from "../node/node-process.ts";
import { signedData } from "../rpc/lone-node.ts";
import { attachment, buyer, cidOf, png, tradeSendsFrom } from "../rpc/node-with-settlement.ts";
import { until } from "../until.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-content-"));
const started: NodeProcess[] = [];

afterAll(async () => {
  await Promise.all(started.map((node) => node.kill()));
  rmSync(folder, { recursive: true });
});

async function start(ledger: string, ...more: readonly string[]): Promise<NodeProcess> {
  const node = await startNode(join(folder, ledger), ...more);
  started.push(node);
  return node;
}

test("GET /ipfs/{cid} at a node that was never given the bytes", async () => {
  const first = await start("a");
  // It is asked until it has the bytes.
  const second = await start("b", "--entrypoint", first.gossip, "--rate-limit", "off");
  const bytes = png("receipt");
  const [cid, now] = [cidOf(bytes), BigInt(Date.now())];
  expect((await fetch(`${second.rpc}/ipfs/${cid}`)).status).toBe(404);
  expect((await fetch(`${second.rpc}/ipfs/${cid.toUpperCase()}`)).status).toBe(400);

  for (const { method, data } of tradeSendsFrom((now - 400_000n) as EpochMillis)) {
    expect(typeof (await call(first.rpc, method, { data })).result).toBe("string");
  }
  expect((await call(first.rpc, "sendContentPut", { cid, content: toBase64(bytes) })).result).toMatchObject({ cid });
  const published = attachment(buyer, { created_at: now as EpochMillis });
  const sent = { data: signedData(AttachmentPublish, published, buyer) };
  expect((await call(first.rpc, "sendAttachmentPublish", sent)).result).toBe("att-1");

  const ask = () => fetch(`${second.rpc}/ipfs/${cid}`);
  await until(async () => (await ask()).status !== 404);
  const found = await ask();
  expect([found.status, found.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect(found.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(new Uint8Array(await found.arrayBuffer())).toEqual(bytes);
  expect((await fetch(`${second.rpc}/content/${cid}`)).status).toBe(200);
});
