/**
 * How a market grows: arrivals a CPU second against what the machine hashes in one, with few nodes and with many; the
 * powers with which time grows with nodes and with statements; what a node and a statement take in memory. An arrival
 * is the first time that a node takes a statement. Source: DESIGN "Budgets".
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openBackends } from "../../sim/backends.ts";
import { openRun, runScenario } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import { calibrated } from "./calibration.ts";
import type { Bench, Figure } from "./measure.ts";
import { medianRun, nothing, rounded, spent } from "./measure.ts";
import { checkers, market } from "./sim.ts";

const DESKS = 8;
/** Collections after which nothing more is given back. */
const COLLECTIONS = 3;
/** Statements of a trade without a chain, and the offer. */
const statementsOf = (trades: number) => 2 * trades + 1;

/** A market from its first event to its last, checks on unless said. */
async function play(nodes: number, trades: number, laws = checkers): Promise<void> {
  const scenario = market(nodes, trades, seconds(60), laws, Math.min(nodes, DESKS));
  const { report } = await runScenario(scenario, { seed: 1n }, openBackends());
  if (report.violations.length > 0) throw new Error(JSON.stringify(report.violations[0]));
}

/** CPU milliseconds of one run: powers are of sizes so far apart that a run of each says enough. */
async function cpuOf(...terms: Parameters<typeof play>): Promise<number> {
  return (await spent(() => play(...terms))).cpuMs;
}

/** Arrivals a CPU second, and how many there are while the machine makes a thousand hashes. */
async function arrivalFigures(nodes: number, trades: number): Promise<readonly Figure[]> {
  const [{ cpuMs }, calibration] = await calibrated(() => medianRun(nothing, () => play(nodes, trades)));
  const rate = (nodes * statementsOf(trades) * 1_000) / cpuMs;
  const perHash = (1_000 * rate) / calibration.hashes;
  return [
    { name: `${nodes} nodes: arrivals`, value: rounded(rate), unit: "/s of CPU time", calibration },
    { name: `${nodes} nodes: arrivals, of hashes`, value: rounded(perHash), unit: "a thousand", isRatio: true },
  ];
}

/** Bytes of heap that a market of so many nodes holds at its end. */
async function heapOf(nodes: number, trades: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // What hangs on a weak map goes with the collection after that of its key.
  const heldNow = () => {
    for (let round = 0; round < COLLECTIONS; round++) collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heldNow();
  const run = await openRun(
    market(nodes, trades, seconds(60), [], Math.min(nodes, DESKS)),
    { seed: 1n },
    openBackends(),
  );
  await run.goOn(() => run.world.loop.now() >= seconds(64));
  const after = heldNow();
  await run.close();
  return after - before;
}

/**
 * What a node and a statement take. Every world holds much that is neither's (compiled code, what nodes share, buffers
 * of its trace), so each figure is a difference of differences: of few and many nodes, with little and much to hold.
 */
async function memoryFigures(): Promise<readonly Figure[]> {
  const [few, many, little, much] = [20, 120, 5, 45];
  // Code that ran little is compiled by the first worlds, in every size: it would count as what more nodes take.
  for (const trades of [little, much]) await heapOf(many, trades);
  const light = (await heapOf(few, little)) - (await heapOf(many, little));
  const full = (await heapOf(few, much)) - (await heapOf(many, much));
  const perNode = { light: light / (few - many), full: full / (few - many) };
  const ofStatement = (perNode.full - perNode.light) / (statementsOf(much) - statementsOf(little));
  const ofNode = perNode.light - ofStatement * statementsOf(little);
  return [
    { name: "a node", value: rounded(ofNode / 1_000), unit: "kB", bar: { most: 60 } },
    { name: "a statement that a node holds", value: rounded(ofStatement / 1_000), unit: "kB", bar: { most: 1 } },
  ];
}

/** The power with which CPU time grows from one size of a market to another. */
function power(few: number, many: number, took: { readonly few: number; readonly many: number }): number {
  return rounded(Math.log(took.many / took.few) / Math.log(many / few));
}

async function ofNodes(): Promise<Figure> {
  const [few, many, trades] = [10, 100, 20];
  const took = { few: await cpuOf(few, trades), many: await cpuOf(many, trades) };
  const name = `CPU time grows with nodes, ${few} to ${many}, by the power`;
  return { name, value: power(few, many, took), unit: "", bar: { most: 1.2 } };
}

/** Laws are looked at elsewhere: a checker that goes through all statements stops at a few hundred. */
async function ofStatements(): Promise<Figure> {
  const [nodes, few, many] = [4, 125, 1_250];
  const took = { few: await cpuOf(nodes, few, []), many: await cpuOf(nodes, many, []) };
  const [least, most] = [statementsOf(few), statementsOf(many)];
  const name = `CPU time grows with statements, ${least} to ${most}, by the power`;
  return { name, value: power(least, most, took), unit: "", bar: { most: 1.2 } };
}

export const scaleBench: Bench = {
  quick: () => arrivalFigures(20, 40),
  run: async () => [
    ...(await arrivalFigures(40, 60)),
    await ofNodes(),
    await ofStatements(),
    ...(await memoryFigures()),
  ],
};
