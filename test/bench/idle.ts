/**
 * A hundred thousand nodes in one process that meet their peers and then do nothing but be nodes: they start one after
 * the other within a minute, as a network comes up, and not all at once. What is alive is then most of the heap, so it
 * is given room, a nursery that what is under way dies in, and few collections: `node --max-old-space-size=15500
 * --max-semi-space-size=64 --min-semi-space-size=64 --heap-growing-percent=30 --no-memory-reducer
 * node/bootstrap/run.mjs bench idle`. Source: DESIGN "Budgets".
 */
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import type { Bench, Figure } from "./measure.ts";
import { gigabytesAtMost, rounded, spent } from "./measure.ts";

const SIZES = [1_000, 10_000, 100_000] as const;
const STARTS_WITHIN = seconds(60);
const LASTS = seconds(65);
const GIGABYTES_MOST = 16;

/** CPU milliseconds a node until all have met their peers. */
async function costOf(nodes: number): Promise<number> {
  const idle = defineScenario({
    ...{ name: "bench-idle", description: "Nodes that do nothing else.", source: "DESIGN Budgets (ours)" },
    ...{ nodes, startsWithin: STARTS_WITHIN, lasts: LASTS },
  });
  const { cpuMs } = await spent(async () => {
    const { report } = await runScenario(idle, { seed: 1n }, openBackends());
    if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
  });
  return cpuMs / nodes;
}

export const idleBench: Bench = {
  long: true,
  async run() {
    const figures: Figure[] = [];
    for (const nodes of SIZES)
      figures.push({ name: `${nodes} idle nodes`, value: rounded(await costOf(nodes)), unit: "CPU ms a node" });
    const name = `${SIZES.at(-1)} idle nodes, at its most`;
    return [...figures, { name, value: rounded(gigabytesAtMost()), unit: "GB", bar: { most: GIGABYTES_MOST } }];
  },
};
