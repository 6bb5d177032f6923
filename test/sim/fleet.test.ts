// Goal: the worlds of every test run leave nothing out: no method, signed type, refusal, state, kind of fault, attack,
// but what is written down with its reason; none of them breaks a law; and every kind of fault does something, or it is
// written down why none can. Method: each world of the fleet is played, and what all reached together is compared with
// all that there is; for each kind of fault one world is played again without it, and must come to other events.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { openBackends } from "../../sim/backends.ts";
import { badDisk, crash } from "../../sim/fault-plans.ts";
import { faultKinds } from "../../sim/faults.ts";
import type { RunResult } from "../../sim/run.ts";
import { runScenario } from "../../sim/run.ts";
import { defineScenario, minutes, seconds } from "../../sim/scenario.ts";
import { FLEET, PROOFS, UNPROVEN, UNREACHED } from "../../sim/swarm/fleet.ts";
import { everything, watchReach } from "../../sim/swarm/reach.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { bites, suspectsOf, twinOf } from "../../sim/swarm/twins.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const backends = openBackends();
const reached = new Set<string>();
/** What each world came to, as far as it was played. */
const played = new Map<bigint, Pick<RunResult, "eventsHash" | "checkpoints">>();

test.each(FLEET.map((seed) => ({ seed })))("the world of seed $seed breaks no law", async ({ seed }) => {
  const scenario = swarmScenario(seed);
  const watch = watchReach();
  const { report, eventsHash, checkpoints } = await runScenario(scenario, { seed, watch: [watch.checker] }, backends);
  assert.deepEqual(report.violations, []);
  played.set(seed, { eventsHash, checkpoints });
  for (const one of watch.reached(scenario.faults, report.faults)) reached.add(one);
});

test("together they reach everything but what is written down", () => {
  const left = everything().filter((one) => !reached.has(one));
  assert.deepEqual(left, Object.keys(UNREACHED));
});

describe("a fault does something", () => {
  test("of every kind but those of which it is written down why none can", () => {
    const proven = new Set<string>(PROOFS.map(({ kind }) => kind));
    assert.deepEqual(
      faultKinds.filter((kind) => !proven.has(kind)),
      Object.keys(UNPROVEN),
    );
    for (const { seed, ...suspect } of PROOFS) {
      assert.include(FLEET, seed);
      assert.deepInclude(suspectsOf(swarmScenario(seed)), suspect);
    }
  });

  test.each(PROOFS)("the world of seed $seed is another one without its $kind", async ({ seed, ...suspect }) => {
    const scenario = swarmScenario(seed);
    const run = played.get(seed) ?? (await runScenario(scenario, { seed }, backends));
    assert.isTrue(await bites(scenario, suspect, run, { seed }, backends));
  });

  test("is not what a twin shows where nobody notices: a disk that lies to a node which never crashes", async () => {
    const scenario = defineScenario({
      ...{ name: "unnoticed", description: "A lie that nobody hears.", source: "DESIGN L12", nodes: 2 },
      faults: [badDisk(0, { lie: 1_000_000 }, { from: seconds(1), until: seconds(9) })],
      provesFaults: false,
    });
    const run = await runScenario(scenario, { seed: 1n }, backends);
    assert.isFalse(await bites(scenario, { place: 0, kind: "disk-lost-writes" }, run, { seed: 1n }, backends));
  });

  test("and fuzz tells of each kind how many twins it played, and how many came to other events", async () => {
    const around = { ...toySurroundings(false), backends: async () => backends };
    const repros = mkdtempSync(join(tmpdir(), "ofs-twins-"));
    const fuzz = ["fuzz", "--seeds", "1145..1145", "--workers", "1", "--repros", repros];
    assert.equal(await commandLine(fuzz, around), 0, around.complained.join(""));
    assert.include(around.printed.join(""), "\nfaults that bit, by twins without them: chain-rate-limit 1 of 1\n");
    rmSync(repros, { recursive: true });
  });

  test("no twin wakes a node for a night, which costs no events while all are down", () => {
    const scenario = defineScenario({
      ...{ name: "night", description: "All are down for a month.", source: "DESIGN L12", nodes: 2 },
      faults: [
        crash(0, { from: 1, until: minutes(5) }),
        ...[0, 1].map((node) => crash(node, { from: minutes(6), until: minutes(43_200) })),
      ],
    });
    assert.deepEqual(suspectsOf(scenario), [{ place: 0, kind: "crash" }]);
  });

  test("a twin lacks one kind of one fault, and nothing else", () => {
    const span = { from: 1, until: seconds(2) };
    const scenario = defineScenario({
      ...{ name: "two-kinds", description: "A disk that is bad in two ways.", source: "DESIGN L12", nodes: 2 },
      faults: [badDisk(0, { lie: 5, full: 7 }, span), crash(1, span)],
    });
    assert.deepEqual(suspectsOf(scenario), [
      { place: 0, kind: "disk-lost-writes" },
      { place: 0, kind: "disk-full" },
      { place: 1, kind: "crash" },
    ]);
    const faultsWithout = (place: number, kind: "disk-full" | "crash") => twinOf(scenario, { place, kind }).faults;
    assert.deepEqual(faultsWithout(0, "disk-full"), [badDisk(0, { lie: 5 }, span), crash(1, span)]);
    assert.deepEqual(faultsWithout(1, "crash"), [badDisk(0, { lie: 5, full: 7 }, span)]);
    const once = twinOf(scenario, { place: 0, kind: "disk-full" });
    assert.deepEqual(twinOf(once, { place: 0, kind: "disk-lost-writes" }).faults, [crash(1, span)]);
    assert.isFalse(once.provesFaults);
  });
});
