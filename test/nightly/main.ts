/**
 * Usage: npm run nightly -- --minutes M [--out DIR] [--workers N]. Everything that takes long, for as long as it may:
 * a soak, drawn worlds, small worlds walked whole, the cost law, properties with fresh seeds and many cases, double
 * runs of every scenario that are held in between, and mutants of what changed. A night that was cut short goes on
 * where it stopped. Writes `index.html`, `record.json` and a log for each unit to DIR (`reports/nightly`).
 * Exit codes: 0 everything held, 1 something failed, 2 bad usage, 130 interrupted.
 */
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { scenarios } from "../../scenarios/index.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import { changedSince, filesBelow, MUTATED_FOLDERS } from "../mutation/files.ts";
import { runNight } from "./night.ts";
import { nightlyPage } from "./page.ts";
import type { NightlyRecord } from "./record.ts";
import { readRecord } from "./record.ts";
import { unitsOf } from "./units.ts";

const root = resolve(import.meta.dirname, "..", "..");
const USAGE = "Usage: npm run nightly -- --minutes M [--out DIR] [--workers N]";

const { minutes, folder, workers } = options();
const freshSeed = () => String(randomInt(2 ** 31));
const names = scenarios.map(({ name }) => name);
const scopeNames = scopes.map(({ name }) => name);
const revision = git("rev-parse", "HEAD").trim();
const stop = new AbortController();
process.on("SIGINT", () => stop.abort());
process.on("SIGTERM", () => stop.abort());

let failed = 0;
const record = await runNight(recordOf(folder), {
  root,
  folder,
  minutes,
  workers,
  unitsOf: ({ seed, since }) => {
    return unitsOf(root, {
      seed: BigInt(seed),
      scenarios: names,
      scopes: scopeNames,
      changed: changedFiles(since),
      folder,
    });
  },
  next: (ended) => ({ ...ended, seed: freshSeed(), since: revision }),
  stop: stop.signal,
  onResult({ unit, passed, cases, seconds, log }) {
    if (!passed) failed += 1;
    const tried = cases > 0 ? `, ${cases} cases` : "";
    console.log(`${passed ? "held  " : "FAILED"} ${unit} (${seconds.toFixed(0)} s${tried})${passed ? "" : ` ${log}`}`);
  },
});
const page = join(folder, "index.html");
writeFileSync(page, nightlyPage(record));
const night = record.nights.at(-1);
const rest = record.done.length > 0 ? "; the same command goes on with the rest of the round" : "";
console.log(
  `${night?.units} units, ${night?.cases} cases, ${failed} failed, ${night?.rounds} whole rounds${rest}. ${page}`,
);
process.exitCode = stop.signal.aborted ? 130 : failed > 0 ? 1 : 0;

function options(): { readonly minutes: number; readonly folder: string; readonly workers: number } {
  try {
    const text = { type: "string" } as const;
    const { values } = parseArgs({ options: { minutes: text, out: text, workers: text } });
    const minutes = Number(values.minutes);
    const workers = Number(values.workers ?? availableParallelism());
    if (!(minutes > 0)) refuse(`--minutes takes a number above 0. ${USAGE}`);
    if (!(Number.isInteger(workers) && workers > 0)) refuse(`--workers takes a whole number above 0. ${USAGE}`);
    return { minutes, workers, folder: resolve(values.out ?? join("reports", "nightly")) };
  } catch (error) {
    return refuse(`${error instanceof Error ? error.message : String(error)}. ${USAGE}`);
  }
}

/** Sources that differ from a revision; before the first night and outside a repository none. */
function changedFiles(since: string): readonly string[] {
  if (since === "") return [];
  const changed = changedSince(root, since, filesOfProduct());
  return typeof changed === "string" ? [] : changed;
}

function filesOfProduct(): readonly string[] {
  const files = filesBelow(root, MUTATED_FOLDERS);
  return typeof files === "string" ? [] : files;
}

function git(...args: readonly string[]): string {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout ?? "";
}

function recordOf(folder: string): NightlyRecord {
  try {
    return readRecord(folder, freshSeed);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(line: string): never {
  console.error(line);
  process.exit(2);
}
