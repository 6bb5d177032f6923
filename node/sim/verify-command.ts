/**
 * `ofs-sim verify`: every seed twice, once here and once in a fresh process with another time zone, another locale and
 * other V8 flags. The two traces must have one hash; where they differ, the first differing event is named.
 * Source: DESIGN L1.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveRun, unheldOn } from "../../sim/held-run.ts";
import { below, openStream } from "../../sim/random.ts";
import type { RunReport } from "../../sim/report.ts";
import { reportJson } from "../../sim/report.ts";
import type { RunResult } from "../../sim/run.ts";
import { openRun, runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { excerptOf } from "../../sim/scenario.ts";
import { chainOf } from "../../sim/setup.ts";
import type { CapturedEvent, Checkpoint, Stretch } from "../../sim/trace.ts";
import { firstDifferingEvent, firstDifferingStretch } from "../../sim/trace.ts";
import { checkPackages } from "./missing-packages.ts";
import type { RunChoices } from "./run-command.ts";
import { backendsOf, checkFit, runOptionsOf, scenarioNamed } from "./run-command.ts";
import type { Surroundings } from "./surroundings.ts";
import type { SeedRange } from "./usage.ts";
import { INTERRUPTED, UsageError } from "./usage.ts";

export interface VerifyChoices extends Pick<RunChoices, "nodes" | "chain" | "store" | "parity"> {
  readonly seeds: SeedRange;
  readonly scenario?: string;
  /** Worlds that seeds draw instead of scenarios. */
  readonly drawn?: boolean;
  /** How often each run is held, besides. */
  readonly held: number;
}

/** What the fresh process says about its run. */
interface Twin {
  readonly trace_hash: string;
  /** The report without what the wall clock says. */
  readonly report: string;
  readonly checkpoints: readonly Checkpoint[];
  readonly captured: readonly CapturedEvent[];
}

/** Surroundings in which an accidental dependence shows: another zone, a locale with its own letters and numbers. */
const TWIN_ENVIRONMENT = { TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
const TWIN_FLAGS = ["--hash-seed=48271", "--random-seed=16807", "--always-sparkplug"];
/** Every so many twins, one runs without the optimising compiler. Source: DESIGN "Simulated world". */
const UNOPTIMISED_EVERY = 4n;

/** Answers the exit code: 1 when any seed had two traces, else 130 for an interruption, or 0. */
export async function verifyCommand(choices: VerifyChoices, around: Surroundings): Promise<number> {
  const { scenario: name, seeds } = choices;
  const named = name === undefined ? await around.scenarios() : [await scenarioNamed(name, around)];
  const scenarios = named.map(excerptOf);
  for (const scenario of scenarios) {
    checkFit(scenario, choices);
    checkPackages(scenario, choices);
  }
  let [runs, differing] = [0, 0];
  for (let seed = seeds.first; seed <= seeds.last; seed++) {
    for (const scenario of scenarios) {
      if (around.stop.aborted) return toldStopped({ from: seed, seeds, runs, differing }, around);
      const difference = await compare(scenario, seed, choices, around);
      runs += 1;
      const isHeld = !difference.differs && choices.held > 0;
      const parted = isHeld ? await holdAndGoOn(scenario, { ...choices, seed }, difference.here, around) : [];
      if (difference.differs || parted.length > 0) differing += 1;
      for (const line of [difference.line, ...parted]) around.out(`${line}\n`);
    }
  }
  const verdict = differing === 0 ? "OK" : "FAILED";
  around.out(`${verdict} verify seeds=${seeds.first}..${seeds.last} runs=${runs} differing=${differing}\n`);
  return differing === 0 ? 0 : 1;
}

/** Says where somebody ended it; what differed until then counts. */
export function toldStopped(
  {
    from,
    seeds,
    runs,
    differing,
  }: Record<"runs" | "differing", number | bigint> & {
    readonly from: bigint;
    readonly seeds: SeedRange;
  },
  around: Pick<Surroundings, "out">,
): number {
  around.out(`interrupted; verify --seeds ${from}..${seeds.last} goes on\n`);
  around.out(`${differing === 0 ? "STOPPED" : "FAILED"} verify runs=${runs} differing=${differing}\n`);
  return differing === 0 ? INTERRUPTED : 1;
}

/** The hidden command that the twin runs: a run as JSON, with its checkpoints and a stretch of its events. */
export async function traceCommand(
  name: string,
  choices: Pick<RunChoices, "seed" | "nodes" | "chain" | "store" | "parity"> & { readonly stretch?: Stretch },
  around: Surroundings,
): Promise<number> {
  const scenario = excerptOf(await scenarioNamed(name, around));
  const result = await runHere(scenario, choices, choices.stretch, around);
  const twin: Twin = {
    trace_hash: result.report.trace_hash,
    report: timelessReport(result.report),
    checkpoints: result.checkpoints,
    captured: result.captured,
  };
  around.out(`${JSON.stringify(twin)}\n`);
  return 0;
}

/**
 * Holds a run at drawn events and goes on in other processes; answers a line for each that came to another end than
 * the whole run did.
 */
async function holdAndGoOn(
  scenario: Scenario,
  choices: VerifyChoices & { readonly seed: bigint },
  whole: RunReport,
  around: Surroundings,
): Promise<readonly string[]> {
  if (unheldOn(chainOf(scenario, choices.chain), scenario.name) !== undefined) return [];
  const { seed } = choices;
  const end = timelessReport(whole);
  const stream = openStream(seed, "verify/held");
  const folder = await mkdtemp(join(tmpdir(), "ofs-held-"));
  const run = await openRun(scenario, runOptionsOf(choices), await backendsOf(choices, around));
  const parted: string[] = [];
  try {
    const places = Array.from({ length: choices.held }, (_, n) => below(stream, n, whole.events));
    for (const at of places.sort((a, b) => a - b)) {
      await run.goOn(() => run.world.trace.events() >= at);
      const saved = saveRun(run);
      if (!saved.ok) throw new UsageError(`${saved.error}.`);
      const file = join(folder, `${at}.held`);
      await writeFile(file, saved.value);
      const report = timeless(await spawned(["resume", file, "--json"], [], around));
      if (report !== end) parted.push(`DIFFERS  ${scenario.name} seed=${seed} held after event ${at}: ${report}`);
    }
  } finally {
    await run.close();
    await rm(folder, { recursive: true, force: true });
  }
  return parted;
}

/** The report of a process without what the wall clock says. */
function timeless(json: string): string {
  return json
    .trim()
    .replace(/"wall_ms":\d+/, '"wall_ms":0')
    .replace(/"events_per_second":\d+/, '"events_per_second":0');
}

export interface Comparison {
  readonly differs: boolean;
  readonly line: string;
  /** What the run came to in this process. */
  readonly here: RunReport;
}

export async function compare(
  scenario: Scenario,
  seed: bigint,
  choices: VerifyChoices,
  around: Surroundings,
): Promise<Comparison> {
  const { report: here, checkpoints } = await runHere(scenario, { ...choices, seed }, undefined, around);
  const twin = await runTwin(scenario, seed, choices, undefined, around);
  const trace = here.trace_hash;
  const title = `${scenario.name} seed=${seed}`;
  const report = timelessReport(here);
  if (twin.report === report) return { differs: false, here, line: `same  ${title} trace=${trace}` };
  if (twin.trace_hash === trace) {
    return { differs: true, here, line: `DIFFERS  ${title} trace=${trace}: here ${report}; there ${twin.report}` };
  }
  const stretch = firstDifferingStretch(checkpoints, twin.checkpoints);
  const again = await runHere(scenario, { ...choices, seed }, stretch, around);
  const twinAgain = await runTwin(scenario, seed, choices, stretch, around);
  const found = firstDifferingEvent(again.captured, twinAgain.captured);
  const where = found === undefined ? "it did not differ when run once more" : textOf(found.a, found.b);
  return { differs: true, here, line: `DIFFERS  ${title} trace=${trace} and ${twin.trace_hash}: ${where}` };
}

/** Everything that a run came to, but how long it took. */
export function timelessReport(report: RunReport): string {
  return reportJson({ ...report, wall_ms: 0, events_per_second: 0 });
}

export async function runHere(
  scenario: Scenario,
  choices: Pick<RunChoices, "seed" | "nodes" | "chain" | "store" | "parity">,
  capture: Stretch | undefined,
  around: Surroundings,
): Promise<RunResult> {
  const options = { ...runOptionsOf(choices), ...(capture && { capture }) };
  return await runScenario(scenario, options, await backendsOf(choices, around));
}

function runTwin(
  scenario: Scenario,
  seed: bigint,
  choices: VerifyChoices,
  stretch: Stretch | undefined,
  around: Surroundings,
): Promise<Twin> {
  const command = ["trace", choices.scenario ?? scenario.name, "--seed", `${seed}`, "--store", choices.store];
  if (choices.nodes !== undefined) command.push("--nodes", `${choices.nodes}`);
  if (choices.chain !== undefined) command.push("--chain", choices.chain);
  if (choices.parity !== undefined) command.push("--parity", choices.parity);
  if (stretch !== undefined) command.push("--from", `${stretch.from}`, "--to", `${stretch.to}`);
  return spawned(command, twinFlags(seed), around).then((out) => JSON.parse(out) as Twin);
}

/** What the engine of a twin is told, by its number. */
export function twinFlags(number: bigint): readonly string[] {
  return number % UNOPTIMISED_EVERY === 0n ? [...TWIN_FLAGS, "--no-opt"] : TWIN_FLAGS;
}

/** What this command prints in a process of its own, in other surroundings. */
export function spawned(command: readonly string[], flags: readonly string[], around: Surroundings): Promise<string> {
  const env = { ...process.env, ...TWIN_ENVIRONMENT };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...flags, around.launcher, ...command], { env });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      // What broke a law has a report as well.
      if (code === 0 || (code === 1 && out.length > 0)) resolve(Buffer.concat(out).toString("utf8"));
      else reject(new Error(`${command.join(" ")} ended with ${code}: ${Buffer.concat(err).toString("utf8")}`));
    });
  });
}

function textOf(a: CapturedEvent | undefined, b: CapturedEvent | undefined): string {
  const event = a?.event ?? b?.event ?? 0;
  const side = (one: CapturedEvent | undefined) => (one === undefined ? "nothing" : `node ${one.node} ${one.text}`);
  return `first at event ${event}, ${a?.time ?? b?.time} ms: here ${side(a)}; there ${side(b)}`;
}
