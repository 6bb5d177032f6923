/**
 * How long an operator waits for a node with a large ledger, up to a million statements that count. The ledger grows as
 * one does: each hundred thousand begins with the last checkpoint and leaves another, so that no process holds all of
 * it as objects. Source: DESIGN "Budgets".
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench, Figure } from "./measure.ts";
import { rounded } from "./measure.ts";
import type { Started } from "./stored.ts";
import { fill, ready } from "./stored.ts";

const SIZES = [10_000, 100_000, 1_000_000] as const;
/** Statements between two checkpoints. */
const AT_ONCE = 100_000;
/** Seconds that a million may take. */
const SECONDS_MOST = 5;
/** Power with which the time may grow with statements. */
const POWER_MOST = 1.2;

async function grown(ledger: string, from: number, size: number): Promise<Started> {
  for (let at = from; at < size; at += AT_ONCE) await fill(ledger, at, Math.min(at + AT_ONCE, size), "checkpoint");
  return ready(ledger);
}

function figuresOf(size: number, { wallMs, cpuMs, memory }: Started, none: Started): readonly Figure[] {
  const time = { value: rounded(wallMs / 1_000), cpu: rounded(cpuMs / 1_000), unit: "s" };
  const each = rounded(((cpuMs - none.cpuMs) * 1_000) / size);
  const what = `start from a checkpoint of ${size} statements`;
  return [
    { name: what, ...time, ...(size === SIZES.at(-1) ? { bar: { most: SECONDS_MOST } } : {}) },
    { name: `${what}, each by CPU time`, value: each, unit: "µs" },
    { name: `${what}, memory at its most`, value: rounded(memory / 1_000_000), unit: "MB" },
  ];
}

/** The power with which CPU time beside that of an empty ledger grows; by the wall, ten thousand drown in noise. */
function growth(sizes: readonly [number, number], times: readonly [Started, Started], none: Started): Figure {
  const [less, more] = times.map(({ cpuMs }) => cpuMs - none.cpuMs) as [number, number];
  const power = rounded(Math.log(more / less) / Math.log(sizes[1] / sizes[0]));
  const name = `CPU time of a start grows with statements, ${sizes.join(" to ")}, by the power`;
  return { name, value: power, unit: "", bar: { most: POWER_MOST } };
}

export const ledgerBench: Bench = {
  long: true,
  async run() {
    const folder = mkdtempSync(join(tmpdir(), "bench-"));
    try {
      const none = await ready(join(folder, "empty"));
      const figures: Figure[] = [];
      let before: { readonly size: number; readonly started: Started } | undefined;
      for (const size of SIZES) {
        const started = await grown(join(folder, "full"), before?.size ?? 0, size);
        figures.push(...figuresOf(size, started, none));
        if (before !== undefined) figures.push(growth([before.size, size], [before.started, started], none));
        before = { size, started };
      }
      return figures;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
