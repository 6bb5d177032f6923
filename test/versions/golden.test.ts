// Goal: a run is the same on every version of Node.js and on every machine (law L1), and no change of what the product
// does goes unnoticed. Method: every scenario once, executors, stores and seeds in turn; trace and state are those of
// golden.json, and every answer of a node is what the document says. `npm run versions` runs this on every supported
// version. When a change is meant: OFS_GOLDEN=write.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { forksChain } from "../../sim/fault-kinds.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { excerptOf } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import { watched } from "../document/watched.ts";

const FILE = new URL("./golden.json", import.meta.url);
const EXECUTORS = ["model", "litesvm", "bankrun"] as const;
const STORES = ["memory", "sqljs"] as const;
const writes = process.env.OFS_GOLDEN === "write";

interface Hashes {
  readonly trace: string;
  readonly state: string;
}
const golden = JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, Hashes>>;
const found: Record<string, Hashes> = {};

/** What a scenario is run with: the same for as long as the list begins as it does. */
function optionsOf(scenario: Scenario, place: number): Pick<RunOptions, "seed" | "chain" | "store"> {
  const executor = EXECUTORS[place % EXECUTORS.length] ?? "model";
  const forks = scenario.faults.some(forksChain);
  // Bankrun has no other branch to run a transaction on.
  const chain = scenario.chain === "none" ? "model" : executor === "bankrun" && forks ? "litesvm" : executor;
  return { seed: BigInt(place + 1), chain, store: STORES[place % STORES.length] ?? "memory" };
}

const cases = scenarios.map(excerptOf).map((scenario, place) => {
  const options = optionsOf(scenario, place);
  const { seed, chain, store } = options;
  return { name: `${scenario.name} seed=${seed} chain=${chain} store=${store}`, scenario, options };
});

test.each(cases)("$name", async ({ name, scenario, options }) => {
  const backends = openBackends();
  const wrong: string[] = [];
  const openDriver = watched(backends.openDriver, (what) => wrong.push(what));
  const { report } = await runScenario(scenario, options, { ...backends, openDriver });
  expect(report.violations).toEqual([]);
  expect(wrong, "the document says what nodes answer").toEqual([]);
  found[name] = { trace: report.trace_hash, state: report.state_root };
  if (!writes) expect(found[name], "OFS_GOLDEN=write if the change is meant").toEqual(golden[name]);
});

test("golden.json holds these runs and no other", () => {
  if (writes) writeFileSync(FILE, `${JSON.stringify(found, null, 2)}\n`);
  else expect(Object.keys(golden)).toEqual(cases.map(({ name }) => name));
});
