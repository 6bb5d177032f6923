// Goal: a run stands between any two events, can be kept as bytes or copied there, and goes on to the same trace.
// Method: every scenario, held at a drawn event of a drawn seed; damaged bytes; worlds that cannot be held.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { Seals } from "../../core/testing.ts";
import { scenarios } from "../../scenarios/index.ts";
import { openBackends } from "../../sim/backends.ts";
import { attacker } from "../../sim/fault-plans.ts";
import { copyRun, restoreRun, saveRun } from "../../sim/held-run.ts";
import type { Run } from "../../sim/run.ts";
import { openRun } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { defineScenario, excerptOf } from "../../sim/scenario.ts";
import type { RunOptions } from "../../sim/setup.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { forAllAsync } from "../property/for-all.ts";
import { toyBackends, toyTrouble } from "./toy-world.ts";

const backends = openBackends();

/** A run of a scenario that has come to an event, or to its end. */
async function runTo(scenario: Scenario, options: RunOptions, events: number): Promise<Run> {
  const run = await openRun(scenario, options, backends);
  await run.goOn(() => run.world.trace.events() >= events);
  return run;
}

async function traceOf(run: Run): Promise<string> {
  await run.goOn();
  return run.result().report.trace_hash;
}

async function restored(run: Run): Promise<Run> {
  const saved = saveRun(run);
  assert.ok(saved.ok, saved.ok ? "" : saved.error);
  const again = await restoreRun(saved.value, () => backends);
  assert.ok(again.ok, again.ok ? "" : again.error);
  return again.value;
}

/** Executors whose state can be held. */
const held = (scenario: Scenario, seed: bigint, chain: "model" | "litesvm" = "model"): RunOptions => ({
  seed,
  ...(scenario.chain !== "none" && { chain }),
});

describe("a held run", () => {
  test("goes on to the trace of the run that was never held, from any event of any scenario", () =>
    forAllAsync(
      [
        fc.constantFrom(...scenarios.map(excerptOf)),
        fc.bigInt({ min: 1n, max: 1_000n }),
        fc.integer({ min: 0, max: 999 }),
        fc.constantFrom("model", "litesvm"),
      ],
      async (scenario, seed, thousandths, chain) => {
        const options = held(scenario, seed, chain);
        const whole = await openRun(scenario, options, backends);
        const trace = await traceOf(whole);
        const at = Math.floor((whole.world.trace.events() * thousandths) / 1_000);
        const run = await runTo(scenario, options, at);
        const again = await restored(run);
        assert.equal(await traceOf(again), trace);
        assert.equal(await traceOf(run), trace);
      },
      {
        runs: 6,
        sample: 1_000,
        classes: (_, __, thousandths, chain) => [thousandths < 500 ? "early" : "late", chain],
        shares: { early: 0.4, late: 0.4, model: 0.4, litesvm: 0.4 },
      },
    ));

  test("is kept and copied where rows are sealed and lie in pages", async () => {
    const seed = 10_077n;
    const run = await openRun(swarmScenario(seed), { seed }, backends);
    const sealed = () => run.world.nodes.some((node) => (node.driver()?.view.size(Seals) ?? 0) > 3);
    assert.isFalse(await run.goOn(sealed), "something is sealed before the end");
    const again = await restored(run);
    const copy = await copyRun(run, backends);
    assert.ok(copy.ok, copy.ok ? "" : copy.error);
    const trace = await traceOf(copy.value);
    assert.equal(await traceOf(again), trace);
    assert.equal(await traceOf(run), trace);
    const whole = await openRun(swarmScenario(seed), { seed }, backends);
    assert.equal(await traceOf(whole), trace);
  });

  test("is copied in memory: neither run shows in the other", () =>
    forAllAsync(
      [
        fc.constantFrom(...scenarios.map(excerptOf)),
        fc.bigInt({ min: 1n, max: 1_000n }),
        fc.integer({ min: 1, max: 999 }),
      ],
      async (scenario, seed, thousandths) => {
        const options = held(scenario, seed);
        const whole = await openRun(scenario, options, backends);
        const trace = await traceOf(whole);
        const run = await runTo(scenario, options, Math.floor((whole.world.trace.events() * thousandths) / 1_000));
        const [first, second] = [await copyRun(run, backends), await copyRun(run, backends)];
        assert.ok(first.ok && second.ok);
        assert.equal(await traceOf(first.value), trace, "the first copy, before the run itself");
        assert.equal(await traceOf(run), trace, "the run, after a copy of it");
        assert.equal(await traceOf(second.value), trace, "a copy, after all others");
      },
      {
        runs: 4,
        sample: 1_000,
        classes: (_, __, thousandths) => [thousandths < 500 ? "early" : "late"],
        shares: { early: 0.4, late: 0.4 },
      },
    ));

  test.each(["sqljs", "sqlite"] as const)("keeps what SQLite holds for its nodes: %s", async (store) => {
    const [scenario] = scenarios;
    assert.ok(scenario);
    const options: RunOptions = { seed: 3n, chain: "model", store };
    const whole = await traceOf(await openRun(scenario, options, backends));
    const run = await runTo(scenario, options, 9_000);
    assert.equal(await traceOf(await restored(run)), whole);
  });

  test("keeps an attacker who has come and not acted yet, and one in the middle of his acts", async () => {
    const aim = { merchant: "max", offer: "ad", reservation: "7", settlement: "s" };
    const flood = attacker("mallory", { kind: "stranger-flood", ...aim }, { from: 5_000, until: 20_000, times: 1 });
    const scenario = defineScenario({
      ...{ name: "flood", description: "An attacker.", source: "DESIGN section 5", nodes: 2, lasts: 30_000 },
      ...{ faults: [flood], provesFaults: false },
    });
    for (const at of [8_000, 13_000]) {
      const run = await openRun(scenario, { seed: 1n }, backends);
      await run.goOn(() => run.world.loop.now() >= at);
      const [copy, again] = [await copyRun(run, backends), await restored(run)];
      const whole = await traceOf(run);
      assert.isAbove(run.result().report.faults.find(({ kind }) => kind === "peer")?.effective ?? 0, 0);
      assert.ok(copy.ok);
      assert.deepEqual([await traceOf(copy.value), await traceOf(again)], [whole, whole]);
    }
  });

  test("is refused with one line where it holds what cannot be kept", async () => {
    const [scenario] = scenarios;
    assert.ok(scenario);
    const onBankrun = await runTo(scenario, { seed: 1n, chain: "bankrun" }, 10);
    await onBankrun.close();
    const line = /^dispute-decided-on-chain runs on bankrun, whose state cannot be held: use --chain litesvm or model$/;
    for (const refused of [saveRun(onBankrun), await copyRun(onBankrun, backends)]) {
      assert.match(refused.ok ? "" : refused.error, line);
    }
    const toy = await openRun(toyTrouble, { seed: 1n }, toyBackends());
    const code = saveRun(toy);
    assert.match(
      code.ok ? "" : code.error,
      /^toy-trouble holds code, which is not kept: a function is no value, at \S+$/,
    );
    const outside = await runTo(scenario, { seed: 1n, chain: "model" }, 10);
    outside.world.loop.after(1, () => undefined);
    assert.match(JSON.stringify(saveRun(outside)), /a function is no value, at call/);
  });

  test("that was touched, cut short or is another file is refused with one line", async () => {
    const [scenario] = scenarios;
    assert.ok(scenario);
    const saved = saveRun(await runTo(scenario, { seed: 1n, chain: "model" }, 500));
    assert.ok(saved.ok);
    const { value: bytes } = saved;
    const refusal = async (touched: Uint8Array) => {
      const again = await restoreRun(touched, () => backends);
      return again.ok ? "taken" : again.error;
    };
    const flipped = bytes.slice();
    flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 1;
    assert.equal(await refusal(flipped), "the held run is damaged: its hash is another");
    assert.equal(await refusal(bytes.subarray(0, bytes.length - 1)), "the held run is damaged: its hash is another");
    assert.equal(await refusal(new Uint8Array(0)), "this is no held run of this version");
    assert.equal(await refusal(Buffer.from("ofs-run/0\nhello")), "this is no held run of this version");
  });
});
