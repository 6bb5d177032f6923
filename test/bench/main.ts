/**
 * Usage: npm run bench [-- CASE …] [--quick] [--json] [--keep]. Prints one JSON object a figure, with --json one for
 * all. --quick measures in two minutes what is compared with baseline.json, and --quick --keep writes that.
 * Exit codes: 0 every bar held, 1 a bar was missed or a ratio fell, 2 there is no such case or option.
 */
import { arrivalsBench } from "./arrivals.ts";
import { fallen, readBaseline, writeBaseline } from "./baseline.ts";
import { chainBench } from "./chain.ts";
import { copyBench } from "./copy.ts";
import { costBench } from "./cost.ts";
import { foldBench } from "./fold.ts";
import { hostileBench } from "./hostile.ts";
import type { Bench, Figure } from "./measure.ts";
import { lineOf, verdict } from "./measure.ts";
import { reconcileBench } from "./reconcile.ts";
import { recordBench } from "./record.ts";
import { rpcBench } from "./rpc.ts";
import { scaleBench } from "./scale.ts";
import { sealedBench } from "./sealed.ts";
import { serveBench } from "./serve.ts";
import { shrinkBench } from "./shrink.ts";
import { simBench } from "./sim.ts";
import { soakBench } from "./soak.ts";
import { startBench } from "./start.ts";
import { travelBench } from "./travel.ts";

const OPTIONS = ["--quick", "--json", "--keep"];
const benches: readonly Bench[] = [
  foldBench,
  reconcileBench,
  chainBench,
  rpcBench,
  recordBench,
  simBench,
  arrivalsBench,
  scaleBench,
  copyBench,
  travelBench,
  shrinkBench,
  startBench,
  serveBench,
  costBench,
  sealedBench,
  hostileBench,
  soakBench,
];

const given = process.argv.slice(2);
const options = given.filter((word) => word.startsWith("--"));
const asked = given.filter((word) => !word.startsWith("--"));
const noOption = options.filter((option) => !OPTIONS.includes(option));
const unknown = asked.filter((name) => !benches.some((bench) => bench.name === name));
if (noOption.length > 0) refuse(`No such option: ${noOption.join(", ")}. There are ${OPTIONS.join(", ")}.`);
if (unknown.length > 0)
  refuse(`No such case: ${unknown.join(", ")}. There are ${benches.map((bench) => bench.name).join(", ")}.`);
const isQuick = options.includes("--quick");
const isJson = options.includes("--json");

const measured: { readonly bench: string; readonly figure: Figure }[] = [];
for (const bench of benches) {
  if (asked.length > 0 ? !asked.includes(bench.name) : bench.long === true) continue;
  for (const figure of (await (isQuick ? bench.quick?.() : bench.run())) ?? []) {
    measured.push({ bench: bench.name, figure });
    if (!isJson) console.log(lineOf(bench.name, figure));
    if (verdict(figure) === "missed") process.exitCode = 1;
  }
}
const figures = measured.map(({ figure }) => figure);
if (options.includes("--keep")) writeBaseline(figures);
const fell = isQuick && asked.length === 0 ? fallen(readBaseline(), figures) : [];
if (isJson) {
  const lines = measured.map(({ bench, figure }) => JSON.parse(lineOf(bench, figure)) as unknown);
  console.log(JSON.stringify({ figures: lines, fell }));
} else for (const line of fell) console.error(line);
if (fell.length > 0) process.exitCode = 1;

function refuse(line: string): never {
  console.error(line);
  process.exit(2);
}
