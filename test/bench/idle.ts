/**
 * A hundred thousand nodes in one process that meet their peers, hear of one offer and have nothing else to do. It
 * takes an hour, and 16 GB where its heap is given what they need:
 * `NODE_OPTIONS=--max-old-space-size=14800 npm run bench -- idle`. Source: DESIGN "Budgets".
 */
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import type { Bench } from "./measure.ts";
import { rounded, spent } from "./measure.ts";
import { market } from "./sim.ts";

const NODES = 100_000;
const GIGABYTES_MOST = 16;

export const idleBench: Bench = {
  long: true,
  async run() {
    const { cpuMs } = await spent(async () => {
      const { report } = await runScenario(market(NODES, 0, seconds(15), []), { seed: 1n }, openBackends());
      if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
    });
    const gigabytes = process.resourceUsage().maxRSS / 1_000_000;
    return [
      { name: `${NODES} nodes without trades`, value: rounded(cpuMs / 1_000), unit: "CPU s" },
      { name: `${NODES} nodes, at its most`, value: rounded(gigabytes), unit: "GB", bar: { most: GIGABYTES_MOST } },
    ];
  },
};
