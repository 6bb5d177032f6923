/**
 * One world of a score: what came of a seed.
 */
import { openBackends } from "../../sim/backends.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { bites, suspectsOf } from "../../sim/swarm/twins.ts";
import type { Played } from "./played.ts";

/** Ten times what the longest world of the fleet comes to: a world that goes on then never ends. */
const EVENTS_AT_MOST = 200_000;

class NeverEnds extends Error {}

/** Runs the world of a seed, in decimal. Rejects where it goes on after so many events and no law was broken. */
export async function play(text: string, eventsAtMost = EVENTS_AT_MOST): Promise<Played> {
  const seed = BigInt(text);
  const scenario = swarmScenario(seed);
  const began = process.cpuUsage();
  const cost = () => {
    const { user, system } = process.cpuUsage(began);
    return { seed: text, cpuMs: Math.round((user + system) / 1_000) };
  };
  try {
    const until = { time: Infinity, events: eventsAtMost };
    const run = await runScenario(scenario, { seed, until }, openBackends());
    const [violation] = run.report.violations;
    const { events, trace_hash: trace } = run.report;
    if (violation === undefined && events >= eventsAtMost)
      throw new NeverEnds(`the world of seed ${text} goes on after ${eventsAtMost} events`);
    if (violation === undefined) return { ...cost(), events, trace, law: null, message: "", faults: [] };
    const found = { ...cost(), events, trace, law: violation.check, message: violation.message };
    return { ...found, faults: await proven(scenario, run, { seed }) };
  } catch (error) {
    if (error instanceof NeverEnds) throw error;
    // The core asserts what it rests on; a step that throws takes its node with it.
    const message = error instanceof Error ? error.message : String(error);
    return { ...cost(), events: 0, trace: "", law: "steps-end", message, faults: [] };
  }
}

/** Kinds of faults that acted before the law was broken and without which the world goes another way. */
async function proven(scenario: Scenario, run: RunResult, options: RunOptions): Promise<readonly string[]> {
  const acted = new Set(run.report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind));
  const kinds = new Set<string>();
  for (const suspect of suspectsOf(scenario)) {
    if (!acted.has(suspect.kind) || kinds.has(suspect.kind)) continue;
    if (await bites(scenario, suspect, run, options, openBackends())) kinds.add(suspect.kind);
  }
  return [...kinds];
}
