/**
 * What a copy of a whole world costs: five nodes that hold a thousand statements each, copied while nobody writes, and
 * what the copy then pays for its first writes. Source: DESIGN "Simulated world": 1.5 ms a node of 1,000 statements.
 */
import { Statements } from "../../core/testing.ts";
import { openBackends } from "../../sim/backends.ts";
import { copyRun, saveRun } from "../../sim/held-run.ts";
import type { Run } from "../../sim/run.ts";
import { openRun } from "../../sim/run.ts";
import { seconds } from "../../sim/scenario.ts";
import type { Bench, Figure } from "./measure.ts";
import { medianRun, nothing, rounded } from "./measure.ts";
import { market } from "./sim.ts";

const NODES = 5;
/** Two statements each, beside the offer. */
const TRADES = 500;
const COPIES = 15;

export const copyBench: Bench = {
  async run() {
    const backends = openBackends();
    const run = await openRun(market(NODES, TRADES, seconds(60), []), { seed: 1n }, backends);
    // The last trade has reached every node.
    await run.goOn(() => run.world.loop.now() >= seconds(64));
    const held = run.world.nodes.map((node) => node.driver()?.view.size(Statements) ?? 0);
    const { wallMs, cpuMs } = await medianRun(nothing, () => copied(run, backends), COPIES);
    const saved = saveRun(run);
    if (!saved.ok) throw new Error(saved.error);
    const perNode: Figure = {
      name: "a node in a copy",
      ...{ value: rounded(wallMs / NODES), cpu: rounded(cpuMs / NODES), unit: "ms", bar: { most: 1.5 } },
    };
    return [
      perNode,
      { name: "statements of a node", value: Math.min(...held), unit: "statements" },
      { name: "the world as bytes", value: rounded(saved.value.length / 1_000_000), unit: "MB" },
    ];
  },
};

async function copied(run: Run, backends: ReturnType<typeof openBackends>): Promise<void> {
  const copy = await copyRun(run, backends);
  if (!copy.ok) throw new Error(copy.error);
  await copy.value.close();
}
