/**
 * How small runs that broke a law become, and what that costs: ten runs of drawn worlds, with a planted bug each, whose
 * law breaks after some ten thousand events. Source: DESIGN "Budgets": 12 faults and 20 actions at most after 60 CPU
 * seconds, for nine of ten.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundle } from "../score/bundle.ts";
import { handPlants } from "../score/plants/index.ts";
import type { Bench, Figure } from "./measure.ts";
import { median, rounded } from "./measure.ts";
import type { ShrunkRun } from "./shrunk-run.ts";
import { isSmall } from "./shrunk-run.ts";

const root = resolve(import.meta.dirname, "..", "..");
const FOLDER = join(root, "node_modules/.cache/ofs/shrink");
const SECONDS_MOST = 60;
const WITHIN_LEAST = 9;

/** A bug of a score, and a seed whose world finds it late. */
type Failure = readonly [bug: string, seed: number];

/** Of large worlds of six nodes those in which these bugs show late enough: between 7,000 and 12,000 events. */
const failures: readonly Failure[] = [
  ["seen-is-final", 349],
  ["seen-is-final", 336],
  ["confirmed-is-enough", 349],
  ["released-without-fact-state", 349],
  ["facts-do-not-fold", 152],
  ["approve-over-open", 12],
  ["approve-over-open", 152],
  ["reject-over-approve", 12],
  ["open-does-not-refold", 12],
  ["seller-cannot-open", 12],
];

export const shrinkBench: Bench = {
  long: true,
  async run() {
    mkdirSync(FOLDER, { recursive: true });
    const shrunk: ShrunkRun[] = [];
    for (const [bug, seed] of failures) shrunk.push(await shrinkOne(bug, seed));
    const within = shrunk.filter(({ after, cpu }) => isSmall(after) && cpu <= SECONDS_MOST);
    return [
      ...shrunk.map((one, place) => figureOf(failures[place] as Failure, one)),
      middle("events before", shrunk, ({ events }) => events, "events"),
      middle("faults left, median", shrunk, ({ after }) => after.faults, "faults"),
      middle("actions left, median", shrunk, ({ after }) => after.actions, "actions"),
      middle("until nothing more can be left out, median", shrunk, ({ cpu }) => cpu, "CPU s"),
      middle("until small enough, median", shrunk, ({ smallAt, cpu }) => smallAt ?? cpu, "CPU s"),
      {
        name: `of ${shrunk.length}, with 12 faults and 20 actions at most in ${SECONDS_MOST} CPU s`,
        ...{ value: within.length, unit: "runs", bar: { least: WITHIN_LEAST } },
      },
    ];
  },
};

async function shrinkOne(name: string, seed: number): Promise<ShrunkRun> {
  const plant = handPlants.find((one) => one.name === name);
  const outfile = join(FOLDER, `${name}.mjs`);
  await bundle({ root, entry: join(import.meta.dirname, "shrink-worker.ts"), outfile, plant });
  const { stdout, stderr, status } = spawnSync(process.execPath, [outfile, `${seed}`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name}: ${stderr.trim()}`);
  return JSON.parse(stdout) as ShrunkRun;
}

function figureOf([bug, seed]: Failure, shrunk: ShrunkRun): Figure {
  const { law, events, before, after, tried, whole, cpu, smallAt } = shrunk;
  const parts = [
    `${bug} at seed ${seed}: ${law} after ${events} events`,
    `${before.nodes} -> ${after.nodes} nodes`,
    `${before.actions} -> ${after.actions} actions`,
    `${before.faults} -> ${after.faults} faults`,
    `${tried} runs${whole ? "" : ", not all that could be tried"}`,
    smallAt === null ? "never small enough" : `small enough after ${rounded(smallAt)} s`,
  ];
  return { name: parts.join(", "), value: rounded(cpu), unit: "CPU s" };
}

function middle(name: string, shrunk: readonly ShrunkRun[], of: (one: ShrunkRun) => number, unit: string): Figure {
  return { name, value: rounded(median(shrunk.map(of))), unit };
}
