/**
 * Usage: npm run bench [-- CASE …] [--quick] [--json] [--keep] [--history FILE]
 *    or: npm run bench -- --page FILE --history FILE
 * Prints one JSON object a figure, with --json one for all. --quick measures in two minutes what is compared with
 * baseline.json, and --quick --keep writes that. --history appends the run to a file, a line a run; --page draws the
 * newest thousand runs of such a file and measures nothing.
 * What is measured is the compiled product: dist/ is built first where it is not what the sources make.
 * Exit codes: 0 every bar held, 1 a bar was missed or a ratio fell, 2 there is no such case or option, a file cannot
 * be read or written, or the product does not compile.
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { runCompiled } from "../../node/bootstrap/compiled.mjs";
import { fallen, readBaseline, writeBaseline } from "./baseline.ts";
import { besideRates, better, calibrated } from "./calibration.ts";
import { cases } from "./cases.ts";
import type { Measured } from "./history.ts";
import { runOf } from "./history.ts";
import { appendRun, complaintOf, readHistory, surroundings } from "./history-file.ts";
import type { Calibration } from "./measure.ts";
import { lineOf, verdict } from "./measure.ts";
import type { Asked } from "./options.ts";
import { askedOf } from "./options.ts";

const root = resolve(import.meta.dirname, "..", "..");

const asked = askedOf(process.argv.slice(2), Object.keys(cases));
if (typeof asked === "string") refuse(asked);
if (asked.type === "draw") await draw(asked);
else await measure(asked);

async function measure(terms: Extract<Asked, { readonly type: "measure" }>): Promise<void> {
  const { isQuick, isJson, keeps, history } = terms;
  const complaint = history === undefined ? undefined : complaintOf(history);
  if (complaint !== undefined) refuse(complaint);
  // What the tree is now is what is measured, whatever becomes of it meanwhile.
  const around = surroundings(root);
  if ((await runCompiled(root)) !== 0) refuse("The product does not compile.");
  const measured: Measured[] = [];
  const calibration = await measureCases(terms, (one) => {
    measured.push(one);
    if (!isJson) console.log(lineOf(one.bench, one.figure));
    if (verdict(one.figure) === "missed") process.exitCode = 1;
  });
  const figures = measured.map(({ figure }) => figure);
  if (keeps) writeBaseline(figures);
  if (history !== undefined && calibration !== undefined) {
    const date = new Date().toISOString();
    appendRun(history, runOf(measured, { date, ...around, quick: isQuick, calibration }));
  }
  const fell = isQuick && terms.cases.length === 0 ? fallen(readBaseline(), figures) : [];
  if (isJson) {
    const lines = measured.map(({ bench, figure }) => JSON.parse(lineOf(bench, figure)) as unknown);
    console.log(JSON.stringify({ figures: lines, fell }));
  } else for (const line of fell) console.error(line);
  if (fell.length > 0) process.exitCode = 1;
}

/** Measures the cases that are asked for, in their order; answers the best calibration, if there was any. */
async function measureCases(
  { cases: names, isQuick }: Extract<Asked, { readonly type: "measure" }>,
  found: (measured: Measured) => void,
): Promise<Calibration | undefined> {
  let best: Calibration | undefined;
  for (const [bench, loadCase] of Object.entries(cases)) {
    if (names.length > 0 && !names.includes(bench)) continue;
    const { run, quick, long = false } = await loadCase();
    const measureOne = isQuick ? quick : run;
    if (measureOne === undefined || (names.length === 0 && long)) continue;
    const [figures, calibration] = await calibrated(measureOne);
    best = best === undefined ? calibration : better(best, calibration);
    for (const figure of besideRates(figures, calibration)) found({ bench, figure });
  }
  return best;
}

/** Draws a history. The page is loaded here alone: it is no part of what a measuring process holds. */
async function draw({ page, history }: Extract<Asked, { readonly type: "draw" }>): Promise<void> {
  const read = readHistory(history);
  if (typeof read === "string") refuse(read);
  for (const { line, reason } of read.damaged) console.error(`${history}: line ${line} is skipped, ${reason}`);
  if (read.older > 0) console.error(`${history}: ${read.older} lines before the newest are not read`);
  const { historyPage } = await import("./history-page.ts");
  try {
    writeFileSync(page, historyPage(read));
  } catch (error) {
    refuse(`The page ${page} cannot be written: ${(error as Error).message}.`);
  }
  console.log(`Drew ${read.runs.length} ${read.runs.length === 1 ? "run" : "runs"}: ${page}`);
}

function refuse(line: string): never {
  console.error(line);
  process.exit(2);
}
