/**
 * Usage: npm run bench [-- CASE …]. Prints one JSON object a figure.
 * Exit codes: 0 every bar held, 1 a bar was missed, 2 there is no such case.
 */
import { arrivalsBench } from "./arrivals.ts";
import { chainBench } from "./chain.ts";
import { copyBench } from "./copy.ts";
import { costBench } from "./cost.ts";
import { foldBench } from "./fold.ts";
import { hostileBench } from "./hostile.ts";
import type { Bench } from "./measure.ts";
import { lineOf, verdict } from "./measure.ts";
import { reconcileBench } from "./reconcile.ts";
import { recordBench } from "./record.ts";
import { rpcBench } from "./rpc.ts";
import { serveBench } from "./serve.ts";
import { simBench } from "./sim.ts";
import { soakBench } from "./soak.ts";
import { startBench } from "./start.ts";

const benches: readonly Bench[] = [
  foldBench,
  reconcileBench,
  chainBench,
  rpcBench,
  recordBench,
  simBench,
  arrivalsBench,
  copyBench,
  startBench,
  serveBench,
  costBench,
  hostileBench,
  soakBench,
];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`No such case: ${unknown.join(", ")}. There are ${benches.map((bench) => bench.name).join(", ")}.`);
  process.exit(2);
}
for (const bench of benches) {
  if (asked.length > 0 ? !asked.includes(bench.name) : bench.long === true) continue;
  for (const figure of await bench.run()) {
    console.log(lineOf(bench.name, figure));
    if (verdict(figure) === "missed") process.exitCode = 1;
  }
}
