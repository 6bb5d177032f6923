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

/** How much is measured. */
interface Size {
  /** Of each in turns, after one that is not counted, so that a slow minute of the machine meets them all. */
  readonly rounds: number;
  readonly reads: number;
  readonly sends: number;
}
const WHOLE: Size = { rounds: 5, reads: 12_000, sends: 2_000 };
const QUICK: Size = { rounds: 7, reads: 8_000, sends: 1_000 };
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
async function verifications(count: number): Promise<Spent> {
  const { secret } = person(0x11);
  const message = new Uint8Array(600).fill(1);
  const [key, signature] = [crypto.publicKey(secret), crypto.sign(secret, message)];
  return spent(() => {
    for (let n = 0; n < count; n++) crypto.verify(key, message, signature);
  });
}

/** So many rows, in commits as large as there are connections. */
function commits(store: StorePort, count: number, round: number): Promise<Spent> {
  const rows = (first: number): StoreWrite[] =>
    Array.from({ length: CONNECTIONS }, (_, n) => ({
      table: "bench",
      key: `${round}/${first + n}`,
      bytes: new Uint8Array(700).fill(n),
    }));
  return spent(async () => {
    for (let first = 0; first < count; first += CONNECTIONS) {
      await new Promise<void>((resolve) => store.commit(rows(first), () => resolve()));
    }
  });
}

function ratioFigure(name: string, other: Spent, here: Spent, bar: number): Figure {
  return { name, value: rounded(other.wallMs / here.wallMs), unit: "of 1", bar: { least: bar } };
}

/** Reads of the node, and as many of a bare server that answers the same. */
async function roundsOfReads(node: Server, { rounds, reads: count }: Size) {
  const request = requestOf("getAdvertisement", { id: "first-0" });
  const { result } = await call(node.url, "getAdvertisement", { id: "first-0" });
  const bare = await openBare(JSON.stringify({ jsonrpc: "2.0", id: 1, result }));
  const requests = new Array<Buffer>(count).fill(request);
  const [here, there]: [Load[], Load[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    here.push(await load(node, requests, CONNECTIONS));
    there.push(await load(bare, requests, CONNECTIONS));
  }
  bare.end();
  return { request, own: counted(here), others: counted(there) };
}

async function reads(node: Server): Promise<readonly Figure[]> {
  const { request, own, others } = await roundsOfReads(node, WHOLE);
  const alone = await load(node, new Array<Buffer>(ALONE).fill(request), 1);
  return [
    { name: "read", ...perSecond(WHOLE.reads, own), unit: "requests/s" },
    { name: "read, one at a time", value: rounded(median(alone.latencies)), unit: "ms" },
    { name: "bare Fastify", ...perSecond(WHOLE.reads, others), unit: "requests/s" },
    {
      ...ratioFigure("read, against bare Fastify", others, own, 0.6),
      cpu: rounded(others.cpuMs / own.cpuMs),
    },
  ];
}

/** Sends of both forms, beside as many signature checks and rows. */
async function roundsOfSends(node: Server, store: StorePort, { rounds, sends: count }: Size) {
  const [here, bare, checks, writes]: [Spent[], Spent[], Spent[], Spent[]] = [[], [], [], []];
  for (let round = 0; round <= rounds; round++) {
    bare.push(await load(node, advertisements(`bare-${round}`, count, "bare"), CONNECTIONS));
    here.push(await load(node, advertisements(`round-${round}`, count), CONNECTIONS));
    checks.push(await verifications(count));
    writes.push(await commits(store, count, round));
  }
  return { own: counted(here), bare: counted(bare), check: counted(checks), write: counted(writes) };
}

async function sends(node: Server, store: StorePort): Promise<readonly Figure[]> {
  const { own, bare, check, write } = await roundsOfSends(node, store, WHOLE);
  const alone = await load(node, advertisements("alone", ALONE), 1);
  const slower = check.wallMs > write.wallMs ? check : write;
  return [
    { name: "durable send", ...perSecond(WHOLE.sends, own), unit: "requests/s" },
    { name: "durable send, signed bare", ...perSecond(WHOLE.sends, bare), unit: "requests/s" },
    { name: "durable send, one at a time", value: rounded(median(alone.latencies)), unit: "ms" },
    { name: "signature checks", ...perSecond(WHOLE.sends, check), unit: "checks/s" },
    { name: "group-committed rows", ...perSecond(WHOLE.sends, write), unit: "rows/s" },
    ratioFigure("durable send, against the slower of the two", slower, own, 0.4),
  ];
}

/** What is kept and compared: shares by CPU time, which what runs beside them changes least. */
async function quickFigures(node: Server, store: StorePort): Promise<readonly Figure[]> {
  const [read, send] = [await roundsOfReads(node, QUICK), await roundsOfSends(node, store, QUICK)];
  const share = (name: string, other: Spent, own: Spent): Figure => {
    return { name, value: rounded(other.cpuMs / own.cpuMs), unit: "of 1, by CPU time", isRatio: true };
  };
  return [
    share("read, against bare Fastify", read.others, read.own),
    share("durable send, against a signature check", send.check, send.own),
  ];
}

/** A production node with one advertisement, and a store of another. */
async function besideNode(
  measured: (node: Server, store: StorePort) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const node = await startNode(join(folder, "node"));
  const store = openLedger(join(folder, "store"));
  if (!store.ok) throw new Error(store.error.reason);
  try {
    const server = { url: node.rpc, pid: node.pid };
    await load(server, advertisements("first", 1), 1);
    return await measured(server, store.value);
  } finally {
    // In order: what is killed may leave a process behind that still writes its checkpoint into the folder.
    await node.stop();
    await new Promise<void>((resolve) => store.value.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}

export const rpcBench: Bench = {
  quick: () => besideNode(quickFigures),
  run: () => besideNode(async (node, store) => [...(await reads(node)), ...(await sends(node, store))]),
};
