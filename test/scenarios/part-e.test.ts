// Goal: the eighteen situations of protocol 03 part E come out as it says, whatever executes the chain, and equally so
// to the last event. Method: each scenario once on every executor; what it expects it checks itself. Bankrun runs a
// transaction once and has no other branch to run it on: it refuses the one that forks, and says so.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import type { ExecutorName } from "../../sim/chain/executor.ts";
import { forksChain } from "../../sim/fault-kinds.ts";
import type { RunReport } from "../../sim/report.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { chainOf } from "../../sim/setup.ts";
import { forged, hidden, redirected, staked } from "./attacked-decisions.ts";
import { partE } from "./part-e.ts";

const executors: readonly ExecutorName[] = ["bankrun", "litesvm", "model"];
const SEED = 1n;

function named(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`there is no scenario ${name}`);
  return found;
}

async function play(scenario: Scenario, chain: ExecutorName): Promise<RunReport> {
  return (await runScenario(scenario, { seed: SEED, chain }, openBackends())).report;
}

test("every situation of part E has its scenario, and each is listed and described", () => {
  expect(partE.map(({ number }) => number)).toEqual(Array.from({ length: 18 }, (_, at) => `S${at + 1}`));
  const listed = scenarios.map(({ name }) => name);
  expect(listed).toEqual([...new Set(listed)]);
  const readme = readFileSync("scenarios/README.md", "utf8");
  for (const { name, source } of scenarios)
    expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\| .* \\| ${source} \\|`));
  for (const { scenario, number } of partE) expect(named(scenario).source).toContain(`E ${number}`);
});

const once = new Map([...hidden, ...forged, ...staked, ...redirected, ...partE].map((row) => [row.scenario, row]));
test.each([...once.values()])("$number $scenario", async ({ scenario: name }) => {
  const scenario = named(name);
  const forks = scenario.faults.some(forksChain);
  const reports: RunReport[] = [];
  for (const chain of scenario.chain === "none" ? (["model"] as const) : executors) {
    if (forks && chain === "bankrun") {
      await expect(play(scenario, chain)).rejects.toThrow(/forks the chain, which bankrun cannot/);
      expect(chainOf(scenario, undefined)).toBe("litesvm");
      continue;
    }
    const report = await play(scenario, chain);
    expect(report.violations, chain).toEqual([]);
    for (const { kind, effective } of report.faults) expect(effective, `${kind} on ${chain}`).toBeGreaterThan(0);
    reports.push(report);
  }
  expect(new Set(reports.map(({ trace_hash }) => trace_hash)).size).toBe(1);
  expect(new Set(reports.map(({ state_root }) => state_root)).size).toBe(1);
});
