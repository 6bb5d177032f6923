/**
 * How long honest clients wait while others mean no good: the 99th percentile of their reads through a production node,
 * quiet and under each kind of attack, and what memory the node takes meanwhile. Everybody speaks over loopback, from
 * addresses of their own. Clients, attackers and node share the machine's processors, and the kernel gives one of them
 * to somebody for milliseconds, which is longer than a read takes; so `value` also holds what the attackers themselves
 * cost, and `cpu` beside it is what is left without the time in which node or client could have run and none was free.
 * Source: DESIGN section 7 #27; bars: p99 at most twice that of the quiet minute.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { startNode } from "../node/node-process.ts";
import { TYPESCRIPT } from "../typescript.ts";
import type { Server } from "./http-load.ts";
import { load, requestOf } from "./http-load.ts";
import type { Bench, Figure } from "./measure.ts";
import { median, rounded } from "./measure.ts";

const ROUNDS = 3;
const READS = 3_000;
const CONNECTIONS = 4;
/** Each is a message on every stream. */
const SENDS = 200;
const KINDS = ["idle sockets", "half-sent requests", "slow streams", "batches", "mutated requests"];
const P99 = 0.99;

/** Milliseconds by the clock, and without waiting for processors. */
interface Percentile {
  readonly value: number;
  readonly cpu: number;
}

const MIB = 1_024 * 1_024;

export const hostileBench: Bench = {
  long: true,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "hostile-"));
    const node = await startNode(join(folder, "node"));
    const server: Server = { url: node.rpc, pid: node.pid };
    try {
      const first = { data: advertisementData("first-0", BigInt(Date.now()) as EpochMillis, "tagged") };
      await load(server, [requestOf("sendAdvertisementCreate", first)], 1);
      await p99Of(server);
      const figures: Figure[] = [];
      const before = residentMb(server.pid);
      for (const kind of KINDS) figures.push(...(await underAttack(server, kind)));
      figures.push({
        name: "memory taken under all of them",
        value: rounded(residentMb(server.pid) - before),
        unit: "MB",
      });
      return figures;
    } finally {
      await node.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Quiet and attacked in turns, so that a slow minute of the machine meets both. */
async function underAttack(server: Server, kind: string): Promise<readonly Figure[]> {
  const [quiet, attacked]: [Percentile[], Percentile[]] = [[], []];
  let became = "";
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await p99Of(server));
    const attack = await begin(server, kind);
    // A stream is slow only when there is something to read.
    if (kind === "slow streams") await load(server, sendsOf(round), CONNECTIONS);
    attacked.push(await p99Of(server));
    became = await attack.end();
  }
  const [calm, pressed] = [middle(quiet), middle(attacked)];
  const times = { value: rounded(pressed.value / calm.value), cpu: rounded(pressed.cpu / calm.cpu) };
  console.error(`${kind}: ${became}`);
  return [
    { name: `p99 of a read, quiet before ${kind}`, ...calm, unit: "ms" },
    { name: `p99 of a read under ${kind}`, ...pressed, unit: "ms" },
    { name: `p99 under ${kind}, against quiet`, ...times, unit: "times", bar: { most: 2 } },
  ];
}

function middle(all: readonly Percentile[]): Percentile {
  return {
    value: rounded(median(all.map(({ value }) => value))),
    cpu: rounded(median(all.map(({ cpu }) => cpu))),
  };
}

function sendsOf(round: number): readonly Buffer[] {
  const now = BigInt(Date.now()) as EpochMillis;
  const data = (n: number) => ({ data: advertisementData(`told-${round}-${n}`, now, "tagged") });
  return Array.from({ length: SENDS }, (_, n) => requestOf("sendAdvertisementCreate", data(n)));
}

async function p99Of(server: Server): Promise<Percentile> {
  const requests = new Array<Buffer>(READS).fill(requestOf("getAdvertisement", { id: "first-0" }));
  const { latencies, ownLatencies } = await load(server, requests, CONNECTIONS, { tellsDelays: true });
  return { value: percentile(latencies), cpu: percentile(ownLatencies) };
}

function percentile(latencies: readonly number[]): number {
  return [...latencies].sort((a, b) => a - b)[Math.floor(latencies.length * P99)] ?? 0;
}

/** Attackers that stand, or are at it. */
async function begin(server: Server, kind: string): Promise<{ readonly end: () => Promise<string> }> {
  const script = fileURLToPath(new URL("./hostile-clients.ts", import.meta.url));
  const args = [...TYPESCRIPT, script, kind, server.url];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }) as ChildProcess;
  if (child.stdout === null || child.stdin === null) throw new Error("no pipes");
  const { stdin } = child;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = await lines.next();
  if (ready.value !== "ready") throw new Error(`${kind} did not begin`);
  return {
    async end() {
      stdin.end();
      return String((await lines.next()).value);
    },
  };
}

/** Resident memory of a process. */
function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kb) * 1_024) / MIB;
}
