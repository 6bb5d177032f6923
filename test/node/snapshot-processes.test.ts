/**
 * Goal: the whole way in production: a node with a chain endpoint makes a file, announces and serves it; a fresh node
 * that trusts it starts from that file, and holds what the first one held (protocol 05 §6.5, §6.11, §6.12).
 * Method: two real processes on this machine, and a served chain that stands still.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/advertisements/schema.ts";
import { fromBase58, toBase58 } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { openRpcServer } from "../../sim/chain/server/server.ts";
import { signedData } from "../rpc/lone-node.ts";
import { advertisement, merchant } from "../rpc/node-with-settlement.ts";
import { openModelChain } from "../sim/chain/server/served-town.ts";
import type { NodeProcess } from "./node-process.ts";
import { call, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-snapshot-nodes-"));
const nodes: NodeProcess[] = [];
const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const node of nodes) await node.kill();
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function started(name: string, ...more: readonly string[]): Promise<NodeProcess> {
  const node = await startNode(join(folder, name), ...more);
  nodes.push(node);
  return node;
}

test("a node starts from the file that another one made", { timeout: 180_000 }, async () => {
  const chain = await openModelChain();
  closing.push(() => chain.close());
  const server = await openRpcServer({ chain });
  closing.push(() => server.close());
  const slot = Number(chain.cluster.slot("finalized"));
  const port = await freePort();
  const first = await started(
    "first",
    ...["--rpc-bind-address", `127.0.0.1:${port}`, "--solana-rpc-url", server.url],
    ...["--snapshot-public-url", `http://127.0.0.1:${port}`, "--snapshot-interval-secs", "2"],
  );
  const data = signedData(
    AdvertisementCreate,
    { ...advertisement, timestamp: BigInt(Date.now()) as EpochMillis },
    merchant,
  );
  expect(await call(first.rpc, "sendAdvertisementCreate", { data })).toMatchObject({ result: "ad-1" });
  await expect
    .poll(async () => (await call(first.rpc, "getLatestSnapshot", {})).result, { timeout: 60_000, interval: 250 })
    .toMatchObject({ slot, compression: "Gzip" });
  expect(readdirSync(join(folder, "first", "snapshots")).filter((name) => name.endsWith(".tar.gz"))).toHaveLength(1);

  const peer = first.gossip.split("/p2p/").at(-1) ?? "";
  const key = toBase58((fromBase58(peer) ?? new Uint8Array(38)).subarray(6));
  const second = await started(
    "second",
    ...["--entrypoint", first.gossip, "--snapshot-anchor", key],
    ...["--allow-local-snapshots", "--no-snapshot-production"],
  );
  await expect
    .poll(async () => (await call(second.rpc, "getCheckpointSlot", {})).result, { timeout: 100_000, interval: 250 })
    .toBe(slot);
  expect(await call(second.rpc, "getAdvertisement", { id: "ad-1" })).toMatchObject({ result: { id: "ad-1" } });
  expect((await call(first.rpc, "getCheckpointSlot", {})).result).toBe(null);
});
