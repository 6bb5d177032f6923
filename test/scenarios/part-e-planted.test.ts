// Goal: no scenario of part E is blind: each ends in a violation when a bug that it is about is planted.
// Method: the whole world is loaded with the bug in it, and the scenario runs on the model.
import { expect, test } from "vitest";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { forged, hidden, redirected, staked } from "./attacked-decisions.ts";
import { violationsIn } from "./loaded.ts";
import { more, partE } from "./part-e.ts";

test.each([...partE, ...more, ...hidden, ...forged, ...staked, ...redirected])(
  "$number finds that $without",
  async ({ scenario: name, bug, finds }) => {
    const found = await withPlantedBug(bug, (load) => violationsIn(load, name));
    const lines = found.map(({ check, message }) => `${check}: ${message}`);
    expect(lines.find((line) => finds.test(line)) ?? lines.join("\n")).toMatch(finds);
  },
);
