// Goal: a world that goes on from a copy with other actions and faults comes to the trace that the changed scenario has
// from its beginning, also when it is changed once more; what has begun stays as it is. Method: drawn worlds, held at
// several events each, with drawn changes.
import { assert, describe, test } from "vitest";
import { openBackends } from "../../sim/backends.ts";
import { middleOf, mutated } from "../../sim/guided/mutate.ts";
import type { Sequences } from "../../sim/guided/replan.ts";
import { begunIn, replanned, sequencesOf } from "../../sim/guided/replan.ts";
import { holdRun } from "../../sim/held-run.ts";
import type { Run } from "../../sim/run.ts";
import { openRun, runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { openDice } from "../../sim/swarm/dice.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";

const backends = openBackends();

interface Copied {
  readonly run: Run;
  readonly sequences: Sequences;
}

/** A run of a drawn world that has come to an event, with what its beginning was planned by. */
async function copied(seed: bigint, events: number): Promise<Copied> {
  const run = await openRun(swarmScenario(seed), { seed }, backends);
  const sequences = sequencesOf(run.world.loop.held("copy"));
  await run.goOn(() => run.world.trace.events() >= events);
  return { run, sequences };
}

/** The same world with another future, which `draw` names. */
async function changed({ run, sequences }: Copied, draw: bigint): Promise<Copied | undefined> {
  const held = holdRun(run);
  assert.ok(held.ok);
  const scenario = mutated(
    openDice(draw, "replan"),
    middleOf(run, held.value, { tried: { of: 0, tries: Number(draw) }, about: undefined }),
  );
  if (scenario === undefined) return undefined;
  const other = replanned(held.value, scenario, sequences);
  const { walletOf } = run.world;
  const options = { seed: run.options.seed, from: other.held, walletOf };
  return { run: await openRun(scenario, options, backends), sequences: other.sequences };
}

async function endOf(run: Run): Promise<string> {
  await run.goOn();
  return run.result().report.trace_hash;
}

async function fromTheBeginning(scenario: Scenario, seed: bigint): Promise<string> {
  return (await runScenario(scenario, { seed }, backends)).report.trace_hash;
}

describe("a held world with another future", () => {
  const cases = [
    { seed: 166n, events: 120 },
    { seed: 46n, events: 300 },
    { seed: 20n, events: 200 },
  ];
  test.each(cases)("comes to the trace of that scenario from its beginning: $seed", async ({ seed, events }) => {
    const begun = await copied(seed, events);
    let compared = 0;
    for (let draw = 1n; draw <= 2n; draw++) {
      const once = await changed(begun, draw);
      if (once === undefined) continue;
      await once.run.goOn(() => once.run.world.trace.events() >= events + 60);
      const twice = await changed(once, draw + 100n);
      for (const one of [once, twice]) {
        if (one === undefined) continue;
        assert.equal(await endOf(one.run), await fromTheBeginning(one.run.scenario, seed), `draw ${draw}`);
        compared += 1;
      }
    }
    assert.isAtLeast(compared, 1);
  });

  test("keeps what has begun, and who takes part", async () => {
    const begun = await copied(46n, 300);
    const other = await changed(begun, 1n);
    assert.ok(other);
    const [before, after] = [begun.run.scenario, other.run.scenario];
    const { actions, faults } = begunIn(begun.run.world.loop.held("copy"));
    assert.isAbove(actions.length, 0);
    for (const place of actions) assert.deepEqual(after.actions[place], before.actions[place]);
    for (const place of faults) assert.deepEqual(after.faults[place], before.faults[place]);
    assert.deepEqual(after.participants, before.participants);
    assert.equal(after.nodes, before.nodes);
  });
});
