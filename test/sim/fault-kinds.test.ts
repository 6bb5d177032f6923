// Goal: a declared fault is data that says what it means, or is refused in one line; and one that changed nothing is
// told, never counted as if it had. Method: a table of refusals; faults in worlds where nothing happens; every kind of
// fault as the text of a file.
import { assert, describe, test } from "vitest";
import type { StepSeen } from "../../sim/checker.ts";
import { checked } from "../../sim/data/plain.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import * as faults from "../../sim/fault-plans.ts";
import { runScenario } from "../../sim/run.ts";
import type { ScenarioPlan } from "../../sim/scenario.ts";
import { defineScenario, seconds } from "../../sim/scenario.ts";
import { WORLD_START } from "../../sim/world.ts";
import { post, toyBackends } from "./toy-world.ts";

const span = { from: seconds(1), until: seconds(2) };

function idle(...declared: readonly FaultPlan[]): ScenarioPlan {
  return { name: "idle", description: "Nobody does anything.", source: "DESIGN L12", nodes: 3, faults: declared };
}

const every: readonly FaultPlan[] = [
  faults.partition([[0], [1, 2]], { ...span, oneWay: true }),
  faults.networkConditions({ loss: 5, jitter: { chance: 7, delay: { type: "heavy", least: 1, most: 9 } } }, span),
  faults.poorLink(0, 1, { latency: { type: "quantiles", points: [1, 2] }, bytesPerMs: 4, corruption: 9 }, span),
  faults.halfOpen(0, 1, { at: 3 }),
  faults.sharedLine([0, 2], 7, span),
  faults.crash(2, span),
  faults.restart(2, { at: 4 }),
  faults.pause(1, span),
  faults.slowNode(1, 20, span),
  faults.wrongClock(0, -5_000, span),
  faults.clockJump(0, 5_000, { at: 9 }),
  faults.clockDrift(2, -300, span),
  faults.badDisk(0, { lie: 1_000_000, sync: { type: "constant", ms: 3 } }, span),
  faults.bitRot(1, 3, { at: 5 }),
  faults.misdirectedWrite(1, { at: 6 }),
  faults.badFiles(0, { cut: 1, fetch: { type: "bell", mean: 5, spread: 1 } }, span),
  faults.badEndpoint(0, { lagSlots: 20n, follows: "either", requestsPerSecond: 1 }, span),
  faults.attacker("eve", { kind: "hop-counts" }, { ...span, times: 3 }),
  faults.reorganization(5, 30, { late: 300_000 }),
  faults.forkedChain([0, 1], "rival", { ...span, depth: 10, lost: 1 }),
  faults.stalledFinality(span),
  faults.skippedSlots(400_000, span),
  faults.badSubmissions({ late: 3, lateSlots: 9n }, span),
];

describe("a fault as data", () => {
  test("every kind is whole after the way through the text of a file", () => {
    const digits = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
    for (const fault of every) {
      const text = JSON.stringify(fault, digits);
      const read: unknown = checked(faults.FaultData, JSON.parse(text), "fault");
      assert.deepEqual(read, { ok: true, value: fault }, text);
    }
    const kinds = new Set(every.map(({ kind }) => kind));
    assert.equal(kinds.size, 22);
  });

  test("instants may be written as a clock shows them", () => {
    const written = (from: unknown) => {
      const read = checked(faults.FaultData, { kind: "crash", node: 0, from, until: "2:00:00.250" }, "fault");
      return read.ok && "from" in read.value ? [read.value.from, read.value.until] : read;
    };
    assert.deepEqual(written("5"), [5_000, 7_200_250]);
    assert.deepEqual(written("1:30"), [90_000, 7_200_250]);
    assert.deepEqual(written(17), [17, 7_200_250]);
    for (const wrong of ["1:", "soon", "1.5", "-1", "", -1, 1.5, 1e300, null, true]) {
      assert.isObject(written(wrong), `${wrong}`);
      assert.match(JSON.stringify(written(wrong)), /fault\.from: expected milliseconds .*or a clock such as/);
    }
  });
});

describe("refused in one line that names the member", () => {
  const rows: readonly (readonly [string, ScenarioPlan, RegExp])[] = [
    [
      "an end before the beginning",
      idle(faults.crash(0, { from: 9, until: 8 })),
      /faults\[0\]: until 8 is before from 9/,
    ],
    [
      "a node that does not exist",
      idle(faults.stalledFinality(span), faults.pause(3, span)),
      /^idle: faults\[1\]: there is no node 3; nodes are 0 to 2$/,
    ],
    [
      "a chance above all",
      idle(faults.networkConditions({ loss: 1_500_000 }, span)),
      /^idle: faults\[0\]\.conditions\.loss: expected an integer from 0 to 1000000, not 1500000$/,
    ],
    [
      "a chance as a fraction",
      idle(faults.networkConditions({ loss: 1.5 }, span)),
      /loss: expected an integer .*not 1\.5/,
    ],
    [
      "a misspelt member",
      idle({ ...faults.crash(0, span), untill: 5 } as unknown as FaultPlan),
      /^idle: faults\[0\]: there is no member untill; members are kind, node, from, until$/,
    ],
    [
      "a misspelt member further in",
      idle(faults.badDisk(0, { lies: 5 } as never, span), {
        ...faults.badDisk(0, {}, span),
        conditions: { lies: 5 },
      } as unknown as FaultPlan),
      /^idle: faults\[1\]\.conditions: there is no member lies; members are sync, read, lie, full, torn, unreadable$/,
    ],
    [
      "a line of nobody",
      idle(faults.sharedLine([], 1, span)),
      /^idle: faults\[0\]: a line is shared by a node at least$/,
    ],
    ["a line of no bytes", idle(faults.sharedLine([0], 0, span)), /bytesPerMs: expected an integer from 1 /],
    [
      "a clock that runs twice as fast",
      idle(faults.clockDrift(0, 1_000_000, span)),
      /^idle: faults\[0\]: a clock drifts by half of its rate at most$/,
    ],
    [
      "a missing member",
      idle({ kind: "crash", node: 0, from: 1 } as unknown as FaultPlan),
      /^idle: faults\[0\]: until is missing; members are kind, node, from, until$/,
    ],
    [
      "no kind at all",
      idle({ kind: "earthquake" } as unknown as FaultPlan),
      /^idle: faults\[0\]: expected an object whose kind is one of partition, .*, not "earthquake"$/,
    ],
    ["a cut of one group", idle(faults.partition([[0, 1]], span)), /faults\[0\]: a cut needs two groups of nodes/],
    ["a node on both sides", idle(faults.partition([[0], [0, 1]], span)), /faults\[0\]: a node stands in one group/],
    ["a link to itself", idle(faults.poorLink(1, 1, { loss: 1 }, span)), /faults\[0\]: a link has two ends/],
    ["half a connection to itself", idle(faults.halfOpen(1, 1, { at: 1 })), /faults\[0\]: a connection has two ends/],
    [
      "an action through no node",
      { ...idle(), actions: [post("ann", "hi", 1, 3)] },
      /actions\[0\]\.via: there is no node 3/,
    ],
    [
      "an action before the start",
      { ...idle(), actions: [post("ann", "hi", -1, 0)] },
      /actions\[0\]\.at: -1 is no whole/,
    ],
    [
      "a law that nobody knows",
      { ...idle(), safety: [{ kind: "no-rain" } as never] },
      /^idle: safety\[0\]: expected an object whose kind is one of [a-z, -]+, not "no-rain"$/,
    ],
    [
      "a law without what it is about",
      { ...idle(), safety: [{ kind: "flagged" } as never] },
      /^idle: safety\[0\]: event is missing; members are kind, event$/,
    ],
    [
      "an ending of nothing",
      { ...idle(), ending: { kind: "dispute" } as never },
      /^idle: ending: dispute is missing; members are kind, dispute$/,
    ],
    [
      "something that never comes true",
      { ...idle(), liveness: { within: 1, checks: [{ kind: "peace" } as never] } },
      /^idle: liveness\.checks\[0\]: expected an object whose kind is one of decisions-are-seen, replicas-converge, statements-arrive, not "peace"$/,
    ],
    ["gossip-only nowhere", { ...idle(), gossipOnly: [7] }, /^idle: gossipOnly: there is no node 7; nodes are 0 to 2$/],
  ];
  for (const [name, plan, expected] of rows) {
    test(name, () => void assert.throws(() => defineScenario(plan), expected));
  }

  test("also what was laid over a scenario afterwards", async () => {
    const spread = { ...defineScenario(idle()), faults: [faults.crash(0, { from: 0, until: seconds(99) })] };
    const refused = await runScenario(spread, { seed: 1n }, toyBackends()).catch(String);
    assert.match(String(refused), /idle: something begins after 10000 ms/);
  });
});

describe("a fault that changed nothing", () => {
  async function play(fault: FaultPlan, more: Partial<ScenarioPlan> = {}) {
    const scenario = defineScenario({ ...idle(fault), ...more });
    const { report } = await runScenario(scenario, { seed: 1n }, toyBackends());
    return { faults: report.faults, violations: report.violations.map(({ check, message }) => `${check}: ${message}`) };
  }
  const late = { from: 400, until: 401 };

  test("a pause of a millisecond in an idle world has no effect, and the run says so", async () => {
    const { faults: counts, violations } = await play(faults.pause(1, late));
    assert.deepEqual(counts, [{ kind: "pause", injected: 1, effective: 0 }]);
    assert.deepEqual(violations, ["faults-are-proven: pause was declared and never changed anything"]);
  });

  test("what was declared and never injected stands in the report", async () => {
    const lying = faults.badDisk(0, { lie: 1_000_000 }, { from: 9_000, until: 9_001 });
    const { faults: counts, violations } = await play(lying);
    assert.deepEqual(counts, [{ kind: "disk-lost-writes", injected: 0, effective: 0 }]);
    assert.deepEqual(violations, ["faults-are-proven: disk-lost-writes was declared and never changed anything"]);
  });

  test("where faults are drawn, that is no violation", async () => {
    assert.deepEqual((await play(faults.pause(1, late), { provesFaults: false })).violations, []);
  });

  test("a fault that is declared twice comes and goes twice", async () => {
    const skew = faults.wrongClock(1, 60_000, { from: seconds(2), until: seconds(6) });
    const actions = [post("ann", "hello", seconds(3), 1)];
    const scenario = defineScenario({ ...idle(skew, skew), actions });
    const clocks: bigint[] = [];
    const reads = () => ({
      name: "reads",
      onStep: ({ node, input }: StepSeen) => {
        if (node === 1) clocks.push(input.now - WORLD_START);
      },
    });
    const { report } = await runScenario({ ...scenario, safety: [reads] }, { seed: 1n }, toyBackends());
    assert.deepEqual(report.faults, [{ kind: "clock-skew", injected: 2, effective: 2 }]);
    assert.ok(clocks.some((clock) => clock > 120_000n) && (clocks.at(-1) ?? 0n) < 60_000n, String(clocks));
  });

  test("a clock that drifts gains millisecond by millisecond, bites once it is wrong, and is right after it", async () => {
    const drift = faults.clockDrift(1, -100_000, { from: seconds(2), until: seconds(6) });
    const actions = [2.005, 4, 8].map((at, n) => post("ann", `word ${n}`, seconds(at), 1));
    const errors: bigint[] = [];
    const reads = () => ({
      name: "reads",
      onStep: ({ node, input }: StepSeen) => {
        if (node === 1 && input.type === "rpc.called") errors.push(input.now);
      },
    });
    const scenario = defineScenario({ ...idle(drift), actions });
    const { report } = await runScenario({ ...scenario, safety: [reads] }, { seed: 1n }, toyBackends());
    assert.deepEqual(report.violations, []);
    assert.deepEqual(report.faults, [{ kind: "clock-drift", injected: 1, effective: 1 }]);
    const times = errors.map((now) => Number(now - WORLD_START));
    // Two seconds at nine tenths of the rate, and the whole error is gone after six.
    assert.ok(
      times.some((time) => time >= 3_800 && time < 3_830),
      String(times),
    );
    assert.ok((times.at(-1) ?? 0) >= 8_000, String(times));
  });

  test("a clock that jumps bites when its node is told something", async () => {
    const actions = [post("ann", "hello", seconds(3), 1)];
    const { faults: counts, violations } = await play(faults.clockJump(1, 60_000, { at: seconds(2) }), { actions });
    assert.deepEqual(counts, [{ kind: "clock-jump", injected: 1, effective: 1 }]);
    assert.deepEqual(violations, []);
  });
});
