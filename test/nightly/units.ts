/**
 * What a night consists of: units small enough to be resumed one by one. Each is a command of this product in a process
 * of its own. A unit that belongs to a new property or scenario is there without asking: both lists are read.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Unit {
  readonly name: string;
  /** The heading of the page under which it stands. */
  readonly group: "properties" | "double runs";
  /** What Node.js is started with. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Seeds that a scenario is run twice with, each night others. */
const DOUBLE_RUN_SEEDS = 3n;

/** Every unit of a round, whose seed all random cases and all double runs derive from. */
export function unitsOf(root: string, seed: bigint, scenarios: readonly string[]): readonly Unit[] {
  return [
    ...propertyFiles(root).map((file) => propertyUnit(file, seed)),
    ...scenarios.map((name) => doubleRun(name, seed)),
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
