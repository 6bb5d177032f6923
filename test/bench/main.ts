/**
 * Usage: npm run bench [-- CASE …] [--quick] [--json] [--keep]. Prints one JSON object a figure, with --json one for
 * all. --quick measures in two minutes what is compared with baseline.json, and --quick --keep writes that. What is
 * measured is the compiled product: dist/ is built first where it is not what the sources make.
 * Exit codes: 0 every bar held, 1 a bar was missed or a ratio fell, 2 there is no such case or option, or the product
 * does not compile.
 */
import { resolve } from "node:path";
import { runCompiled } from "../../node/bootstrap/compiled.mjs";
import { fallen, readBaseline, writeBaseline } from "./baseline.ts";
import { besideRates, calibrated } from "./calibration.ts";
import { cases } from "./cases.ts";
import type { Figure } from "./measure.ts";
import { lineOf, verdict } from "./measure.ts";

const OPTIONS = ["--quick", "--json", "--keep"];

const given = process.argv.slice(2);
const options = given.filter((word) => word.startsWith("--"));
const asked = given.filter((word) => !word.startsWith("--"));
const noOption = options.filter((option) => !OPTIONS.includes(option));
const unknown = asked.filter((name) => !Object.hasOwn(cases, name));
if (noOption.length > 0) refuse(`No such option: ${noOption.join(", ")}. There are ${OPTIONS.join(", ")}.`);
if (unknown.length > 0) refuse(`No such case: ${unknown.join(", ")}. There are ${Object.keys(cases).join(", ")}.`);
const isQuick = options.includes("--quick");
const isJson = options.includes("--json");

if ((await runCompiled(resolve(import.meta.dirname, "..", ".."))) !== 0) refuse("The product does not compile.");
const measured: { readonly bench: string; readonly figure: Figure }[] = [];
for (const [name, loadCase] of Object.entries(cases)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const bench = await loadCase();
  const run = isQuick ? bench.quick : bench.run;
  if (run === undefined || (asked.length === 0 && bench.long === true)) continue;
  const [found, calibration] = await calibrated(run);
  for (const figure of besideRates(found, calibration)) {
    measured.push({ bench: name, figure });
    if (!isJson) console.log(lineOf(name, figure));
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
