/**
 * Goal: whatever one call of a port fails with, and whichever call it is, the node goes on: nothing breaks, the story
 * comes to its end, and all nodes end equal (DESIGN L10, L12).
 * Method: a fold over the table of every port's methods and their failures: a small world is played again with the
 * first, second, nth call of one node failing, until there is no such call.
 */
import { describe, expect, test } from "vitest";
import type { Failure } from "./ports.ts";
import { failures, orderedBy, ports } from "./ports.ts";
import type { StoryName } from "./world.ts";
import { play } from "./world.ts";

/** Up to this call each failure of a method is tried; from then on they take turns. */
const EACH_UNTIL = 3;
/** No method of the story is called as often. */
const CALLS_MAX = 200;

const methods = [...new Set(failures.map(({ method }) => method))];

function storyOf(method: string): StoryName {
  return /^(store|transport|gateway)[.]/.test(method) ? "off chain" : "on chain";
}

/** What was said last, without when. */
function endOf(story: readonly string[]): string | undefined {
  return story.at(-1)?.replace(/^[\d:.]+ +| on chain.*| by \S+ on chain/g, "");
}

describe("a node goes on when one call fails", () => {
  test.each(methods)("%s", async (method) => {
    const story = storyOf(method);
    const own = failures.filter((failure) => failure.method === method);
    const usual = endOf((await play(story)).result.story);
    let reached = 0;
    for (let nth = 1; nth < CALLS_MAX; nth += 1) {
      const tried = nth <= EACH_UNTIL ? own : [own[nth % own.length] as Failure];
      for (const failure of tried) {
        const { result, failed } = await play(story, failure, nth);
        const which = `call ${nth} of ${method} answers ${failure.name}`;
        expect(result.report.violations, which).toEqual([]);
        expect(endOf(result.story), which).toBe(usual);
        if (!failed) return expect(reached, "calls that failed").toBeGreaterThan(0);
        reached += 1;
      }
    }
    throw new Error(`${method} is still called after ${CALLS_MAX} calls`);
  });
});

test("every effect that a port answers stands for a row with failures", () => {
  const named = Object.values(orderedBy);
  const rows = Object.entries(ports).flatMap(([port, own]) => Object.keys(own).map((method) => `${port}.${method}`));
  expect(named.filter((method) => !rows.includes(method) || !methods.includes(method))).toEqual([]);
  expect(methods.filter((method) => !named.includes(method) && !method.startsWith("store."))).toEqual([]);
});
