/**
 * How long people wait for a command: its help, and a node that comes back to what it stored: from the rows alone, from
 * a checkpoint, and after a kill from a checkpoint and what came after it.
 * Source: DESIGN "Budgets": help within 300 ms; a stored statement within 5 µs from a checkpoint, within 20 µs without.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runNode, startNode } from "../node/node-process.ts";
import type { Bench, Figure, Spent } from "./measure.ts";
import { best, rounded } from "./measure.ts";
import { fill, ready } from "./stored.ts";

const STORED = 20_000;
/** Statements that come after a checkpoint: as many as come before the next one is made. */
const LATE = 1_500;
/** Microseconds that a statement may take, with a checkpoint and without. */
const CHECKPOINT_US = 5;
const ROWS_US = 20;

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
    await fill(full, 0, STORED, "rows");
    const none = await ready(empty);
    const rows = await ready(full);
    await (await startNode(full)).stop();
    const checkpoint = await ready(full);
    await fill(full, STORED, STORED + LATE, "rows");
    const late = await ready(full);
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
