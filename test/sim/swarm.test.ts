// Goal: a seed draws one world, which is data, makes sense, and breaks no law; and the worlds of a few seeds together
// leave nothing out. Method: drawn seeds; a fixed fleet, whose reach is compared with all that there is.
import fc from "fast-check";
import { assert, describe, test } from "vitest";
import { CONTENDERS_MAX } from "../../core/engine/admission/bounds.ts";
import { openBackends } from "../../sim/backends.ts";
import type { FaultPlan } from "../../sim/fault-plans.ts";
import { badFiles, misdirectedWrite } from "../../sim/fault-plans.ts";
import { runScenario } from "../../sim/run.ts";
import { minutes, seconds, senseless } from "../../sim/scenario.ts";
import { scenarioOf, scenarioText } from "../../sim/scenario-data.ts";
import { drawnKinds } from "../../sim/swarm/attackers.ts";
import { openDice } from "../../sim/swarm/dice.ts";
import { fileFaults } from "../../sim/swarm/files.ts";
import { nightOf } from "../../sim/swarm/night.ts";
import { rosterOf } from "../../sim/swarm/roster.ts";
import { swarmScenario } from "../../sim/swarm/swarm-scenario.ts";
import { troubleKinds } from "../../sim/swarm/troubles.ts";
import { forAll, forAllAsync } from "../property/for-all.ts";

const backends = openBackends();
const arbSeed = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn });

const DAY_MS = 86_400_000;
/** How long the night of a world is, by the time that the world takes. */
const nightLengths = [
  [minutes(20), "no night"],
  [minutes(50), "half an hour"],
  [2 * DAY_MS, "a day"],
  [8 * DAY_MS, "a week"],
  [15 * DAY_MS, "a fortnight"],
  [31 * DAY_MS, "a month"],
] as const;

/** What a drawn world is about. */
function classesOf(seed: bigint): readonly string[] {
  const { nodes, chain, lasts, actions, faults, fileMakers } = swarmScenario(seed);
  return [
    ...[`${nodes} nodes`, chain, nightLengths.find(([most]) => lasts < most)?.[1] ?? "longer"],
    ...(fileMakers !== undefined && fileMakers.length > 0 ? ["files are made"] : []),
    ...(faults.some(lastsWithFiles) ? ["files go wrong for long"] : []),
    ...actions.map(({ kind }) => kind),
    ...faults.map((fault) => (fault.kind === "attacker" ? fault.attack.kind : fault.kind)),
  ];
}

/** Longer than any fault of files that troubles.ts draws: the first file is a minute old before anybody else has it. */
function lastsWithFiles(fault: FaultPlan): boolean {
  return fault.kind === "bad-files" && fault.until - fault.from > seconds(40);
}

const trades = ["reserve", "initiate", "pay", "approve", "fund-escrow", "release", "open-case", "execute"] as const;
const shares = (names: readonly string[], share: number) => Object.fromEntries(names.map((name) => [name, share]));

describe("the world of a seed", () => {
  test("is one, makes sense, and is data all through", () =>
    forAll(
      [arbSeed],
      (seed) => {
        const scenario = swarmScenario(seed);
        assert.deepEqual(swarmScenario(seed), scenario);
        assert.equal(senseless(scenario), undefined);
        const thefts = scenario.faults.filter((fault) => fault.kind === "attacker" && fault.attack.kind === "id-theft");
        for (const theft of thefts) assert.ok("times" in theft && theft.times <= CONTENDERS_MAX / 2);
        const text = scenarioText(scenario);
        assert.ok(text.ok, text.ok ? "" : text.error);
        const read = scenarioOf(text.value);
        assert.ok(read.ok, read.ok ? "" : read.error);
        assert.deepEqual(read.value, scenario);
      },
      {
        runs: 30,
        classes: classesOf,
        shares: {
          ...{ none: 0.1, model: 0.5, "1 nodes": 0.05, "6 nodes": 0.05 },
          ...{ "no night": 0.5, "half an hour": 0.07, ...shares(["a day", "a week", "a fortnight", "a month"], 0.03) },
          "files go wrong for long": 0.03,
          ...shares(["files are made", "ask-files", "propose", "vote-on"], 0.1),
          ...shares(trades, 0.05),
          ...shares(
            troubleKinds.filter((kind) => kind !== "attacker"),
            0.04,
          ),
          ...shares(["shared-line", "clock-drift", "bit-rot", "misdirected-write"], 0.04),
          ...shares(drawnKinds, 0.002),
        },
        sample: 2_000,
      },
    ));

  test("has no night that is shorter than half an hour, nor one beyond a day where a write went astray", () =>
    forAll(
      [arbSeed],
      (seed) => {
        const roster = rosterOf(openDice(seed, "people"), { nodes: 3, lasts: seconds(60), hasChain: false }, 1);
        const { faults } = nightOf(seed, roster, [misdirectedWrite(0, { at: 1 })]);
        for (const fault of faults) {
          if (fault.kind !== "crash" || fault.from === fault.until) continue;
          assert.isAtLeast(fault.until - fault.from, minutes(27));
          assert.isAtMost(fault.until - fault.from, DAY_MS + minutes(1));
        }
      },
      {
        runs: 200,
        classes: (seed) => (openDice(seed, "night").oneIn(3) ? ["a night"] : []),
        shares: { "a night": 0.25 },
      },
    ));

  test("has no disk that loses at dusk what nobody passes on at dawn", () => {
    const size = { nodes: 3, lasts: seconds(120), hasChain: false };
    const nightIn = (seed: bigint) => nightOf(seed, rosterOf(openDice(seed, "people"), size, 1), []).faults;
    const lengthOf = (faults: readonly FaultPlan[]) =>
      Math.max(0, ...faults.map((fault) => (fault.kind === "crash" ? fault.until - fault.from : 0)));
    const lying = (faults: readonly FaultPlan[]) => faults.filter(({ kind }) => kind === "bad-disk");
    return forAll(
      [arbSeed],
      (seed) => {
        const faults = nightIn(seed);
        if (lengthOf(faults) <= 14 * DAY_MS - 2 * minutes(60)) return;
        for (const fault of lying(faults)) assert.isAtMost("until" in fault ? fault.until : Infinity, size.lasts);
      },
      {
        runs: 400,
        classes: (seed) => {
          const faults = nightIn(seed);
          return lying(faults).length > 0 && lengthOf(faults) > 13 * DAY_MS ? ["lies before a long night"] : [];
        },
        shares: { "lies before a long night": 0.01 },
      },
    );
  });

  test("has faults of files where files are made, one a node, and a full disk only where they are written", () => {
    const size = { nodes: 4, lasts: seconds(240), hasChain: true };
    const already = badFiles(2, { cut: 7 }, { from: seconds(3), until: seconds(9) });
    const drawn = (seed: bigint, makers: readonly number[]) =>
      fileFaults(seed, rosterOf(openDice(seed, "people"), size, 1), makers, [already]);
    return forAll(
      [arbSeed],
      (seed) => {
        const faults = drawn(seed, [0, 2]);
        assert.equal(new Set(faults.map((fault) => "node" in fault && fault.node)).size, faults.length);
        for (const fault of faults) {
          assert.ok(fault.kind === "bad-files" && fault.node < size.nodes && fault.node !== 2);
          assert.isAtLeast(fault.until - fault.from, size.lasts / 2);
          if (fault.node !== 0) assert.isNull(fault.conditions.full);
        }
        assert.deepEqual(drawn(seed, []), []);
      },
      {
        runs: 200,
        classes: (seed) =>
          drawn(seed, [0, 2]).flatMap((fault) =>
            fault.kind === "bad-files" && fault.conditions.full !== null ? ["a fault", "a full disk"] : ["a fault"],
          ),
        shares: { "a fault": 0.2, "a full disk": 0.05 },
      },
    );
  });

  test("breaks no law", () =>
    forAllAsync(
      [arbSeed],
      async (seed) => {
        const { report } = await runScenario(swarmScenario(seed), { seed }, backends);
        assert.deepEqual(report.violations, []);
      },
      { runs: 6, nightly: 2_000, sample: 500, classes: classesOf, shares: { model: 0.5, none: 0.1 } },
    ));
});
