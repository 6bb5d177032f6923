/**
 * Runs the worlds of the seeds that stand on its command line, one after the other, until one breaks a law; prints a
 * line of JSON for each. It is bundled anew for every planted bug, so that it holds the bug and nothing else differs.
 */
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import type { Played } from "./played.ts";

for (const text of process.argv.slice(2)) {
  const seed = BigInt(text);
  const began = process.cpuUsage();
  const { events, trace, law, message, faults } = await play(seed);
  const { user, system } = process.cpuUsage(began);
  const played: Played = {
    seed: text,
    events,
    trace,
    law,
    message,
    faults,
    cpuMs: Math.round((user + system) / 1_000),
  };
  process.stdout.write(`${JSON.stringify(played)}\n`);
  if (law !== null) break;
}

async function play(seed: bigint): Promise<Omit<Played, "seed" | "cpuMs">> {
  try {
    const { report } = await runScenario(swarmScenario(seed), { seed }, openBackends());
    const [violation] = report.violations;
    const faults = report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind);
    const { events, trace_hash: trace } = report;
    return { events, trace, law: violation?.check ?? null, message: violation?.message ?? "", faults };
  } catch (error) {
    // The core asserts what it rests on; a step that throws takes its node with it.
    const message = error instanceof Error ? error.message : String(error);
    return { events: 0, trace: "", law: "steps-end", message, faults: [] };
  }
}
