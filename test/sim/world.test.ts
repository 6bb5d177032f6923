// Goal: a run is a function of scenario, options and seed; laws are watched; everything that breaks is counted.
// Method: toys that gossip words (toy-driver.ts), sound ones and ones with a planted bug for each law.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { assert, describe, test } from "vitest";
import type { MakeChecker } from "../../sim/checker.ts";
import { equalSetsEqualStates } from "../../sim/checkers/equal-sets-equal-states.ts";
import { readsChangeNothing } from "../../sim/checkers/reads-change-nothing.ts";
import { replicasConverge } from "../../sim/checkers/replicas-converge.ts";
import { crash, partition } from "../../sim/fault-plans.ts";
import type { RunReport } from "../../sim/report.ts";
import { reportJson } from "../../sim/report.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, excerptOf, seconds } from "../../sim/scenario.ts";
import type { ToyBugs } from "./toy-driver.ts";
import { post, toyBackends, toyTrouble } from "./toy-world.ts";

async function run(scenario: Scenario, seed = 1n, bugs: ToyBugs = {}): Promise<RunReport> {
  return (await runScenario(scenario, { seed }, toyBackends(bugs))).report;
}

/** Two people say words on two sides of a cut; `changes` are laid over it. */
function onTwoSides(changes: Partial<Scenario> = {}): Scenario {
  return defineScenario({
    name: "on-two-sides",
    description: "Words on two sides of a cut.",
    source: "ours",
    nodes: 4,
    actions: [post("ann", "left", seconds(3), 0), post("bob", "right", seconds(3), 3)],
    faults: [
      partition(
        [
          [0, 1],
          [2, 3],
        ],
        { from: seconds(2), until: seconds(8) },
      ),
    ],
    safety: [equalSetsEqualStates, readsChangeNothing],
    liveness: { within: seconds(30), checks: [replicasConverge] },
    ...changes,
  });
}

describe("determinism", () => {
  test("one seed, one trace, whatever ran before; another seed, another trace", async () => {
    const first = await run(toyTrouble, 11n);
    await run(toyTrouble, 12n);
    const again = await run(toyTrouble, 11n);
    const steady = ({ wall_ms: _wall, events_per_second: _rate, ...rest }: RunReport) => rest;
    assert.deepEqual(steady(again), steady(first));
    assert.notEqual((await run(toyTrouble, 12n)).trace_hash, first.trace_hash);
  });

  test("the same trace in a process with another time zone and locale", async () => {
    const env = { ...process.env, TZ: "Pacific/Chatham", LANG: "ar_EG.UTF-8", LC_ALL: "ar_EG.UTF-8" };
    const launcher = join(import.meta.dirname, "toy-cli.mjs");
    const child = spawnSync(process.execPath, [launcher, "run", "toy-trouble", "--seed", "11", "--json"], { env });
    const there = JSON.parse(child.stdout.toString("utf8")) as RunReport;
    const here = await run(toyTrouble, 11n);
    assert.equal(there.trace_hash, here.trace_hash);
    assert.equal(there.state_root, here.state_root);
    assert.equal(there.events, here.events);
  });

  test("another number of nodes is another run, and says so in its trace", async () => {
    const quiet = onTwoSides({ faults: [], nodesMin: 1 });
    const backends = toyBackends();
    const hashes = await Promise.all([4, 5].map((nodes) => runScenario(quiet, { seed: 1n, nodes }, backends)));
    assert.notEqual(hashes[0]?.report.trace_hash, hashes[1]?.report.trace_hash);
    assert.equal(hashes[1]?.report.nodes, 5);
  });
});

describe("a run", () => {
  test("of everything at once holds for many seeds, and every fault bites in some of them", async () => {
    const effective = new Map<string, number>();
    for (let seed = 0n; seed < 25n; seed++) {
      const report = await run(toyTrouble, seed);
      assert.deepEqual(report.violations, [], reportJson(report));
      for (const fault of report.faults) effective.set(fault.kind, (effective.get(fault.kind) ?? 0) + fault.effective);
    }
    const kinds = [
      "loss",
      "duplication",
      "reordering",
      "partition",
      "half-open",
      "crash",
      "pause",
      "slow-node",
      "clock-skew",
      "clock-jump",
      "disk-lost-writes",
    ];
    for (const kind of kinds) assert.ok((effective.get(kind) ?? 0) > 0, `${kind} never bit`);
  });

  test("shows its checkers every node that stands at the end, and what they find counts", async () => {
    const ends: MakeChecker = ({ violate }) => ({
      name: "ends",
      onEnd({ nodes }) {
        for (const { node, roots } of nodes) violate(`node ${node} stands, at ${roots.statements.length} digits`);
      },
    });
    const sound = await run(onTwoSides({ safety: [] }));
    const { violations } = await run(onTwoSides({ safety: [ends] }));
    assert.deepEqual(sound.violations, []);
    const found = [0, 1, 2, 3].map((node) => ({ check: "ends", message: `node ${node} stands, at 64 digits` }));
    assert.deepEqual(
      violations.map(({ check, message }) => ({ check, message })),
      found,
    );
  });

  test("counts what it did", async () => {
    const report = await run(onTwoSides());
    assert.ok(report.deliveries > 0 && report.events > report.deliveries);
    assert.ok(report.simulated_ms >= seconds(8));
    assert.deepEqual(report.faults, [{ kind: "partition", injected: 1, effective: 1 }]);
  });

  test("what was acknowledged survives a loss of power", async () => {
    const scenario = onTwoSides({
      ...{ nodes: 1, nodesMin: 1, faults: [crash(0, { from: seconds(5), until: seconds(6) })] },
      actions: [post("ann", "left", seconds(3), 0), post("cid", "left", seconds(7), 0)],
    });
    const report = await run(scenario);
    assert.deepEqual(report.violations, []);
  });

  test("a cut that is never healed fails liveness, and says what is missing", async () => {
    const lonely = onTwoSides({
      faults: [],
      conditions: { ...toyTrouble.conditions, latency: { type: "constant", ms: 70_000 } },
    });
    const report = await run(lonely);
    assert.match(report.violations[0]?.message ?? "", /hold different statements, 30000 ms after/);
    assert.equal(report.violations[0]?.check, "replicas-converge");
  });
});

describe("planted bugs are found", () => {
  test("a state that depends on the order of arrival", async () => {
    const report = await run(onTwoSides(), 1n, { ordered: true });
    assert.equal(report.violations[0]?.check, "equal-sets-equal-states");
    assert.match(report.violations[0]?.message ?? "", /nodes \d and \d hold statements [0-9a-f]{64}/);
  });

  test("a read that writes", async () => {
    const report = await run(onTwoSides(), 1n, { writingReads: true });
    assert.equal(report.violations[0]?.check, "reads-change-nothing");
    assert.match(report.violations[0]?.message ?? "", /"method":"getTexts"/);
  });

  test("a throw in the core stops the node and the run", async () => {
    const report = await run(onTwoSides(), 1n, { throwsOn: "right" });
    assert.equal(report.violations[0]?.check, "no-bugs");
    assert.match(report.violations[0]?.message ?? "", /node\/3: bug: planted/);
  });
});

describe("scenarios", () => {
  test("are refused when they make no sense", () => {
    assert.throws(() => onTwoSides({ name: "Two Sides" }), /kebab/);
    assert.throws(() => onTwoSides({ lasts: 1 }), /begins after 1 ms/);
    assert.throws(() => onTwoSides({ nodes: 0 }), /needs a node/);
  });

  test("give an excerpt: their first nodes, and what begins and ends there in time", () => {
    const cut = (groups: readonly (readonly number[])[], until: number) => partition(groups, { from: 1, until });
    const whole = onTwoSides({
      nodes: 5,
      nodesMin: 5,
      gossipOnly: [1, 4],
      lasts: seconds(60),
      actions: [post("ann", "early", 10, 1), post("bob", "late", seconds(20), 1), post("cara", "far", 10, 4)],
      faults: [cut([[0], [1]], 10), cut([[0], [1]], seconds(20)), cut([[0], [4]], 10)],
      excerpt: { nodes: 2, lasts: seconds(20) },
    });
    const part = excerptOf(whole);
    assert.deepEqual([part.nodes, part.nodesMin, part.lasts, part.gossipOnly], [2, 2, seconds(20), [1]]);
    assert.deepEqual(part.faults, whole.faults.slice(0, 2));
    assert.deepEqual(part.actions, whole.actions.slice(0, 1));
    assert.notProperty(part, "excerpt");
    const { excerpt: _, ...plain } = whole;
    assert.equal(excerptOf(plain), plain);
    assert.throws(
      () => onTwoSides({ excerpt: { nodes: 9, lasts: 1 } }),
      /excerpt: an excerpt is no more than the whole/,
    );
    assert.throws(() => onTwoSides({ excerpt: { nodes: 1, lasts: 1e9 } }), /an excerpt is no more than the whole/);
  });

  test.each([
    [undefined, seconds(60), [0, 125, 250, 375]],
    [seconds(40), seconds(60), [0, 10_000, 20_000, 30_000]],
    // No node starts when all is over.
    [seconds(40), seconds(20), [0, 5_000, 10_000, 15_000]],
    [0, seconds(60), [0, 0, 0, 0]],
  ])("start their nodes one after the other within %s ms of %i", async (startsWithin, lasts, expected) => {
    const starts: number[] = [];
    const noting: MakeChecker = ({ time }) => ({
      name: "noting",
      onStep({ input }) {
        if (input.type === "started") starts.push(time());
      },
    });
    const plan = { name: "starts", description: "Nodes that start.", source: "ours", nodes: 4, lasts };
    await run(defineScenario({ ...plan, safety: [noting], ...(startsWithin !== undefined && { startsWithin }) }));
    const [first = 0] = starts;
    assert.deepEqual(
      starts.map((at) => at - first),
      expected,
    );
  });

  test("last until their last fault is over, and then some", () => {
    assert.ok(onTwoSides().lasts > seconds(8));
    assert.equal(onTwoSides().nodesMin, 4);
    assert.deepEqual(onTwoSides().participants, [{ name: "ann" }, { name: "bob" }]);
  });
});
