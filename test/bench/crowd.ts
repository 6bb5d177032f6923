/**
 * Thousands of nodes in one process: each meets its peers, and a market of a few trades reaches all of them. What the
 * process takes at its most depends on how much room its heap is given, so it is run with that:
 * `NODE_OPTIONS=--max-old-space-size=3600 npm run bench -- crowd`. Source: DESIGN "Budgets".
 */
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import type { Bench, Figure } from "./measure.ts";
import { gigabytesAtMost, rounded, spent } from "./measure.ts";
import { market } from "./sim.ts";

const TRADES = 5;
const DESKS = 8;
const SIZES = [100, 1_000, 10_000] as const;
const GIGABYTES_MOST = 4;

/** CPU seconds of a crowd from its first event to its last; no law looks on, as each would look at every node. */
async function cpuOf(nodes: number): Promise<number> {
  const { cpuMs } = await spent(async () => {
    const { report } = await runScenario(market(nodes, TRADES, seconds(30), [], DESKS), { seed: 1n }, openBackends());
    if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
  });
  return cpuMs / 1_000;
}

export const crowdBench: Bench = {
  long: true,
  async run() {
    const figures: Figure[] = [];
    let before: { readonly nodes: number; readonly cpu: number } | undefined;
    for (const nodes of SIZES) {
      const cpu = await cpuOf(nodes);
      figures.push({ name: `${nodes} nodes, ${TRADES} trades`, value: rounded(cpu), unit: "CPU s" });
      const power = before && Math.log(cpu / before.cpu) / Math.log(nodes / before.nodes);
      const grows = `CPU time grows with nodes, ${before?.nodes} to ${nodes}, by the power`;
      if (power !== undefined) figures.push({ name: grows, value: rounded(power), unit: "", bar: { most: 1.2 } });
      before = { nodes, cpu };
    }
    const name = `${SIZES.at(-1)} nodes, at its most`;
    return [...figures, { name, value: rounded(gigabytesAtMost()), unit: "GB", bar: { most: GIGABYTES_MOST } }];
  },
};
