/**
 * Ledgers with many statements, as a node leaves them: written through its ingress, and starts from them.
 */
import { readFileSync } from "node:fs";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import { AdvertisementCreate } from "../../core/domains/trade/advertisements/schema.ts";
import type { EpochMillis } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import { openCheckpointKeeper } from "../../node/production/checkpoint.ts";
import { advertisement } from "../gossip/advertisements.ts";
import { startNode } from "../node/node-process.ts";
import type { Person } from "../rpc/lone-node.ts";
import { crypto, gossipOnly, person, signedData } from "../rpc/lone-node.ts";
import { cpuOf } from "./http-load.ts";
import type { Spent } from "./measure.ts";

/** So many that none of them comes near what one signer may have stored. Source: CONVERGENCE B3. */
const merchants = Array.from({ length: 24 }, (_, n) => person(n + 1));
/** Sends that are under way at once: their bodies are held until they are durable. */
const SENT_AT_ONCE = 256;

/**
 * Puts advertisements into a ledger, and closes it when everything is durable. With `checkpoint` it begins with the
 * one that is there and leaves one, as a node does that is stopped; else it begins with the rows and leaves rows.
 */
export async function fill(folder: string, from: number, end: number, leaves: "checkpoint" | "rows"): Promise<void> {
  const store = openLedger(folder);
  if (!store.ok) throw new Error(store.error.reason);
  const now = BigInt(Date.now()) as EpochMillis;
  // A node that takes files of state notes at its start how fresh it is, for which a first start reads all it holds.
  const configuration = { ...gossipOnly(devnetNetwork), snapshots: {} };
  const about = { ledger: folder, changes: store.changes, pages: undefined, log: undefined };
  const keeper = openCheckpointKeeper({ ...about, rowsOnly: leaves === "rows", every: "off" });
  let answered = 0;
  const driver = createDriver({
    ...(await keeper.begin(store.value, configuration, new Uint8Array(32))),
    ...{ crypto, configuration, now: () => now },
    perform: (effect) => {
      if (effect.type !== "rpc.reply") return;
      if (effect.body?.includes('"error"')) throw new Error(effect.body);
      answered += 1;
    },
  });
  while (!driver.ready()) await nextRound();
  keeper.watch(driver);
  for (let n = from; n < end; n++) {
    const merchant = merchants[n % merchants.length] as Person;
    const offered = {
      ...advertisement(`stored-${n}`, now),
      merchant: merchant.peer,
      merchant_public_key: merchant.key,
    };
    const params = { data: signedData(AdvertisementCreate, offered, merchant) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendAdvertisementCreate", params });
    driver.accept({ type: "rpc.called", replyTo: "1", body });
    while (n - from - answered > SENT_AT_ONCE) await nextRound();
  }
  while (answered < end - from) await nextRound();
  if (leaves === "checkpoint") await keeper.close();
  await new Promise<void>((resolve) => store.value.close(resolve));
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What a start took: until the node is ready, and the most that it held of the machine's memory until then. */
export interface Started extends Spent {
  /** Bytes where /proc tells it, else NaN. */
  readonly memory: number;
}

const ROUNDS = 3;

/** The least of several starts, by the wall and by the node's own CPU time; none leaves anything behind. */
export async function ready(ledger: string): Promise<Started> {
  let least = { wallMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY, memory: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const node = await startNode(ledger, "--checkpoint-every", "off");
    const [wallMs, cpuMs, memory] = [performance.now() - began, cpuOf(node.pid), memoryOf(node.pid)];
    await node.kill();
    least = {
      wallMs: Math.min(least.wallMs, wallMs),
      cpuMs: Math.min(least.cpuMs, cpuMs),
      memory: Math.min(least.memory, memory),
    };
  }
  return least;
}

/** The most memory that a process has held so far. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes) * 1024;
  } catch {
    return Number.NaN;
  }
}
