/**
 * `ofs-sim fuzz`: worlds that seeds draw, each under every law, until the seeds or the minutes are spent. What broke a
 * law before is played first. Every violation that is unlike the others is made small and written down, and what all
 * runs together did not reach is named. Source: DESIGN section 6.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Violation } from "../../sim/checker.ts";
import { clockText } from "../../sim/clock-text.ts";
import type { FaultKind } from "../../sim/faults.ts";
import { faultKinds } from "../../sim/faults.ts";
import { optionsOf, reproOf, reproText } from "../../sim/repro.ts";
import { runScenario } from "../../sim/run.ts";
import { nextTurn } from "../../sim/runtime.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { RunBound } from "../../sim/setup.ts";
import type { Broken } from "../../sim/shrink.ts";
import { shrink } from "../../sim/shrink.ts";
import type { Reach } from "../../sim/swarm/reach.ts";
import { addReach, everything, reachKinds } from "../../sim/swarm/reach.ts";
import { wallMs } from "../../sim/wall-clock.ts";
import { inOrder } from "./in-order.ts";
import { checkPackages } from "./missing-packages.ts";
import { writeOut } from "./out-file.ts";
import { openProgressLine } from "./progress-line.ts";
import { readRepro } from "./replay-command.ts";
import { backendsOf, checkFit, scenarioNamed } from "./run-command.ts";
import type { SeedChoices, SeedResult, SeedsLeft, Twin } from "./seed-run.ts";
import { playSeed, scenarioOfSeed } from "./seed-run.ts";
import type { SeedPlace } from "./seed-runs.ts";
import { checkPlace, runSeeds } from "./seed-runs.ts";
import type { Surroundings } from "./surroundings.ts";
import { stopAsked } from "./surroundings.ts";
import type { SeedRange } from "./usage.ts";
import { INTERRUPTED, SEEDS_MAX, UsageError } from "./usage.ts";

export interface FuzzChoices extends SeedChoices, SeedPlace {
  readonly seeds?: SeedRange;
  /** After so many minutes no seed is begun any more. */
  readonly minutes?: number;
  /** Where runs that broke a law are kept, and played from first. */
  readonly repros: string;
  /** Runs that making one violation small may take. */
  readonly tries: number;
  readonly json: boolean;
  /** Goes on from copies of worlds that reached something new. */
  readonly guided?: boolean;
}

/** A way to break a law, and the seeds that did. */
export interface Finding {
  readonly law: string;
  readonly seeds: bigint[];
  readonly first: Violation;
  /** What broke it, where that is not the world of the first seed. */
  readonly scenario?: Scenario;
  /** Where it is written down. */
  file?: string;
}

/** How many twins of each kind of fault were played, and how many came to other events. */
type Twins = Map<FaultKind, { readonly sampled: number; readonly bit: number }>;

/** Files that hold runs which broke a law. */
const REPRO = ".repro.json";
const MINUTE_MS = 60_000;
/** Things of one kind that were not reached and are named; of more, their number is. */
const NAMED_MAX = 12;

/** A seed whose process ended, and what is known of why. */
interface Lost {
  readonly seed: bigint;
  readonly cause: string;
}

/** A process that runs seeds died, which no world explains: a defect, as sysexits.h numbers it. */
const DEFECT = 70;

/** Answers the exit code: 1 when a law was broken, else 70 for a lost seed, 130 for an interruption, or 0. */
export async function fuzzCommand(choices: FuzzChoices, around: Surroundings): Promise<number> {
  const { seeds, minutes, json } = choices;
  if (seeds === undefined && minutes === undefined)
    throw new UsageError("fuzz wants --seeds A..B, or --minutes M to go on from seed 1 for so long.");
  await checkScenario(choices, around);
  await checkPlace(choices, choices, around);
  const print = (line: string) => (json ? undefined : around.out(`${line}\n`));
  print(introduction(choices));
  const broken = await playKept(choices, around, print);
  const seen = await playSeeds(choices, around, print);
  const { runs, events, reach, findings, twins, lost, goOn, left } = seen;
  const unwritten = await writeAll([...findings.values()], choices, around, print);
  const failed = findings.size > 0 || broken.length > 0;
  if (json) around.out(`${jsonOf({ runs, events, findings, broken, lost, goOn, reach, twins })}\n`);
  for (const line of choices.scenario === undefined ? reachLines(reach) : []) print(line);
  for (const line of twinLines(twins)) print(line);
  if (goOn !== null)
    print(`${around.stop.aborted || !left.stopped ? "interrupted" : "ended at the first"}; fuzz ${goOn} goes on`);
  const verdict = failed ? "FAILED" : lost.length > 0 ? "LOST" : goOn !== null ? "STOPPED" : "OK";
  const counts = `violations=${findings.size} still-broken=${broken.length} lost=${lost.length}`;
  print(`${verdict} fuzz runs=${runs} events=${events} ${counts}`);
  const ends = unwritten ?? left.cause;
  if (ends !== undefined) throw ends;
  if (failed) return 1;
  return lost.length > 0 ? DEFECT : goOn !== null ? INTERRUPTED : 0;
}

/** Bad usage is said before anything runs: of every seed by itself it would count as a process that died. */
async function checkScenario(choices: FuzzChoices, around: Surroundings): Promise<void> {
  if (choices.scenario === undefined) return;
  const scenario = await scenarioNamed(choices.scenario, around);
  checkFit(scenario, { ...(choices.chain !== undefined && { chain: choices.chain }) });
  checkPackages(scenario, choices);
}

/** What all seeds came to. */
interface Seen {
  readonly runs: number;
  readonly events: number;
  readonly reach: Reach;
  readonly findings: Map<string, Finding>;
  readonly twins: Twins;
  readonly lost: Lost[];
  /** How to go on after an interruption. */
  readonly goOn: string | null;
  readonly left: SeedsLeft;
}

/** Runs the seeds, and takes what came of them in their order. */
async function playSeeds(choices: FuzzChoices, around: Surroundings, print: (line: string) => void): Promise<Seen> {
  const reach: Reach = new Map();
  const findings = new Map<string, Finding>();
  const twins: Twins = new Map();
  const lost: Lost[] = [];
  let [runs, events] = [0, 0];
  const seeds = seedsOf(choices, wallMs());
  const takes = inOrder<() => void>(choices.seeds?.first ?? 1n, (take) => take());
  const line = openProgressLine(around);
  const began = around.wallMs();
  let workers: number | undefined;
  const left = await runSeeds(seeds, choices, choices, around, {
    done(result) {
      runs += 1;
      takes.put(result.seed, () => {
        events += result.report.events;
        addReach(reach, new Set(result.reached));
        countTwin(twins, result.twin);
        note(findings, result, print);
      });
      line.show(() => progressText(runs, choices, around.wallMs() - began, workers));
    },
    lost(seed, cause) {
      takes.put(seed, () => {
        lost.push({ seed, cause });
        print(`seed ${seed}: ${cause}`);
      });
    },
    seen(count) {
      workers = count;
    },
  });
  line.clear();
  takes.flush();
  const next = left.stopped || left.cause !== undefined ? seeds.next() : undefined;
  const first = [left.first, next?.done === false ? next.value : undefined].find((one) => one !== undefined);
  return {
    runs,
    events,
    reach,
    findings,
    twins,
    lost,
    left,
    goOn: first === undefined ? null : goingOn(first, choices),
  };
}

/** How far it is, and for how long it will go on. */
function progressText(runs: number, { seeds, minutes }: FuzzChoices, ms: number, workers: number | undefined): string {
  const all = seeds === undefined ? undefined : Number(seeds.last - seeds.first) + 1;
  const bySeeds = all === undefined ? Number.POSITIVE_INFINITY : ((all - runs) * ms) / runs;
  const byTime = minutes === undefined ? Number.POSITIVE_INFINITY : minutes * MINUTE_MS - ms;
  const seconds = Math.max(0, Math.ceil(Math.min(bySeeds, byTime) / 1_000));
  const there = workers === undefined ? "" : `, ${workers} workers`;
  return `${runs}${all === undefined ? "" : ` of ${all}`} seeds, ${seconds} s left${there}`;
}

/** The options with which seeds go on. */
function goingOn(seed: bigint, { seeds, minutes }: FuzzChoices): string {
  const last = seeds?.last ?? seed + SEEDS_MAX - 1n;
  return `--seeds ${seed}..${last}${minutes === undefined ? "" : ` --minutes ${minutes}`}`;
}

/** Seeds in order, as long as there are any and there is time. */
export function* seedsOf({ seeds, minutes }: FuzzChoices, began: number): Generator<bigint> {
  const { first, last } = seeds ?? { first: 1n, last: undefined };
  for (let seed = first; last === undefined || seed <= last; seed++) {
    if (minutes !== undefined && wallMs() - began >= minutes * MINUTE_MS) return;
    yield seed;
  }
}

/** Plays what broke a law before; answers the files that still do. */
export async function playKept(
  { repros }: FuzzChoices,
  around: Surroundings,
  print: (line: string) => void,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const name of (await namesIn(repros)).filter((one) => one.endsWith(REPRO)).sort()) {
    if (around.stop.aborted) break;
    const file = join(repros, name);
    const repro = await readRepro(file);
    const backends = await backendsOf(repro.parity ? { parity: "reference" } : {}, around);
    const { report } = await runScenario(repro.scenario, optionsOf(repro), backends);
    if (report.violations.length === 0) continue;
    broken.push(file);
    print(`still broken: ${file}: ${textOf(report.violations[0])}`);
    await nextTurn();
  }
  return broken;
}

/** What a folder holds; nothing where there is none yet. One that cannot be read may hold what is still broken. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new UsageError(`${folder} cannot be read: ${(error as Error).message}.`);
  }
}

/** Keeps a run that broke a law in a way that is new. */
export function note(
  findings: Map<string, Finding>,
  { seed, report, scenario }: Pick<SeedResult, "seed" | "report"> & { readonly scenario?: Scenario },
  print: (line: string) => void,
): void {
  const [violation] = report.violations;
  if (violation === undefined) return;
  const name = `${violation.check}: ${shapeOf(violation.message)}`;
  const known = findings.get(name);
  if (known !== undefined) return void known.seeds.push(seed);
  findings.set(name, { law: violation.check, seeds: [seed], first: violation, ...(scenario && { scenario }) });
  print(`seed ${seed}: ${textOf(violation)}`);
}

/** A message without what differs from run to run: numbers, identities, quoted values. */
function shapeOf(message: string): string {
  return message
    .replace(/"[^"]*"/g, "…")
    .replace(/[0-9A-Za-z]{20,}/g, "…")
    .replace(/[0-9]+/g, "#")
    .slice(0, 120);
}

/**
 * Writes every finding down; answers why the first of those could not be that were not. A defect of ours on the way
 * loses neither the others nor what is told of all of them.
 */
export async function writeAll(
  findings: readonly Finding[],
  choices: FuzzChoices,
  around: Surroundings,
  print: (line: string) => void,
): Promise<Error | undefined> {
  let unwritten: Error | undefined;
  for (const finding of findings) {
    try {
      await writeDown(finding, choices, around, print);
    } catch (error) {
      unwritten ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  return unwritten;
}

/** Makes the first run of a finding small, and writes it down. */
async function writeDown(
  finding: Finding,
  choices: FuzzChoices,
  around: Surroundings,
  print: (line: string) => void,
): Promise<void> {
  const [seed = 0n] = finding.seeds;
  const scenario = finding.scenario ?? (await scenarioOfSeed(seed, choices, around));
  const play = (smaller: Scenario, until?: RunBound) => playSeed(smaller, seed, choices, around, { until });
  const { tries, store, parity } = choices;
  const search = { play, tries, pause: stopAsked(around) };
  const { broken, tried } = await shrink({ scenario, report: await play(scenario) }, search);
  const text = reproText(broken.scenario, broken.report, { store, parity: parity !== undefined });
  if (!text.ok) return print(`seed ${seed}: ${text.error}`);
  finding.file = await freeFile(choices.repros, `${finding.law}-${seed}`, broken);
  await writeOut(finding.file, text.value);
  const { nodes, actions, faults } = broken.scenario;
  print(`seed ${seed}: ${finding.law} with ${nodes} nodes, ${actions.length} actions, ${faults.length} faults`);
  const rest = around.stop.aborted ? `; interrupted, shrink ${finding.file} goes on` : "";
  print(`  after ${tried} runs: ${finding.file}${rest}`);
}

/**
 * Where a finding is kept: another way to break the same law under the same seed, in another scenario or a copy of the
 * same world, keeps its file.
 */
async function freeFile(folder: string, title: string, { scenario, report }: Broken): Promise<string> {
  const way = shapeOf(report.violations[0]?.message ?? "");
  for (let number = 1; ; number++) {
    const file = join(folder, `${title}${number === 1 ? "" : `-${number}`}${REPRO}`);
    const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) =>
      error.code === "ENOENT" || error.code === "ENOTDIR" ? undefined : "",
    );
    if (content === undefined) return file;
    const kept = reproOf(content);
    if (kept.ok && kept.value.scenario.name === scenario.name && shapeOf(kept.value.found.message) === way) return file;
  }
}

function introduction({ seeds, minutes, scenario, workers, queue }: FuzzChoices): string {
  const worlds = scenario === undefined ? "worlds that seeds draw" : scenario;
  const range = seeds === undefined ? "from seed 1 on" : `seeds ${seeds.first}..${seeds.last}`;
  const time = minutes === undefined ? "" : `, ${minutes} minutes at most`;
  const where = queue !== undefined ? "through a queue" : workers === 1 ? "in this process" : `${workers} processes`;
  return `fuzz: ${worlds}, ${range}${time}, ${where}`;
}

function countTwin(twins: Twins, twin: Twin | undefined): void {
  if (twin === undefined) return;
  const { sampled, bit } = twins.get(twin.kind) ?? { sampled: 0, bit: 0 };
  twins.set(twin.kind, { sampled: sampled + 1, bit: bit + (twin.bit ? 1 : 0) });
}

/** Of the faults that a world was played without as well, how many had made a difference. */
function twinLines(twins: Twins): readonly string[] {
  const told = faultKinds.flatMap((kind) => {
    const count = twins.get(kind);
    return count === undefined ? [] : [`${kind} ${count.bit} of ${count.sampled}`];
  });
  return told.length === 0 ? [] : [`faults that bit, by twins without them: ${told.join(", ")}`];
}

/** How much of each kind was reached, and what was not. */
function reachLines(reach: Reach): readonly string[] {
  const all = everything();
  return reachKinds.flatMap((kind) => {
    const things = all.filter((one) => one.startsWith(`${kind} `));
    const left = things.filter((one) => !reach.has(one)).map((one) => one.slice(kind.length + 1));
    const more = left.length > NAMED_MAX ? `, and ${left.length - NAMED_MAX} more` : "";
    const missing = left.length === 0 ? "" : `; not ${left.slice(0, NAMED_MAX).join(", ")}${more}`;
    return [`reached ${kind}: ${things.length - left.length} of ${things.length}${missing}`];
  });
}

function textOf(violation: Violation | undefined): string {
  if (violation === undefined) return "nothing";
  return `${violation.check} at ${clockText(violation.time)} (event ${violation.event}): ${violation.message}`;
}

interface Outcome extends Omit<Seen, "left"> {
  readonly broken: readonly string[];
}

/** One object: what was found, what still breaks, and how many runs reached each thing that there is. */
function jsonOf({ runs, events, findings, broken, lost, goOn, reach, twins }: Outcome): string {
  const found = [...findings.values()].map(({ law, seeds, first, file }) => {
    return { law, seeds: seeds.map(String), message: first.message, file: file ?? null };
  });
  const reached = Object.fromEntries(everything().map((one) => [one, reach.get(one) ?? 0]));
  const gone = lost.map(({ seed, cause }) => ({ seed: seed.toString(), cause }));
  return JSON.stringify({
    runs,
    events,
    violations: found,
    still_broken: broken,
    lost: gone,
    go_on: goOn,
    reached,
    twins: Object.fromEntries(twins),
  });
}
