/**
 * How a market grows: arrivals a CPU second against what the machine hashes in one, with few nodes and with many; the
 * power with which time grows with nodes; what a node and a statement take in memory. An arrival is the first time that
 * a node takes a statement. Source: DESIGN "Budgets".
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openBackends } from "../../sim/backends.ts";
import { openRun, runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import { calibrate, calibrationFigures } from "./calibration.ts";
import type { Bench, Figure } from "./measure.ts";
import { rounded, spent } from "./measure.ts";
import { checkers, market } from "./sim.ts";

const DESKS = 8;
const RUNS = 3;
/** Statements of a trade without a chain, and the offer. */
const statementsOf = (trades: number) => 2 * trades + 1;

/** CPU milliseconds of a market, checks on: the least of several runs. */
async function cpuOf(nodes: number, trades: number, runs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const { cpuMs } = await spent(async () => {
      const scenario = market(nodes, trades, seconds(60), checkers, Math.min(nodes, DESKS));
      const { report } = await runScenario(scenario, { seed: 1n }, openBackends());
      if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
    });
    least = Math.min(least, cpuMs);
  }
  return least;
}

/** Arrivals a CPU second, and how many there are while the machine makes a thousand hashes. */
export async function arrivalFigures(nodes: number, trades: number, runs = RUNS): Promise<readonly Figure[]> {
  const { hashes } = calibrate();
  const rate = (nodes * statementsOf(trades) * 1_000) / (await cpuOf(nodes, trades, runs));
  const after = calibrate();
  const perHash = (1_000 * rate) / Math.max(hashes, after.hashes);
  return [
    { name: `${nodes} nodes: arrivals`, value: rounded(rate), unit: "/s of CPU time" },
    { name: `${nodes} nodes: arrivals, of hashes`, value: rounded(perHash), unit: "a thousand", isRatio: true },
    ...calibrationFigures(after),
  ];
}

/** Bytes of heap that a market of so many nodes holds at its end. */
async function heapOf(nodes: number, trades: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage();
  const run = await openRun(
    market(nodes, trades, seconds(60), [], Math.min(nodes, DESKS)),
    { seed: 1n },
    openBackends(),
  );
  await run.goOn(() => run.world.loop.now() >= seconds(64));
  collect();
  const after = process.memoryUsage();
  await run.close();
  return after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
}

async function memoryFigures(): Promise<readonly Figure[]> {
  const [nodes, few, many] = [40, 5, 80];
  const [light, full] = [await heapOf(nodes, few), await heapOf(nodes, many)];
  const ofStatement = (full - light) / (nodes * (statementsOf(many) - statementsOf(few)));
  const ofNode = light / nodes - ofStatement * statementsOf(few);
  return [
    { name: "a node", value: rounded(ofNode / 1_000), unit: "kB", bar: { most: 60 } },
    { name: "a statement that a node holds", value: rounded(ofStatement / 1_000), unit: "kB", bar: { most: 1 } },
  ];
}

async function exponent(): Promise<Figure> {
  const [few, many, trades] = [10, 100, 20];
  const power = Math.log((await cpuOf(many, trades, 1)) / (await cpuOf(few, trades, 1))) / Math.log(many / few);
  return {
    name: "CPU time grows with nodes, 10 to 100, by the power",
    value: rounded(power),
    unit: "",
    bar: { most: 1.2 },
  };
}

export const scaleBench: Bench = {
  name: "scale",
  quick: () => arrivalFigures(20, 40),
  run: async () => [...(await arrivalFigures(40, 60)), await exponent(), ...(await memoryFigures())],
};
