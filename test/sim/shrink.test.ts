// Goal: what is left of a run that broke a law is what it took to break it, and nothing else; the commands write that
// down. Method: drawn worlds in which a law breaks where given parts meet; a real scenario that nobody can satisfy.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, assert, describe, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { openBackends } from "../../sim/backends.ts";
import type { RunReport } from "../../sim/report.ts";
import { reproOf } from "../../sim/repro.ts";
import { runScenario } from "../../sim/run.ts";
import type { Scenario } from "../../sim/scenario.ts";
import { scenarioOf } from "../../sim/scenario-data.ts";
import type { RunBound } from "../../sim/setup.ts";
import { shrink } from "../../sim/shrink.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { forAllAsync } from "../property/for-all.ts";
import { silent } from "./silent-scenario.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-shrink-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What each of some values is told by, wherever it was moved to. */
const nameOf = (value: object) =>
  JSON.stringify(value, (name, inner: unknown) => {
    if (["via", "times", "until"].includes(name)) return undefined;
    return typeof inner === "bigint" ? `${inner}` : inner;
  });

/** A run in which the law breaks as long as all of the parts are there, with so many nodes at least. */
function brokenBy(parts: readonly string[], nodes: number) {
  return async (scenario: Scenario): Promise<RunReport> => {
    const there = new Set([...scenario.actions, ...scenario.faults].map(nameOf));
    const broken = scenario.nodes >= nodes && parts.every((part) => there.has(part));
    const violation = { check: "law", message: "broken", time: scenario.lasts, event: 1 };
    return { ...({} as RunReport), events: 1, violations: broken ? [violation] : [] };
  };
}

test("of a world in which a law breaks where some parts meet, just these parts are left", () =>
  forAllAsync(
    [fc.bigInt({ min: 1n, max: 1_000_000n }), fc.array(fc.nat(10_000), { minLength: 1, maxLength: 4 })],
    async (seed, places) => {
      const scenario = swarmScenario(seed);
      const all = [...scenario.actions, ...scenario.faults].map(nameOf);
      const parts = [...new Set(places.map((place) => all[place % all.length] ?? ""))];
      const play = brokenBy(parts, 1);
      const { broken, whole } = await shrink({ scenario, report: await play(scenario) }, { play, tries: 5_000 });
      assert.ok(whole);
      const left = [...broken.scenario.actions, ...broken.scenario.faults].map(nameOf);
      // Equal parts are one: the law breaks with either.
      assert.deepEqual([...new Set(left)].sort(byText), [...parts].sort(byText));
      assert.equal(left.length, parts.length);
      return [`${parts.length} parts`];
    },
    { runs: 10, sample: 30, shares: { "1 parts": 0.1, "4 parts": 0.1 } },
  ));

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

test("nodes that are not needed are gone, and who talked to them talks to another", async () => {
  const scenario = swarmScenario(12n);
  assert.equal(scenario.nodes, 6);
  const play = brokenBy([], 2);
  const { broken } = await shrink({ scenario, report: await play(scenario) }, { play, tries: 1_000 });
  assert.equal(broken.scenario.nodes, 2);
  assert.deepEqual([broken.scenario.actions, broken.scenario.faults, broken.scenario.older], [[], [], []]);
});

test("nothing is tried twice, and nothing is played much longer than what broke", async () => {
  const scenario = swarmScenario(12n);
  const [part] = scenario.actions.map(nameOf);
  const [tried, lasted]: [string[], boolean[]] = [[], []];
  const broken = brokenBy([part ?? ""], 2);
  const last = { time: scenario.lasts, events: 1 };
  const { whole } = await shrink(
    { scenario, report: await broken(scenario) },
    {
      tries: 5_000,
      play(smaller, { time, events }) {
        tried.push(JSON.stringify(smaller, (_, inner: unknown) => (typeof inner === "bigint" ? `${inner}` : inner)));
        lasted.push(time <= 1.25 * last.time + 2_000 && events <= 2 * last.events + 1_000);
        return broken(smaller);
      },
      smaller: ({ report }) => Object.assign(last, report.violations[0]),
    },
  );
  assert.ok(whole);
  assert.equal(new Set(tried).size, tried.length);
  assert.notInclude(lasted, false);
});

test("a run is left where it was asked for no more, without a word about what did not come right", async () => {
  const read = scenarioOf(JSON.stringify(silent));
  assert.ok(read.ok);
  const play = async (until: RunBound) => (await runScenario(read.value, { seed: 7n, until }, openBackends())).report;
  const [byTime, byEvents] = [await play({ time: 3_000, events: 1_000_000 }), await play({ time: 1e9, events: 20 })];
  assert.deepEqual([byTime.violations, byEvents.violations, byEvents.events], [[], [], 20]);
  assert.isAtLeast(byTime.simulated_ms, 3_000);
  assert.isBelow(byTime.simulated_ms, 10_000);
  assert.isNotEmpty((await play({ time: 1e9, events: 1_000_000 })).violations);
});

test("a bound on tries is held, and said", async () => {
  const scenario = swarmScenario(12n);
  const play = brokenBy([], 1);
  const { tried, whole } = await shrink({ scenario, report: await play(scenario) }, { play, tries: 3 });
  assert.deepEqual([tried, whole], [3, false]);
});

test("who is asked before each run may end it, and what was left out so far stays out", async () => {
  const scenario = swarmScenario(12n);
  const play = brokenBy([], 1);
  let asked = 0;
  const pause = async () => ++asked > 3;
  const options = { play, tries: 5_000, pause };
  const { broken, tried, whole } = await shrink({ scenario, report: await play(scenario) }, options);
  assert.deepEqual([asked, tried, whole], [4, 3, false]);
  assert.isBelow(broken.scenario.nodes, scenario.nodes);
});

async function sim(...args: readonly string[]) {
  return simUntil(new AbortController().signal, ...args);
}

async function simUntil(stop: AbortSignal, ...args: readonly string[]) {
  const around = { ...toySurroundings(false), backends: async () => openBackends(), stop };
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

function fileOf(name: string): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(silent));
  return file;
}

describe("ofs-sim fuzz", () => {
  test("writes a small run for what broke, and plays it first the next time", async () => {
    const [file, repros] = [fileOf("silent.json"), join(folder, "repros")];
    const fuzz = ["fuzz", "--scenario", file, "--seeds", "1..2", "--workers", "1", "--repros", repros];
    const first = await sim(...fuzz);
    assert.equal(first.code, 1, first.err);
    assert.match(first.out, /\nseed 1: flagged at \d\d:\d\d\.\d+ \(event \d+\): /);
    assert.match(first.out, /\nFAILED fuzz runs=2 events=\d+ violations=1 still-broken=0 lost=0\n$/);
    assert.deepEqual(readdirSync(repros), ["flagged-1.repro.json"]);
    const kept = reproOf(readFileSync(join(repros, "flagged-1.repro.json"), "utf8"));
    assert.ok(kept.ok);
    const { nodes, actions, faults } = kept.value.scenario;
    assert.deepEqual([nodes, actions, faults], [1, [], []]);
    const again = await sim(...fuzz, "--json");
    const told = JSON.parse(again.out) as Readonly<Record<string, unknown>>;
    assert.deepEqual(told.still_broken, [join(repros, "flagged-1.repro.json")]);
    assert.equal(told.runs, 2);
  });

  test("says OK of worlds that break nothing, and what they reached", async () => {
    const { code, out } = await sim("fuzz", "--seeds", "14", "--workers", "1", "--repros", join(folder, "none"));
    assert.equal(code, 0, out);
    assert.match(out, /\nreached method: \d+ of \d+; not /);
    assert.match(out, /\nOK fuzz runs=1 events=\d+ violations=0 still-broken=0 lost=0\n$/);
  });
});

test("ofs-sim shrink that is interrupted keeps what is left, and says how to go on", async () => {
  const repro = join(folder, "interrupted.repro.json");
  assert.equal((await sim("run", fileOf("interrupted.json"), "--seed", "7", "--repro", repro)).code, 1);
  const { code, out } = await simUntil(AbortSignal.abort(), "shrink", repro);
  assert.equal(code, 130, out);
  assert.match(out, /^3 -> 3 nodes, 1 -> 1 actions, 2 -> 2 faults\n/);
  assert.include(out, `\nafter 0 runs: interrupted; shrink ${repro} goes on\nrepro: ${repro}\n`);
  assert.equal((await sim("replay", repro)).code, 1);
});

test("ofs-sim shrink makes a run smaller that another command wrote down", async () => {
  const repro = join(folder, "large.repro.json");
  assert.equal((await sim("run", fileOf("large.json"), "--seed", "7", "--repro", repro)).code, 1);
  const small = join(folder, "small.repro.json");
  const { code, out, err } = await sim("shrink", repro, "--out", small);
  assert.equal(code, 1, err);
  assert.match(out, /^3 -> 1 nodes, 1 -> 0 actions, 2 -> 0 faults\n/);
  assert.include(out, `repro: ${small}\n`);
  assert.equal((await sim("replay", small)).code, 1);
});
