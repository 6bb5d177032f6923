/**
 * Goal: every limit of core, adapters and simulator lies exactly where its constant says.
 * Method: the constants are read from the sources with TypeScript's own parser; each has a row that tries the value
 * below, at and above through whatever enforces it, or an entry that says why it has none.
 */
import { readdirSync } from "node:fs";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ofMirrors } from "../mirrors.ts";
import { listFiles, readText, sourceOf } from "../tidy/source.ts";
import type { Limit, Untried } from "./limit.ts";

const LIMIT = /(\b|_)(MAX|MIN|MOST|LEAST)(\b|_)/;

const folder = new URL("./rows/", import.meta.url);
interface Rows {
  readonly limits: readonly Limit[];
  readonly untried?: readonly Untried[];
}
const lists = [
  ...(await Promise.all(
    readdirSync(folder)
      .sort()
      .map((name) => import(new URL(name, folder).href) as Promise<Rows>),
  )),
  ...(await ofMirrors<Rows>("limits.ts")),
];
const limits = lists.flatMap((list) => list.limits);
const untried = lists.flatMap((list) => list.untried ?? []);

/** The limits that the sources declare, exported or not. */
const declared = listFiles([".ts"]).flatMap((path) => {
  const text = readText(path);
  if (!/^(core|adapters|sim)\//.test(path) || !LIMIT.test(text)) return [];
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) ? node.name.text : "";
    if (LIMIT.test(name)) names.push(`${path} ${name}`);
    node.forEachChild(visit);
  };
  visit(sourceOf(path, text).tree);
  return names;
});

describe("the table", () => {
  test("has a row for every limit that the sources declare, or says why not", () => {
    const found = new Set([...limits, ...untried].map(({ of }) => of as string));
    expect(declared.filter((name) => !found.has(name))).toEqual([]);
  });

  test("has no row for what the sources do not declare", () => {
    const real = new Set(declared);
    const named = [...limits, ...untried].map(({ of }) => of).filter((name) => !name.startsWith("rule: "));
    expect(named.filter((name) => !real.has(name))).toEqual([]);
  });

  test("excuses no limit that has a row", () => {
    const tried = new Set(limits.map(({ of }) => of));
    expect(untried.filter(({ of }) => tried.has(of))).toEqual([]);
  });
});

describe.each(limits.map((limit) => [[limit.of, limit.where].filter(Boolean).join(", "), limit] as const))(
  "%s",
  (_, limit) => {
    const { kind, value, within, beyond, comesOf } = limit;
    const outcomeAt = (outcome: Limit["within"], n: bigint) => (typeof outcome === "string" ? outcome : outcome(n));
    const outward = kind === "most" ? 1n : -1n;

    test(`${value} and one ${kind === "most" ? "less" : "more"} are within`, async () => {
      for (const n of [value - outward, value]) expect(await comesOf(n), `${n}`).toBe(outcomeAt(within, n));
    });

    test(`${value + outward} is beyond`, async () => {
      expect(await comesOf(value + outward)).toBe(outcomeAt(beyond, value + outward));
    });
  },
);
