// Goal: a scenario over the production transport comes to the roots that it comes to over the simulated network.
// Method: the same scenario and seed over both, in lock-step; a cut, a loss and a crash among the faults.
import { assert, describe, test } from "vitest";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { crash, halfOpen, networkConditions, partition } from "../../sim/fault-plans.ts";
import { saveRun } from "../../sim/held-run.ts";
import { openRun } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import type { NetworkChoice } from "../../sim/setup.ts";

const named = (name: string): Scenario => {
  const found = scenarios.find((scenario) => scenario.name === name);
  assert.ok(found);
  return found;
};

/** What every node came to, and which faults bit. */
async function cameTo(scenario: Scenario, seed: bigint, network: NetworkChoice) {
  const chain = scenario.chain !== "none" && { chain: "model" as const };
  const run = await openRun(scenario, { seed, network, ...chain }, openBackends());
  try {
    await run.goOn();
  } finally {
    await run.close();
  }
  const { report } = run.result();
  return {
    violations: report.violations,
    deliveries: report.deliveries,
    roots: run.world.nodes.map(({ index }) => run.world.rootsOf(index)),
    bitten: report.faults.filter(({ effective }) => effective > 0).map(({ kind }) => kind),
    saved: saveRun(run),
  };
}

describe("over libp2p in memory", () => {
  // The first has a member that attacks, the second a cut between two commits of one arbitrator.
  test.each(["slot-from-the-far-future", "two-commitments-of-one-arbitrator"])(
    "%s ends in equal roots",
    async (name) => {
      const [simulated, real] = [
        await cameTo(named(name), 2n, "simulated"),
        await cameTo(named(name), 2n, "libp2p-memory"),
      ];
      assert.deepEqual(real.violations, []);
      assert.deepEqual(real.roots, simulated.roots);
      assert.deepEqual(real.bitten, simulated.bitten);
      assert.isAbove(real.deliveries, simulated.deliveries / 2);
    },
  );

  test("links lose, cuts cut, and processes die; half-open connections are left out", async () => {
    const base = named("tied-round-reopens");
    const troubled = defineScenario({
      ...base,
      name: "troubled",
      provesFaults: false,
      lasts: seconds(150),
      faults: [
        ...base.faults,
        networkConditions({ loss: 100_000 }, { from: seconds(3), until: seconds(40) }),
        partition([[0], [1, 2]], { from: seconds(41), until: seconds(100) }),
        crash(3, { from: seconds(20), until: seconds(50) }),
        halfOpen(1, 2, { at: seconds(110) }),
      ],
    });
    const real = await cameTo(troubled, 5n, "libp2p-memory");
    assert.deepEqual(real.violations, []);
    for (const kind of ["loss", "partition", "crash"] as const) assert.include(real.bitten, kind);
    assert.notInclude(real.bitten, "half-open");
    assert.equal(new Set(real.roots.map(({ statements }) => statements)).size, 1);
    assert.match(
      real.saved.ok ? "" : real.saved.error,
      /^troubled runs over libp2p-memory, whose state cannot be held$/,
    );
  });
});
