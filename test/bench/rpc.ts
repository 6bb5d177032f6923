/**
 * Calls through the HTTP ingress of a production node in a process of its own, against a bare Fastify server, native
 * signature checks and commits of the same store. Source: DESIGN "Budgets": a read at least 0.6 of the bare
 * server, a durable send at least 0.4 of the slower of checks and commits.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import type { StorePort, StoreWrite } from "../../core/ports/store.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { call, startNode } from "../node/node-process.ts";
import { crypto, person } from "../rpc/lone-node.ts";
import type { Load, Server } from "./http-load.ts";
import { load, requestOf } from "./http-load.ts";
import type { Bench, Figure, Spent } from "./measure.ts";
import { median, medianOf, perSecond, rounded, spent } from "./measure.ts";

/** Of each in turns, after one that is not counted, so that a slow minute of the machine meets them all. */
const ROUNDS = 5;
const READS = 12_000;
const SENDS = 2_000;
const CONNECTIONS = 32;
const ALONE = 100;

/** The median of what one did in all turns but the first, in which code is compiled. */
function counted(all: readonly Spent[]): Spent {
  return medianOf(all.slice(1));
}

/** Sends as our own client signs them, or as others do. */
function advertisements(prefix: string, count: number, form: "bare" | "tagged" = "tagged"): readonly Buffer[] {
  const now = BigInt(Date.now()) as EpochMillis;
  return Array.from({ length: count }, (_, n) =>
    requestOf("sendAdvertisementCreate", { data: advertisementData(`${prefix}-${n}`, now, form) }),
  );
}

async function openBare(text: string): Promise<Server & { readonly end: () => void }> {
  const script = fileURLToPath(new URL("./bare-server.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, text], { stdio: ["pipe", "pipe", "inherit"] });
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  return { url: String(line.value), pid: child.pid ?? 0, end: () => child.stdin.end() };
}

/** Signature checks of one thread. */
async function verifications(): Promise<Spent> {
  const { secret } = person(0x11);
  const message = new Uint8Array(600).fill(1);
  const [key, signature] = [crypto.publicKey(secret), crypto.sign(secret, message)];
  return spent(() => {
    for (let n = 0; n < SENDS; n++) crypto.verify(key, message, signature);
  });
}

/** As many rows as sends, in commits as large as there are connections. */
function commits(store: StorePort, round: number): Promise<Spent> {
  const rows = (first: number): StoreWrite[] =>
    Array.from({ length: CONNECTIONS }, (_, n) => ({
      table: "bench",
      key: `${round}/${first + n}`,
      bytes: new Uint8Array(700).fill(n),
    }));
  return spent(async () => {
    for (let first = 0; first < SENDS; first += CONNECTIONS) {
      await new Promise<void>((resolve) => store.commit(rows(first), () => resolve()));
    }
  });
}

function ratioFigure(name: string, other: Spent, here: Spent, bar: number): Figure {
  return { name, value: rounded(other.wallMs / here.wallMs), unit: "of 1", bar: { least: bar } };
}

async function reads(node: Server): Promise<readonly Figure[]> {
  const request = requestOf("getAdvertisement", { id: "first-0" });
  const { result } = await call(node.url, "getAdvertisement", { id: "first-0" });
  const bare = await openBare(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  const requests = new Array<Buffer>(READS).fill(request);
  const [here, there]: [Load[], Load[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    here.push(await load(node, requests, CONNECTIONS));
    there.push(await load(bare, requests, CONNECTIONS));
  }
  bare.end();
  const [own, others] = [counted(here), counted(there)];
  const alone = await load(node, requests.slice(0, ALONE), 1);
  return [
    { name: "read", ...perSecond(READS, own), unit: "requests/s" },
    { name: "read, one at a time", value: rounded(median(alone.latencies)), unit: "ms" },
    { name: "bare Fastify", ...perSecond(READS, others), unit: "requests/s" },
    {
      ...ratioFigure("read, against bare Fastify", others, own, 0.6),
      cpu: rounded(others.cpuMs / own.cpuMs),
    },
  ];
}

async function sends(node: Server, store: StorePort): Promise<readonly Figure[]> {
  const [here, bare, checks, writes]: [Spent[], Spent[], Spent[], Spent[]] = [[], [], [], []];
  for (let round = 0; round <= ROUNDS; round++) {
    bare.push(await load(node, advertisements(`bare-${round}`, SENDS, "bare"), CONNECTIONS));
    here.push(await load(node, advertisements(`round-${round}`, SENDS), CONNECTIONS));
    checks.push(await verifications());
    writes.push(await commits(store, round));
  }
  const alone = await load(node, advertisements("alone", ALONE), 1);
  const [own, check, write] = [counted(here), counted(checks), counted(writes)];
  const slower = check.wallMs > write.wallMs ? check : write;
  return [
    { name: "durable send", ...perSecond(SENDS, own), unit: "requests/s" },
    { name: "durable send, signed bare", ...perSecond(SENDS, counted(bare)), unit: "requests/s" },
    { name: "durable send, one at a time", value: rounded(median(alone.latencies)), unit: "ms" },
    { name: "signature checks", ...perSecond(SENDS, check), unit: "checks/s" },
    { name: "group-committed rows", ...perSecond(SENDS, write), unit: "rows/s" },
    ratioFigure("durable send, against the slower of the two", slower, own, 0.4),
  ];
}

export const rpcBench: Bench = {
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "bench-"));
    const node = await startNode(join(folder, "node"));
    const store = openLedger(join(folder, "store"));
    if (!store.ok) throw new Error(store.error.reason);
    try {
      const server = { url: node.rpc, pid: node.pid };
      await load(server, advertisements("first", 1), 1);
      return [...(await reads(server)), ...(await sends(server, store.value))];
    } finally {
      await node.kill();
      await new Promise<void>((resolve) => store.value.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
