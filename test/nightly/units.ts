/**
 * What a night consists of: units small enough to be resumed one by one. Each is a command of this product in a process
 * of its own. A unit that belongs to a new property or scenario is there without asking: both lists are read.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Unit {
  readonly name: string;
  /** The heading of the page under which it stands. */
  readonly group: "swarm" | "guided search" | "soak" | "scopes" | "cost law" | "properties" | "double runs" | "mutants";
  /** What Node.js is started with. `MINUTES` stands for the whole minutes of its share of the night, one at least. */
  readonly args: readonly string[];
  /** Exit codes that tell of nothing wrong; 0 alone unless said. */
  readonly passes?: readonly number[];
  readonly env: Readonly<Record<string, string>>;
}

/** Seeds that a scenario is run twice with, each night others. */
const DOUBLE_RUN_SEEDS = 3n;
/** Small worlds that are drawn and played twice. */
const DRAWN_WORLDS = 2_500n;
/** Times that each of these runs is held besides, and goes on in a process of its own. */
const HELD = 2;

/** Parts of the swarm, so that a night that is cut short loses little; and seeds of each, more than one can play. */
const [SWARMS, SWARM_SEEDS] = [4, 100_000n];
/** Runs that making a violation small may take at night. */
const TRIES = 2_000;
/** The scenario that is played for a whole day of its world. */
const SOAK = "day-of-a-hundred-nodes";

/** What an argument says that stands for minutes. */
export const MINUTES = "MINUTES";
/** A scope whose bound was met says how far it came; what broke a law is 1. */
const SCOPE_PASSES = [0, 2];

/** Mutants drawn of a changed file in one night; every night draws others. */
const MUTANTS_A_FILE = 20;

/** What a round is made for. */
export interface RoundOptions {
  /** All random cases, double runs and drawn mutants of the round derive from it. */
  readonly seed: bigint;
  readonly scenarios: readonly string[];
  /** Small worlds that are walked whole. */
  readonly scopes: readonly string[];
  /** Sources that changed since the last night that ended a round. */
  readonly changed: readonly string[];
  /** Where pages of mutants are written. */
  readonly folder: string;
}

/** Every unit of a round: what takes longest first, then all properties, all scenarios, and what changed. */
export function unitsOf(root: string, { seed, scenarios, scopes, changed, folder }: RoundOptions): readonly Unit[] {
  return [
    soak(seed),
    ...Array.from({ length: SWARMS }, (_, part) => swarm(part, seed, folder)),
    guided(seed, folder),
    ...scopes.map((name) => scopeWalk(name, folder)),
    costLaw(),
    ...propertyFiles(root).map((file) => propertyUnit(file, seed)),
    drawnTwice(seed),
    ...scenarios.map((name) => doubleRun(name, seed)),
    ...changed.map((file) => mutantsOf(file, seed, folder)),
  ];
}

/** Test files that try more at night, longest path last, so that the order is stable. */
export function propertyFiles(root: string): readonly string[] {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return files
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("test/property/"))
    .filter((file) => /\b(forAll(Async)?|runsOf|tries)\(/.test(readFileSync(join(root, file), "utf8")))
    .flatMap((file) => (file.endsWith(".test.ts") ? [file] : []))
    .sort();
}

function propertyUnit(file: string, seed: bigint): Unit {
  return {
    name: file,
    group: "properties",
    args: ["node_modules/vitest/vitest.mjs", "run", file, "--maxWorkers=1"],
    env: { OFS_PROFILE: "nightly", OFS_SEED: `${seed}` },
  };
}

/** A day of many nodes. */
function soak(seed: bigint): Unit {
  const args = ["node/bin/ofs-sim.mjs", "run", SOAK, "--seed", `${seed}`];
  return { name: `soak ${SOAK}`, group: "soak", args, env: {} };
}

/** Worlds that seeds draw, for as long as there is time. What breaks a law is kept, and played first the next night. */
function swarm(part: number, seed: bigint, folder: string): Unit {
  const first = seed + BigInt(part) * SWARM_SEEDS;
  const seeds = ["--seeds", `${first}..${first + SWARM_SEEDS - 1n}`, "--minutes", MINUTES, "--workers", "1"];
  const kept = ["--repros", join(folder, "repros", `swarm-${part + 1}`), "--tries", `${TRIES}`];
  return {
    name: `swarm ${part + 1}`,
    group: "swarm",
    args: ["node/bin/ofs-sim.mjs", "fuzz", ...seeds, ...kept],
    env: {},
  };
}

/** Small worlds, and copies of those that reached something new, for as long as there is time. */
function guided(seed: bigint, folder: string): Unit {
  const first = seed + BigInt(SWARMS) * SWARM_SEEDS;
  const seeds = ["--seeds", `${first}..${first + SWARM_SEEDS - 1n}`, "--minutes", MINUTES];
  const kept = ["--repros", join(folder, "repros", "guided"), "--tries", `${TRIES}`];
  const args = ["node/bin/ofs-sim.mjs", "fuzz", "--guided", ...seeds, ...kept];
  return { name: "guided search", group: "guided search", args, env: {} };
}

/** Every order of events of a small world, or as many as there is time for. */
function scopeWalk(name: string, folder: string): Unit {
  const bounds = ["--minutes", MINUTES, "--repros", join(folder, "repros", "scopes")];
  const args = ["node/bin/ofs-sim.mjs", "explore", name, ...bounds];
  return { name: `explore ${name}`, group: "scopes", args, env: {}, passes: SCOPE_PASSES };
}

/** What the worst statement costs among many. */
function costLaw(): Unit {
  return { name: "bench cost", group: "cost law", args: ["node/bootstrap/run.mjs", "bench", "cost"], env: {} };
}

function drawnTwice(seed: bigint): Unit {
  const seeds = `${seed}..${seed + DRAWN_WORLDS - 1n}`;
  const args = ["node/bin/ofs-sim.mjs", "verify", "--drawn", "--seeds", seeds];
  return { name: "verify drawn worlds", group: "double runs", args, env: {} };
}

function doubleRun(scenario: string, seed: bigint): Unit {
  const seeds = `${seed}..${seed + DOUBLE_RUN_SEEDS - 1n}`;
  return {
    name: `verify ${scenario}`,
    group: "double runs",
    args: [
      "node/bin/ofs-sim.mjs",
      "verify",
      "--scenario",
      scenario,
      "--seeds",
      seeds,
      "--chain",
      "litesvm",
      "--held",
      `${HELD}`,
    ],
    env: {},
  };
}

function mutantsOf(file: string, seed: bigint, folder: string): Unit {
  const drawn = ["--sample", `${MUTANTS_A_FILE}`, "--seed", `${seed}`];
  const out = ["--out", join(folder, "mutants", file.replaceAll("/", "-"))];
  const args = ["node/bootstrap/run.mjs", "mutate", file, ...drawn, ...out];
  return { name: `mutate ${file}`, group: "mutants", args, env: {} };
}
