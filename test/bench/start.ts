/**
 * How long people wait for a command: its help, and a node that comes back to what it stored, from the checkpoint that
 * a stop leaves and from the rows that a killed node has.
 * Source: DESIGN "Budgets": help within 300 ms; a stored statement within 5 µs from a checkpoint, within 20 µs without.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import type { EpochMillis } from "../../core/index.ts";
import { createDriver, devnetNetwork } from "../../core/index.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { runNode, startNode } from "../node/node-process.ts";
import { crypto, gossipOnly } from "../rpc/lone-node.ts";
import { cpuOf } from "./http-load.ts";
import type { Bench, Figure, Spent } from "./measure.ts";
import { best, rounded } from "./measure.ts";

const STORED = 20_000;
const ROUNDS = 3;
/** Microseconds that a statement may take, with a checkpoint and without. */
const CHECKPOINT_US = 5;
const ROWS_US = 20;

/** Fills a ledger through the ingress of a node, and closes it when everything is durable. */
async function fill(folder: string): Promise<void> {
  const store = openLedger(folder);
  if (!store.ok) throw new Error(store.error.reason);
  const now = BigInt(Date.now()) as EpochMillis;
  let answered = 0;
  const driver = createDriver({
    ...{ crypto, store: store.value, bootSeed: new Uint8Array(32), now: () => now },
    configuration: gossipOnly(devnetNetwork),
    perform: (effect) => {
      if (effect.type !== "rpc.reply") return;
      if (effect.body?.includes('"error"')) throw new Error(effect.body);
      answered += 1;
    },
  });
  while (!driver.ready()) await nextRound();
  for (let n = 0; n < STORED; n++) {
    const params = { data: advertisementData(`stored-${n}`, now) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendAdvertisementCreate", params });
    driver.accept({ type: "rpc.called", replyTo: "1", body });
    if (n % 64 === 0) await nextRound();
  }
  while (answered < STORED) await nextRound();
  await new Promise<void>((resolve) => store.value.close(resolve));
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The least of several starts, by the wall and by the node's own CPU time; each ends as it is told. */
async function ready(ledger: string, end: "kill" | "stop"): Promise<Spent> {
  let least: Spent = { wallMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now();
    const node = await startNode(ledger);
    const [wallMs, cpuMs] = [performance.now() - began, cpuOf(node.pid)];
    await node[end]();
    least = { wallMs: Math.min(least.wallMs, wallMs), cpuMs: Math.min(least.cpuMs, cpuMs) };
  }
  return least;
}

/** What a stored statement adds to the start of a node without any. */
function eachOf(name: string, all: Spent, none: Spent, most: number): Figure {
  const us = (ms: number) => rounded((ms * 1000) / STORED);
  const cpu = us(all.cpuMs - none.cpuMs);
  return {
    name: `${name}, a statement of ${STORED}`,
    value: us(all.wallMs - none.wallMs),
    cpu,
    unit: "µs",
    bar: { most },
  };
}

async function restart(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const [empty, full] = [join(folder, "empty"), join(folder, "full")];
    await fill(full);
    const none = await ready(empty, "kill");
    const rows = await ready(full, "kill");
    await (await startNode(full)).stop();
    const checkpoint = await ready(full, "stop");
    return [
      { name: "start with an empty ledger", value: rounded(none.wallMs), cpu: rounded(none.cpuMs), unit: "ms" },
      eachOf("start after a kill", rows, none, ROWS_US),
      eachOf("start from a checkpoint", checkpoint, none, CHECKPOINT_US),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const startBench: Bench = {
  name: "start",
  async run() {
    const help = await best(
      5,
      () => undefined,
      async () => {
        const { code, err } = await runNode("--help");
        if (code !== 0) throw new Error(err);
      },
    );
    const figure: Figure = { name: "--help", value: rounded(help.wallMs), unit: "ms", bar: { most: 300 } };
    return [figure, ...(await restart())];
  },
};
