/**
 * Runs units until the night is over: a few at a time, each with a fair share of the time that is left, and its result
 * recorded the moment it ends. A round over all units is followed by another with a fresh seed.
 */
import { spawn } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { MINUTES_MAX } from "../../node/sim/usage.ts";
import type { NightlyRecord, UnitResult } from "./record.ts";
import { withNight, withResult, writeRecord } from "./record.ts";
import type { Unit } from "./units.ts";
import { MINUTES } from "./units.ts";

/** A unit's least share of the night. */
const SHARE_MS_MIN = 20_000;
/** A unit that goes on so long after its share is ended and counts as failed: it hangs. */
const HANGS_AFTER_MS = 30 * 60_000;

const MINUTE_MS = 60_000;

/** How much of what a unit prints is looked at for its last line. */
const LAST_LINE_LENGTH = 400;

export interface NightOptions {
  readonly root: string;
  /** Where record, logs and page are. */
  readonly folder: string;
  readonly minutes: number;
  readonly workers: number;
  readonly unitsOf: (record: NightlyRecord) => readonly Unit[];
  /** What a round that ended leaves for the next. */
  readonly next: (record: NightlyRecord) => NightlyRecord;
  readonly onResult: (result: UnitResult) => void;
  /** Aborted by whoever wants to stop early: what is done stays done. */
  readonly stop: AbortSignal;
}

/** Runs one night and answers the record after it, already written. */
export async function runNight(before: NightlyRecord, options: NightOptions): Promise<NightlyRecord> {
  const began = Date.now();
  const ends = began + options.minutes * 60_000;
  const isTerminal = () => options.stop.aborted || Date.now() >= ends;
  let record = before;
  let rounds = 0;
  const results: UnitResult[] = [];
  while (!isTerminal()) {
    const done = new Set(record.done.map(({ unit }) => unit));
    const waiting = options.unitsOf(record).filter(({ name }) => !done.has(name));
    const worker = async () => {
      while (waiting.length > 0 && !isTerminal()) {
        const share = Math.max(SHARE_MS_MIN, ((ends - Date.now()) * options.workers) / waiting.length);
        const unit = waiting.shift() as Unit;
        const result = await runUnit(unit, record.seed, Math.min(ends, Date.now() + share), options);
        if (result === undefined) return;
        results.push(result);
        record = withResult(record, result);
        writeRecord(options.folder, record);
        options.onResult(result);
      }
    };
    await Promise.all(Array.from({ length: options.workers }, worker));
    if (waiting.length > 0 || options.stop.aborted) break;
    rounds += 1;
    record = options.next({ ...record, done: [] });
  }
  record = withNight(record, {
    began: new Date(began).toISOString(),
    minutes: (Date.now() - began) / 60_000,
    units: results.length,
    failed: results.filter(({ passed }) => !passed).length,
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    rounds,
  });
  writeRecord(options.folder, record);
  return record;
}

/** Runs one unit to its end; answers nothing when it was stopped from outside, so that it is run again. */
function runUnit(
  unit: Unit,
  seed: string,
  deadline: number,
  { root, folder, stop }: NightOptions,
): Promise<UnitResult | undefined> {
  const name = unit.name.replaceAll(/[^A-Za-z0-9.-]+/g, "-");
  const log = join("logs", `${name}.log`);
  mkdirSync(join(folder, "logs"), { recursive: true });
  const tried = join(folder, "logs", `${name}.tried`);
  rmSync(tried, { force: true });
  const env = { ...process.env, ...unit.env, OFS_DEADLINE: `${deadline}`, OFS_TRIED: tried, RUST_LOG: "off" };
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, argumentsOf(unit, deadline - started), {
      cwd: root,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const out = createWriteStream(join(folder, log));
    child.stdout.pipe(out, { end: false });
    child.stderr.pipe(out, { end: false });
    let last = "";
    child.stdout.on("data", (chunk: Buffer) => {
      last = (last + chunk.toString("utf8")).slice(-LAST_LINE_LENGTH);
    });
    const end = () => child.kill("SIGTERM");
    const hangs = setTimeout(end, deadline - started + HANGS_AFTER_MS);
    stop.addEventListener("abort", end);
    child.on("close", (code) => {
      clearTimeout(hangs);
      stop.removeEventListener("abort", end);
      out.end();
      const seconds = (Date.now() - started) / 1_000;
      const cases = casesIn(tried);
      const lastLine = (last.trimEnd().split("\n").at(-1) ?? "").trim();
      const { name, group, passes = [0] } = unit;
      const passed = code !== null && passes.includes(code);
      resolve(stop.aborted ? undefined : { unit: name, group, passed, seed, seconds, cases, lastLine, log });
    });
  });
}

/** What a unit is started with: for as many minutes as it has. */
export function argumentsOf({ args }: Pick<Unit, "args">, shareMs: number): readonly string[] {
  const minutes = Math.min(MINUTES_MAX, Math.max(1, Math.floor(shareMs / MINUTE_MS)));
  return args.map((argument) => (argument === MINUTES ? `${minutes}` : argument));
}

/** The cases that a unit's properties said they tried. */
export function casesIn(file: string): number {
  if (!existsSync(file)) return 0;
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.reduce((sum, line) => sum + (JSON.parse(line) as { readonly cases: number }).cases, 0);
}
