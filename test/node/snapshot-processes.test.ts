/**
 * Goal: the whole way in production: a node with a chain endpoint makes a file, announces and serves it; a fresh node
 * that trusts it starts from that file, and holds what the first one held (protocol 05 §6.5, §6.11, §6.12).
 * Method: two real processes on this machine, and a served chain that stands still.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import { fromBase58, toBase58 } from "../../core/index.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { openRpcServer } from "../../sim/chain/server/server.ts";
import { signedData } from "../rpc/lone-node.ts";
import { advertisement, merchant } from "../rpc/node-with-settlement.ts";
import { openModelChain } from "../sim/chain/server/served-test-chain.ts";
import type { NodeProcess } from "./node-process.ts";
import { call, startNode, untilAnswered } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-snapshot-nodes-"));
const nodes: NodeProcess[] = [];
const closing: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const node of nodes) await node.kill();
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true });
});

/** A place at which files of a node are fetched that has none yet: asks the node that `serves` names by then. */
async function openFileServer(serves: () => NodeProcess): Promise<string> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${serves().rpc}${request.url ?? ""}`);
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  closing.push(() => new Promise((done) => server.close(() => done())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function started(name: string, ...more: readonly string[]): Promise<NodeProcess> {
  const node = await startNode(join(folder, name), ...more);
  nodes.push(node);
  return node;
}

interface Announced {
  readonly id: string;
  readonly slot: number;
  readonly compression: string;
}

/** What the first node announces last, and whether it still holds that file: only the newest one stays. */
async function lastFile(node: NodeProcess): Promise<Announced & { readonly held: boolean }> {
  const announced = await untilAnswered<Announced>(node, "getLatestSnapshot", {}, () => true);
  return { ...announced, held: existsSync(join(folder, "first", "snapshots", `${announced.id}.tar.gz`)) };
}

test("a node starts from the file that another one made", async () => {
  const chain = await openModelChain();
  closing.push(() => chain.close());
  const server = await openRpcServer({ chain });
  closing.push(() => server.close());
  let first: NodeProcess | undefined;
  const files = await openFileServer(() => first!);
  const start = (secs: string) =>
    started(
      "first",
      ...["--solana-rpc-url", server.url, "--solana-poll-secs", "1"],
      ...["--snapshot-public-url", files, "--snapshot-interval-secs", secs],
    );

  // No slot, no file: until the advertisement is in.
  server.setConditions({ conduct: "fails", methods: ["getLatestBlockhash"] });
  first = await start("1");
  const timestamp = BigInt(Date.now()) as EpochMillis;
  const data = signedData(AdvertisementCreate, { ...advertisement, timestamp }, merchant);
  expect(await call(first.rpc, "sendAdvertisementCreate", { data })).toMatchObject({ result: "ad-1" });
  expect((await call(first.rpc, "getLatestSnapshot", {})).result).toBe(null);
  server.setConditions({});
  await lastFile(first);

  // It stays with one file, so that none is replaced under whoever fetches it slowly.
  const restart = async (secs: string) => {
    await first?.kill();
    first = await start(secs);
    return first;
  };
  let file = await lastFile(await restart("3600"));
  while (!file.held) {
    // It was killed between keeping a file and announcing it: it makes another one.
    const { id: former } = file;
    await untilAnswered<Announced>(await restart("1"), "getLatestSnapshot", {}, ({ id }) => id !== former);
    file = await lastFile(await restart("3600"));
  }
  const slot = Number(chain.cluster.slot("finalized"));
  expect(file).toMatchObject({ slot, compression: "Gzip" });

  const peer = first.gossip.split("/p2p/").at(-1) ?? "";
  const key = toBase58((fromBase58(peer) ?? new Uint8Array(38)).subarray(6));
  const second = await started(
    "second",
    ...["--entrypoint", first.gossip, "--snapshot-anchor", key, "--snapshot-search-secs", "1"],
    ...["--allow-local-snapshots", "--no-snapshot-production"],
  );
  await untilAnswered<number>(second, "getCheckpointSlot", {}, (checkpoint) => checkpoint === slot);
  expect(await call(second.rpc, "getAdvertisement", { id: "ad-1" })).toMatchObject({ result: { id: "ad-1" } });
  expect((await call(first.rpc, "getCheckpointSlot", {})).result).toBe(null);
});
