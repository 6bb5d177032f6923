// Goal: every bug that `score` plants fits the sources, and what a score says is what came of it. Method: every plant
// is made; one that a world finds and one that none meets are scored whole; lines and tables of made-up results.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert, describe, expect, test } from "vitest";
import type { Plant } from "./plant.ts";
import { allPlants, handPlants, otherPlants } from "./plants/index.ts";
import { play } from "./play.ts";
import type { Played } from "./played.ts";
import { changed, ranIn, reachOf, together } from "./reach.ts";
import type { Scored } from "./score.ts";
import { score } from "./score.ts";
import { lineOf, summaryOf, tableOf } from "./table.ts";

const root = resolve(import.meta.dirname, "..", "..");
const PLANTS_LEAST = 100;

describe("planted bugs", () => {
  test("fit their sources, and are many", async () => {
    const plants = await allPlants(root);
    assert.isAtLeast(plants.length, PLANTS_LEAST);
    assert.equal(new Set(plants.map(({ name }) => name)).size, plants.length);
    for (const { name, file, apply } of plants) {
      const source = readFileSync(join(root, file), "utf8");
      assert.notEqual(apply(source), source, name);
    }
  });

  test("that another seed draws are mutants that are not among them, the same each time", async () => {
    const names = async (seed: number) => (await otherPlants(root, seed)).map(({ name }) => name);
    const [known, others] = [new Set((await allPlants(root)).map(({ name }) => name)), await names(7)];
    assert.isAtLeast(others.length, 24);
    assert.deepEqual(
      others.filter((name) => known.has(name)),
      [],
    );
    assert.deepEqual(await names(7), others);
    assert.notDeepEqual(await names(8), others);
  });

  test("that do not fit any more are refused", () => {
    const [plant] = handPlants as readonly [Plant];
    assert.throws(() => plant.apply("another source"), /0 times, not once/);
  });
});

test("what a world finds is found, by the law and the seed; what none meets took no effect", async () => {
  const named = (wanted: string) => handPlants.find(({ name }) => name === wanted) as Plant;
  // In that world no disk refuses anything.
  const plants = [named("approve-over-open"), named("callers-left-waiting")];
  const told: string[] = [];
  const scored = await score({ root, seeds: [1n], workers: 1, plants, done: (one) => told.push(lineOf(one)) });
  assert.deepEqual(
    scored.map(({ plant, found, tookEffect }) => [plant.name, found?.law, found?.seed, tookEffect]),
    [
      ["approve-over-open", "records-follow-the-papers", "1", true],
      ["callers-left-waiting", undefined, undefined, false],
    ],
  );
  assert.equal(told.length, 2);
  // Nothing runs what the other one changes: no world is played for it.
  assert.deepEqual(
    scored.map(({ reached, events }) => [reached, events > 0]),
    [
      [1, true],
      [0, false],
    ],
  );
  // Not the file that nobody could reach.
  assert.deepEqual(scored[0]?.found?.faults, ["clock-skew", "peer"]);
});

test("a bug with which the product does not load took no effect, and is named", async () => {
  const [plant] = handPlants as readonly [Plant];
  const broken: Plant = { ...plant, name: "never-loads", apply: (source) => `throw new Error("bug");\n${source}` };
  const [scored] = await score({ root, seeds: [1n], workers: 1, plants: [broken], done: () => undefined });
  assert.deepEqual([scored?.loads, scored?.tookEffect, scored?.events], [false, false, 0]);
  assert.equal(lineOf(scored as Scored), "DOES NOT LOAD never-loads: Error: bug");
});

test("a world that goes on after so many events is given up", async () => {
  await expect(play("1", 500)).rejects.toThrow("the world of seed 1 goes on after 500 events");
});

describe("what of a text ran", () => {
  const block = (startOffset: number, endOffset: number, count: number) => ({ startOffset, endOffset, count });

  test("is what the innermost block says", () => {
    assert.deepEqual(reachOf([]), []);
    assert.deepEqual(reachOf([block(0, 90, 0)]), []);
    assert.deepEqual(reachOf([block(0, 90, 1)]), [0, 90]);
    const inner = [block(40, 50, 3), block(0, 90, 1), block(20, 30, 0), block(30, 60, 0)];
    assert.deepEqual(reachOf(inner), [0, 20, 40, 50, 60, 90]);
    // A function that did not run, and one in it that did, from its beginning.
    assert.deepEqual(reachOf([block(10, 90, 0), block(10, 20, 1)]), [10, 20]);
    assert.deepEqual(reachOf([block(10, 20, 1), block(20, 30, 1)]), [10, 30]);
  });

  test("of two runs is what ran in either", () => {
    assert.deepEqual(together([], []), []);
    assert.deepEqual(together([0, 10, 20, 30], [5, 12, 30, 40]), [0, 12, 20, 40]);
    assert.deepEqual(together([0, 10], [10, 20]), [0, 20]);
    assert.deepEqual(together([0, 30], [10, 20]), [0, 30]);
  });

  test("is compared with where two texts differ", () => {
    assert.deepEqual(changed("abcdef", "abXdef"), [1, 4]);
    assert.deepEqual(changed("abcdef", "abcXdef"), [2, 4]);
    assert.deepEqual(changed("abcdef", "abef"), [1, 5]);
    assert.deepEqual(changed("aaa", "aaaa"), [2, 3]);
    assert.isTrue(ranIn([0, 2], [1, 4]));
    assert.isTrue(ranIn([3, 9], [1, 4]));
    assert.isFalse(ranIn([4, 9], [1, 4]));
    assert.isFalse(ranIn([0, 1], [1, 4]));
    assert.isTrue(ranIn([0, 9], [1, 4]));
    assert.isFalse(ranIn([], [1, 4]));
  });
});

describe("what a score says", () => {
  const [plant] = handPlants as readonly [Plant];
  const played: Played = {
    ...{ seed: "4", events: 300, trace: "t", law: "some-law", message: "it broke", faults: ["loss"], cpuMs: 1_500 },
  };
  const found: Scored = {
    plant,
    found: played,
    tookEffect: true,
    reached: 4,
    events: 300,
    cpuMs: 1_500,
    stopped: undefined,
    loads: true,
  };
  const missed: Scored = { ...found, found: undefined };
  const idle: Scored = { ...missed, tookEffect: false };
  const unloaded: Scored = { ...idle, loads: false, stopped: "Error: bug" };

  test("counts what took effect, and nothing else", () => {
    const { line, share } = summaryOf([found, missed, idle, unloaded]);
    assert.equal(line, "score planted=4 effective=2 found=1 share=50.0% median-cpu-s=1.5 median-events=300");
    assert.equal(share, 0.5);
    assert.equal(summaryOf([idle]).share, 1);
  });

  test("names the law, the world and the cost", () => {
    assert.equal(lineOf(found), `found ${plant.name}: some-law at seed 4, 300 events, 1.5 s: it broke`);
    assert.equal(lineOf(missed), `MISSED ${plant.name}: ${plant.about}, 300 events, 1.5 s`);
    assert.equal(lineOf(idle), `no effect ${plant.name}: 300 events, 1.5 s`);
    assert.equal(lineOf({ ...missed, stopped: "Error: bug" }), `STOPPED ${plant.name}: Error: bug, 300 events, 1.5 s`);
    assert.equal(lineOf(unloaded), `DOES NOT LOAD ${plant.name}: Error: bug`);
    assert.include(tableOf([unloaded]), `| ${plant.name} | weakness | ${plant.about} | does not load | 300 | 1.5 |  |`);
    assert.include(tableOf([found]), `| ${plant.name} | weakness | ${plant.about} | some-law | 300 | 1.5 | loss |`);
  });
});
