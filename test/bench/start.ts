/**
 * How long people wait for a command: its help, and a node that comes back to what it stored: from the rows alone, from
 * a checkpoint, and after a kill from a checkpoint and what came after it.
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
/** Statements that come after a checkpoint: as many as come before the next one is made. */
const LATE = 1_500;
const ROUNDS = 3;
/** Microseconds that a statement may take, with a checkpoint and without. */
const CHECKPOINT_US = 5;
const ROWS_US = 20;

/** Puts statements into a ledger through the ingress of a node, and closes it when everything is durable. */
async function fill(folder: string, from: number, end: number): Promise<void> {
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
  for (let n = from; n < end; n++) {
    const params = { data: advertisementData(`stored-${n}`, now) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendAdvertisementCreate", params });
    driver.accept({ type: "rpc.called", replyTo: "1", body });
    if (n % 64 === 0) await nextRound();
  }
  while (answered < end - from) await nextRound();
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
    const node = await startNode(ledger, "--checkpoint-every", "off");
    const [wallMs, cpuMs] = [performance.now() - began, cpuOf(node.pid)];
    await node[end]();
    least = { wallMs: Math.min(least.wallMs, wallMs), cpuMs: Math.min(least.cpuMs, cpuMs) };
  }
  return least;
}

/** What a stored statement adds to the start of a node without any. */
function eachOf(name: string, [all, none]: readonly [Spent, Spent], most: number, stored = STORED): Figure {
  const us = (ms: number) => rounded((ms * 1000) / stored);
  const cpu = us(all.cpuMs - none.cpuMs);
  return {
    name: `${name}, a statement of ${stored}`,
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
    await fill(full, 0, STORED);
    const none = await ready(empty, "kill");
    const rows = await ready(full, "kill");
    await (await startNode(full)).stop();
    const checkpoint = await ready(full, "kill");
    await fill(full, STORED, STORED + LATE);
    const late = await ready(full, "kill");
    return [
      { name: "start with an empty ledger", value: rounded(none.wallMs), cpu: rounded(none.cpuMs), unit: "ms" },
      eachOf("start from rows", [rows, none], ROWS_US),
      eachOf("start from a checkpoint", [checkpoint, none], CHECKPOINT_US),
      eachOf(`start after a kill with ${LATE} after a checkpoint`, [late, none], ROWS_US, STORED + LATE),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const startBench: Bench = {
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
