/**
 * How long people wait for a command: its help, and a node that comes back to what it stored.
 * Source: DESIGN "Budgets": help within 300 ms, a million stored events within 20 s, here a smaller ledger
 * against its share of that.
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
import type { Bench, Figure } from "./measure.ts";
import { best, rounded } from "./measure.ts";

const STORED = 20_000;
/** Seconds that a million may take. */
const MILLION_SECS = 20;

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

async function restart(): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const [empty, full] = [join(folder, "empty"), join(folder, "full")];
    await fill(full);
    const ready = (ledger: string) =>
      best(
        3,
        () => undefined,
        async () => (await startNode(ledger)).kill(),
      );
    const [none, all] = [await ready(empty), await ready(full)];
    const loaded = rounded(all.wallMs - none.wallMs);
    return [
      { name: "start with an empty ledger", value: rounded(none.wallMs), unit: "ms" },
      { name: `loading ${STORED} events`, value: loaded, unit: "ms", bar: { most: (MILLION_SECS * STORED) / 1000 } },
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
