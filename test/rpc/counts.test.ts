/**
 * Goal: everything that clients were told of is served and tested, and the counts say so.
 * Method: the published lists against the method table, the lists of refusals and the worked examples.
 */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { methods } from "../../core/domains.ts";
import { errorCodes } from "../../core/errors.ts";
import { covers } from "../examples/index.ts";
import { publishedExamples } from "../examples/published-examples.ts";
import { allStories } from "../examples/story.ts";
import { ofMirrors } from "../mirrors.ts";
import type { Refusal } from "../refusals/refusal.ts";
import { interfaceMethods, referenceMethods } from "./published-methods.ts";

const table = Object.keys(methods);
const stories = [...allStories().values()].flat();
/** Methods that some worked example calls: every one is also in the generated test of every row. */
const called = new Set(stories.flatMap(({ steps }) => steps.flatMap(({ request }) => methodsIn(request))));

const folder = new URL("../refusals/", import.meta.url);
const files = readdirSync(folder).filter(
  (name) => name.endsWith(".ts") && !/^(refusal|refusals\.test)\.ts$/.test(name),
);
interface List {
  readonly refusals: readonly Refusal[];
}
const lists = await Promise.all(files.map((name) => import(new URL(name, folder).href) as Promise<List>));
const refusals = [...lists, ...(await ofMirrors<List>("refusals.ts"))].flatMap((list) => list.refusals);

function methodsIn(request: string): readonly string[] {
  return [...request.matchAll(/"method":"(\w+)"/g)].map(([, name]) => name ?? "");
}

test("every published method is served", () => {
  expect(interfaceMethods).toHaveLength(72);
  expect(referenceMethods).toHaveLength(28);
  const published: readonly string[] = [...interfaceMethods, ...referenceMethods];
  expect(published.filter((name) => !table.includes(name))).toEqual([]);
  expect(table).not.toContain("getCheckpointHeight");
});

test("every published worked example is run", () => {
  expect(publishedExamples.filter((example) => covers[example] === undefined)).toEqual([]);
});

test("every declared error is provoked, and nothing else", () => {
  const declared = Object.entries(methods).flatMap(([name, row]) => row.errors.map((code) => `${name} ${code}`));
  // Some errors are the reference's alone: they come about where its rules stand.
  const codesOf = ({ code, parity }: Refusal) =>
    parity === undefined || parity === "taken" || parity === "misfit" ? [code] : [code, parity];
  const provoked = refusals.flatMap((refusal) => codesOf(refusal).map((code) => `${refusal.method} ${code}`));
  expect([...new Set(provoked)].sort(byText)).toEqual(declared.sort(byText));
  const codes = new Set(Object.values(methods).flatMap((row) => row.errors));
  const counted = [
    ["methods in the interface document", interfaceMethods.length],
    ["  served", interfaceMethods.filter((name) => table.includes(name)).length],
    ["methods the reference adds", referenceMethods.length],
    ["  served", referenceMethods.filter((name) => table.includes(name)).length],
    ["methods of ours", table.length - interfaceMethods.length - referenceMethods.length],
    ["methods with a generated test", table.length],
    ["methods that worked examples call", called.size],
    ["errors registered", Object.keys(errorCodes).length],
    ["errors that methods declare", codes.size],
    ["  pairs of method and error declared", declared.length],
    ["  pairs provoked", new Set(provoked).size],
    ["worked examples published", publishedExamples.length],
    ["  run", publishedExamples.filter((example) => (covers[example]?.length ?? 0) > 0).length],
    ["  as stories through the ingress", stories.length],
  ];
  console.log(counted.map(([what, count]) => `${String(what).padEnd(40)} ${String(count).padStart(5)}`).join("\n"));
});

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
