// Goal: the worlds of every test run leave nothing out: no method, signed type, refusal, state, kind of fault, attack,
// but what is written down with its reason; and none of them breaks a law. Method: each world of the fleet is played,
// and what all reached together is compared with all that there is.
import { assert, test } from "vitest";
import { openBackends } from "../../sim/backends.ts";
import { runScenario } from "../../sim/run.ts";
import { FLEET, UNREACHED } from "../../sim/swarm/fleet.ts";
import { everything, watchReach } from "../../sim/swarm/reach.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";

const backends = openBackends();
const reached = new Set<string>();

test.each(FLEET.map((seed) => ({ seed })))("the world of seed $seed breaks no law", async ({ seed }) => {
  const scenario = swarmScenario(seed);
  const watch = watchReach();
  const { report } = await runScenario(scenario, { seed, watch: [watch.checker] }, backends);
  assert.deepEqual(report.violations, []);
  for (const one of watch.reached(scenario.faults, report.faults)) reached.add(one);
});

test("together they reach everything but what is written down", () => {
  const left = everything().filter((one) => !reached.has(one));
  assert.deepEqual(left, Object.keys(UNREACHED));
});
