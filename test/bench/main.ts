/**
 * Usage: npm run bench [-- CASE …]. Prints one JSON object a figure.
 */
import { foldBench } from "./fold.ts";
import type { Bench } from "./measure.ts";
import { reconcileBench } from "./reconcile.ts";

const benches: readonly Bench[] = [foldBench, reconcileBench];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`No such case: ${unknown.join(", ")}. There are ${benches.map((bench) => bench.name).join(", ")}.`);
  process.exit(2);
}
for (const bench of benches) {
  if (asked.length > 0 && !asked.includes(bench.name)) continue;
  for (const figure of await bench.run()) console.log(JSON.stringify({ case: bench.name, ...figure }));
}
