/**
 * Plants one bug after the other into the simulator and the core, and lets drawn worlds look for it: which law finds
 * it, after how many events and how much CPU time. A bug that changes the trace of no world took no effect, and counts
 * neither way, nor does one with which the product does not load. Verdicts depend on seeds and sources alone; only CPU
 * time is the machine's. Source: DESIGN section 6.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundle } from "./bundle.ts";
import type { Plant } from "./plant.ts";
import type { Played } from "./played.ts";
import { DOES_NOT_LOAD } from "./played.ts";
import type { Reach } from "./reach.ts";
import { changed, ranIn } from "./reach.ts";

/** What came of one plant. */
export interface Scored {
  readonly plant: Plant;
  /** The run that broke a law, if one did. */
  readonly found: Played | undefined;
  /** Worlds that run what it changes; no other is played. */
  readonly reached: number;
  /** Whether the product loads with it. */
  readonly loads: boolean;
  /** Whether any world went another way than without the bug. */
  readonly tookEffect: boolean;
  /** Of all worlds that were run, the one that found it included. */
  readonly events: number;
  readonly cpuMs: number;
  /** Why a process ended before its seeds did: where the product loads, it counts as not found. */
  readonly stopped: string | undefined;
}

export interface ScoreOptions {
  readonly root: string;
  readonly seeds: readonly bigint[];
  readonly workers: number;
  readonly plants: readonly Plant[];
  /** Worlds played for one bug at most, those of few events first; all that run what it changes when absent. */
  readonly worlds?: number | undefined;
  readonly done: (scored: Scored, count: number) => void;
}

/** What plays worlds. */
const WORKER = join(import.meta.dirname, "worker.ts");
/** Where bundles are written. */
const FOLDER = "node_modules/.cache/ofs/score";
/** A world that does not end within so many minutes never does: the longest takes some ten seconds of CPU time. */
const STOP_AFTER_MS = 20 * 60_000;

/** A world of the fleet without a bug. */
interface Plain {
  readonly seed: bigint;
  readonly trace: string;
  readonly events: number;
  readonly reach: Reach;
}

/** Scores every plant, in their order. */
export async function score(options: ScoreOptions): Promise<readonly Scored[]> {
  const { root, plants, workers, worlds, done } = options;
  await mkdir(join(root, FOLDER), { recursive: true });
  const file = join(root, FOLDER, "plain.mjs");
  await bundle({ root, entry: WORKER, outfile: file });
  const plain = await plainWorlds(file, options.seeds);
  const scored: Scored[] = [];
  let [next, ended] = [0, 0];
  const work = async () => {
    for (let place = next++; place < plants.length; place = next++) {
      const result = await scoreOne(root, plants[place] as Plant, await readFile(file, "utf8"), plain, worlds);
      scored[place] = result;
      done(result, ++ended);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return scored;
}

/** Plays every world without a bug, or takes what it came to the last time, when nothing has changed since. */
async function plainWorlds(file: string, seeds: readonly bigint[]): Promise<readonly Plain[]> {
  const hash = createHash("sha256").update(await readFile(file));
  const kept = file.replace(/\.mjs$/, `-${hash.update(seeds.join()).digest("hex").slice(0, 16)}.json`);
  const { played, stopped } = existsSync(kept)
    ? (JSON.parse(await readFile(kept, "utf8")) as AllPlayed)
    : await playAll(file, ["--reach"], seeds);
  const broken = played.find(({ law }) => law !== null);
  if (broken !== undefined || stopped !== undefined)
    throw new Error(`seed ${broken?.seed} breaks ${broken?.law} without a bug: ${broken?.message ?? stopped}`);
  await writeFile(kept, JSON.stringify({ played }));
  return played.map(({ seed, trace, events, reach = [] }) => ({ seed: BigInt(seed), trace, events, reach }));
}

/** Plays the worlds that run what the bug changes, those of few events first, until one breaks a law. */
async function scoreOne(
  root: string,
  plant: Plant,
  text: string,
  plain: readonly Plain[],
  worlds = Infinity,
): Promise<Scored> {
  const file = join(root, FOLDER, `${plant.name}.mjs`);
  await bundle({ root, entry: WORKER, outfile: file, plant });
  const extent = changed(text, await readFile(file, "utf8"));
  const reached = plain.filter(({ reach }) => ranIn(reach, extent)).sort((a, b) => a.events - b.events);
  const { played, stopped, loads } = await playAll(
    file,
    [],
    reached.slice(0, worlds).map(({ seed }) => seed),
  );
  const traces = new Map(plain.map(({ seed, trace }) => [`${seed}`, trace]));
  const sum = (of: (one: Played) => number) => played.reduce((total, one) => total + of(one), 0);
  const found = played.find(({ law }) => law !== null);
  return {
    ...{ plant, found, stopped, loads, reached: reached.length },
    tookEffect:
      loads &&
      (found !== undefined || stopped !== undefined || played.some(({ seed, trace }) => traces.get(seed) !== trace)),
    ...{ events: sum(({ events }) => events), cpuMs: sum(({ cpuMs }) => cpuMs) },
  };
}

interface AllPlayed {
  readonly played: readonly Played[];
  readonly stopped: string | undefined;
  readonly loads: boolean;
}

/** Plays the seeds in a process of their own, until one breaks a law, or does not end. */
async function playAll(file: string, options: readonly string[], seeds: readonly bigint[]): Promise<AllPlayed> {
  if (seeds.length === 0) return { played: [], stopped: undefined, loads: true };
  const played: Played[] = [];
  const complaints: Buffer[] = [];
  const child = spawn(process.execPath, ["--enable-source-maps", file, ...options, ...seeds.map(String)], {
    env: { ...process.env, RUST_LOG: "off" },
    timeout: STOP_AFTER_MS * seeds.length,
    killSignal: "SIGKILL",
  });
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk));
  createInterface({ input: child.stdout }).on("line", (line) => played.push(JSON.parse(line) as Played));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (...ended) => resolve(ended));
  });
  const last = Buffer.concat(complaints)
    .toString()
    .trim()
    .split("\n")
    .find((line) => /Error|bug/.test(line));
  const stopped = code === 0 ? undefined : (last ?? `ended with ${signal ?? code}`);
  return { played, stopped, loads: code !== DOES_NOT_LOAD };
}
