// Goal: ten lines in anybody's test runner search drawn worlds for a law that is broken, and say how to see it again.
// Method: the guide of sim/README.md as it stands there, run; a law of one's own that some world breaks; a folder of
// runs that broke a law before; options that make no sense.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, assert, beforeAll, describe, expect, test } from "vitest";
import type { MakeChecker } from "../../sim/checker.ts";
import { SimulationFailure, simulationProperty } from "../../sim/simulation-property.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { TYPESCRIPT } from "../typescript.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "simulation-property-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Nobody asks anything twice; which every world breaks in time. */
const atMost =
  (calls: number): MakeChecker =>
  ({ violate, keep }) => {
    const counted = keep(() => ({ calls: 0 }));
    return {
      name: "at-most-so-many-calls",
      onCall() {
        counted.calls += 1;
        if (counted.calls > calls) violate(`call ${counted.calls}`);
      },
    };
  };

async function failureOf(promise: Promise<unknown>): Promise<SimulationFailure> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instanceOf(error, SimulationFailure);
  return error as SimulationFailure;
}

describe("worlds of other people's tests", () => {
  test("are drawn, and break nothing", async () => {
    const { runs, events } = await simulationProperty({ runs: 2, from: 10n });
    assert.equal(runs, 2);
    assert.ok(events > 100);
  });

  test("a law of one's own is watched, and its failure is small and says its seed", async () => {
    const failure = await failureOf(simulationProperty({ from: 18n, laws: [atMost(3)], tries: 40 }));
    assert.equal(failure.seed, 18n);
    assert.equal(failure.violation.check, "at-most-so-many-calls");
    assert.match(failure.message, /^seed 18 breaks at-most-so-many-calls at .*\nagain: OFS_SIM_SEED=18$/);
  });

  test("what broke a law is written down, and played first the next time", async () => {
    const repros = join(folder, "kept");
    const scenario = (seed: bigint) => ({ ...swarmScenario(seed), actions: swarmScenario(seed).actions.slice(0, 9) });
    const first = await failureOf(simulationProperty({ scenario, from: 18n, laws: [atMost(3)], tries: 40, repros }));
    assert.equal(first.file, join(repros, "at-most-so-many-calls-18.repro.json"));
    assert.deepEqual(await readdir(repros), ["at-most-so-many-calls-18.repro.json"]);
    assert.equal(await readFile(first.file ?? "", "utf8"), first.repro);
    const again = await failureOf(simulationProperty({ from: 1n, runs: 1, laws: [atMost(3)], repros }));
    assert.equal(again.seed, 18n);
    assert.deepEqual(
      { ...(await simulationProperty({ from: 10n, runs: 1, repros })), events: 0 },
      { runs: 2, events: 0 },
    );
  });

  test("options and files that make no sense are refused", async () => {
    for (const runs of [0, -1, 1.5])
      await expect(simulationProperty({ runs })).rejects.toThrow(/runs is a whole number/);
    await writeFile(join(folder, "damaged.repro.json"), "{");
    await expect(simulationProperty({ repros: folder })).rejects.toThrow(/damaged\.repro\.json: /);
    process.env.OFS_SIM_SEED = "seven";
    try {
      await expect(simulationProperty()).rejects.toThrow('OFS_SIM_SEED is a whole number, not "seven"');
    } finally {
      Reflect.deleteProperty(process.env, "OFS_SIM_SEED");
    }
  });
});

test("the guide of sim/README.md runs as it stands there", async () => {
  const root = resolve(import.meta.dirname, "..", "..");
  const guide = /```ts\n([\s\S]*?simulationProperty[\s\S]*?)```/.exec(
    readFileSync(join(root, "sim/README.md"), "utf8"),
  );
  const source = (guide?.[1] ?? "").replace('"ofs-node/sim"', JSON.stringify(join(root, "sim/index.ts")));
  assert.notEqual(source, "");
  const file = join(folder, "guide.test.mts");
  await writeFile(file, source);
  const { status, stdout } = spawnSync(process.execPath, [...TYPESCRIPT, "--test", file], {
    ...{ cwd: folder, encoding: "utf8", env: { ...process.env, RUST_LOG: "off" } },
  });
  assert.equal(status, 0, stdout);
  assert.match(stdout, /pass 1\b/);
});
