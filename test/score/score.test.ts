// Goal: every bug that `score` plants fits the sources, and what a score says is what came of it. Method: every plant
// is made; one that a world finds and one that none meets are scored whole; lines and tables of made-up results.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert, describe, test } from "vitest";
import type { Plant } from "./plant.ts";
import { allPlants, handPlants } from "./plants/index.ts";
import type { Played } from "./played.ts";
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

  test("that do not fit any more are refused", () => {
    const [plant] = handPlants as readonly [Plant];
    assert.throws(() => plant.apply("another source"), /0 times, not once/);
  });
});

test("what a world finds is found, by the law and the seed; what none meets took no effect", async () => {
  const [bug] = handPlants.filter(({ name }) => name === "approve-over-open") as [Plant];
  const nothing: Plant = { ...bug, name: "a-comment", apply: (source) => `${source}\n// Nothing.\n` };
  const plants = [bug, nothing];
  const told: string[] = [];
  const scored = await score({ root, seeds: [1n], workers: 1, plants, done: (one) => told.push(lineOf(one)) });
  assert.deepEqual(
    scored.map(({ plant, found, tookEffect }) => [plant.name, found?.law, found?.seed, tookEffect]),
    [
      ["approve-over-open", "records-follow-the-papers", "1", true],
      ["a-comment", undefined, undefined, false],
    ],
  );
  assert.equal(told.length, 2);
  // Not the file that nobody could reach.
  assert.deepEqual(scored[0]?.found?.faults, ["clock-skew", "peer"]);
});

describe("what a score says", () => {
  const [plant] = handPlants as readonly [Plant];
  const played: Played = {
    ...{ seed: "4", events: 300, trace: "t", law: "some-law", message: "it broke", faults: ["loss"], cpuMs: 1_500 },
  };
  const found: Scored = { plant, found: played, tookEffect: true, events: 300, cpuMs: 1_500, stopped: undefined };
  const missed: Scored = { ...found, found: undefined };
  const idle: Scored = { ...missed, tookEffect: false };

  test("counts what took effect, and nothing else", () => {
    const { line, share } = summaryOf([found, missed, idle]);
    assert.equal(line, "score planted=3 effective=2 found=1 share=50.0% median-cpu-s=1.5 median-events=300");
    assert.equal(share, 0.5);
    assert.equal(summaryOf([idle]).share, 1);
  });

  test("names the law, the world and the cost", () => {
    assert.equal(lineOf(found), `found ${plant.name}: some-law at seed 4, 300 events, 1.5 s: it broke`);
    assert.equal(lineOf(missed), `MISSED ${plant.name}: ${plant.about}, 300 events, 1.5 s`);
    assert.equal(lineOf(idle), `no effect ${plant.name}: 300 events, 1.5 s`);
    assert.equal(lineOf({ ...missed, stopped: "Error: bug" }), `STOPPED ${plant.name}: Error: bug, 300 events, 1.5 s`);
    assert.include(tableOf([found]), `| ${plant.name} | weakness | ${plant.about} | some-law | 300 | 1.5 | loss |`);
  });
});
