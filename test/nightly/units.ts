/**
 * What a night consists of: units small enough to be resumed one by one. Each is a command of this product in a process
 * of its own. A unit that belongs to a new property or scenario is there without asking: both lists are read.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Unit {
  readonly name: string;
  /** The heading of the page under which it stands. */
  readonly group: "properties" | "double runs" | "mutants";
  /** What Node.js is started with. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Seeds that a scenario is run twice with, each night others. */
const DOUBLE_RUN_SEEDS = 3n;

/** Mutants drawn of a changed file in one night; every night draws others. */
const MUTANTS_A_FILE = 20;

/** What a round is made for. */
export interface RoundOptions {
  /** All random cases, double runs and drawn mutants of the round derive from it. */
  readonly seed: bigint;
  readonly scenarios: readonly string[];
  /** Sources that changed since the last night that ended a round. */
  readonly changed: readonly string[];
  /** Where pages of mutants are written. */
  readonly folder: string;
}

/** Every unit of a round: all properties, all scenarios, and what changed. */
export function unitsOf(root: string, { seed, scenarios, changed, folder }: RoundOptions): readonly Unit[] {
  return [
    ...propertyFiles(root).map((file) => propertyUnit(file, seed)),
    ...scenarios.map((name) => doubleRun(name, seed)),
    ...changed.map((file) => mutantsOf(file, seed, folder)),
  ];
}

/** Test files that try properties, longest path last, so that the order is stable. */
export function propertyFiles(root: string): readonly string[] {
  const files = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" });
  return files
    .map((file) => `test/${file.replaceAll("\\", "/")}`)
    .filter((file) => file.endsWith(".ts") && !file.startsWith("test/property/"))
    .filter((file) => /\bforAll(Async)?\(/.test(readFileSync(join(root, file), "utf8")))
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

function doubleRun(scenario: string, seed: bigint): Unit {
  const seeds = `${seed}..${seed + DOUBLE_RUN_SEEDS - 1n}`;
  return {
    name: `verify ${scenario}`,
    group: "double runs",
    args: ["node/bin/ofs-sim.mjs", "verify", "--scenario", scenario, "--seeds", seeds, "--chain", "litesvm"],
    env: {},
  };
}

function mutantsOf(file: string, seed: bigint, folder: string): Unit {
  const drawn = ["--sample", `${MUTANTS_A_FILE}`, "--seed", `${seed}`];
  const out = ["--out", join(folder, "mutants", file.replaceAll("/", "-"))];
  const args = ["node/bootstrap/run.mjs", "mutate", file, ...drawn, ...out];
  return { name: `mutate ${file}`, group: "mutants", args, env: {} };
}
