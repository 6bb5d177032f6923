/**
 * Makes one run small: of the world of a seed, with the bug that is in the bundle that holds this. Prints a line of
 * JSON: what broke, and what shrinking left of it at which cost.
 */
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { shrink } from "../../sim/shrink.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import type { ShrunkRun, Size } from "./shrunk-run.ts";
import { isSmall } from "./shrunk-run.ts";

const [text = "1", tries = "2000"] = process.argv.slice(2);
const seed = BigInt(text);
const backends = openBackends();

function sizeOf({ nodes, actions, faults }: Scenario): Size {
  return { nodes, actions: actions.length, faults: faults.length };
}

function cpuSecondsSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

const first = swarmScenario(seed);
const { report } = await runScenario(first, { seed }, backends);
const began = process.cpuUsage();
let [events, smallAt] = [0, null as number | null];
const { broken, tried, whole } = await shrink(
  { scenario: first, report },
  {
    async play(scenario, until) {
      const played = await runScenario(scenario, { seed, until }, backends);
      events += played.report.events;
      return played.report;
    },
    tries: Number(tries),
    smaller({ scenario }) {
      if (smallAt === null && isSmall(sizeOf(scenario))) smallAt = cpuSecondsSince(began);
    },
  },
);
const shrunk: ShrunkRun = {
  ...{ law: report.violations[0]?.check ?? "", events: report.events, before: sizeOf(first) },
  ...{ after: sizeOf(broken.scenario), tried, whole, played: events, cpu: cpuSecondsSince(began), smallAt },
};
console.log(JSON.stringify(shrunk));
process.exit(0);
