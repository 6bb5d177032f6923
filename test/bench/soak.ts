/**
 * Whether a node grows while it serves: mixed load that leaves nothing behind (reads, sends that were sent before,
 * batches, broken requests, streams that come and go) for as many minutes as OFS_SOAK_MINUTES says, and the least heap
 * that was seen in the second fifth of that time against the last fifth. Source: DESIGN L10.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import type { NodeProcess } from "../node/node-process.ts";
import { startNode } from "../node/node-process.ts";
import type { Bench } from "./measure.ts";
import { rounded } from "./measure.ts";
import { mutants } from "./mutants.ts";

const MINUTES = Number(process.env.OFS_SOAK_MINUTES ?? 1);
const LOOK_EVERY_MS = 1_000;
const OFFERS = 500;
const STREAMS = 20;
const BATCH = 50;
/** Clients that go on until the time is over. */
const AT_ONCE = 4;
const MIB = 1_024 * 1_024;

export const soakBench: Bench = {
  long: true,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "soak-"));
    const node = await startNode(join(folder, "node"), "--rate-limit", "off");
    const ends = performance.now() + MINUTES * 60_000;
    const over = () => performance.now() > ends;
    try {
      const [heaps, served] = await Promise.all([heapsOf(node, over), load(node, over)]);
      const fifth = Math.floor(heaps.length / 5);
      const [early, late] = [heaps.slice(fifth, 2 * fifth), heaps.slice(-fifth)].map((some) => Math.min(...some) / MIB);
      const [first = 0, last = 0] = [early, late];
      return [
        { name: "requests served", value: served, unit: "requests" },
        { name: "heap, early", value: rounded(first), unit: "MB" },
        { name: "heap, at the end", value: rounded(last), unit: "MB" },
        { name: "growth", value: rounded(last / first), unit: "times", bar: { most: 1.1 } },
      ];
    } finally {
      await node.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** What the node says of its heap, once a second. */
async function heapsOf(node: NodeProcess, over: () => boolean): Promise<readonly number[]> {
  const heaps: number[] = [];
  while (!over()) {
    const page = await (await fetch(`${node.admin}/metrics`)).text();
    heaps.push(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(page)?.[1]));
    await new Promise((later) => setTimeout(later, LOOK_EVERY_MS));
  }
  return heaps;
}

/** Everybody at once; how many requests were answered. */
async function load(node: NodeProcess, over: () => boolean): Promise<number> {
  const now = BigInt(Date.now()) as EpochMillis;
  const sends = Array.from({ length: OFFERS }, (_, n) =>
    callOf("sendAdvertisementCreate", { data: advertisementData(`soak-${n}`, now, "tagged") }),
  );
  const read = callOf("getAdvertisement", { id: "soak-0" });
  const broken = mutants(read);
  const batch = `[${Array.from({ length: BATCH }, () => callOf("getAdvertisements", { limit: 5 })).join(",")}]`;
  let served = 0;
  const client = async () => {
    for (let n = 0; !over(); n++) {
      const body = [sends[n % OFFERS] ?? read, read, broken(), batch][n % 4] ?? read;
      const answer = await fetch(`${node.rpc}/rpc`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json" },
      });
      await answer.arrayBuffer();
      served += 1;
    }
  };
  await Promise.all([...Array.from({ length: AT_ONCE }, client), streams(node, over)]);
  return served;
}

/** Streams that come, hear for a while, and leave. */
async function streams(node: NodeProcess, over: () => boolean): Promise<void> {
  while (!over()) {
    const sockets = Array.from(
      { length: STREAMS },
      () => new WebSocket(`${node.rpc.replace("http", "ws")}/ws?scope=all`),
    );
    await Promise.all(sockets.map((socket) => new Promise((open) => socket.once("open", open).once("error", open))));
    await Promise.all(sockets.map((socket) => new Promise((gone) => void socket.once("close", gone).close())));
  }
}

function callOf(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}
