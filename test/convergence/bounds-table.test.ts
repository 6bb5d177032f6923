/**
 * Goal: every sentence of CONVERGENCE B1 to B8 is built and shown, and core/spec/bounds.md says where.
 * Method: the page is held to the paper's sentences, to the files and to the tests that it names; what is planted into
 * it is found. What the paper computes from constants is computed again.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NODE_BYTES_MAX, SIGNER_BYTES_MAX } from "../../core/engine/admission/bounds.ts";
import { PUSHED_BYTES_PER_SECOND } from "../../core/network/gossip/credit.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const PAGE = "core/spec/bounds.md";
/** A path, and where it is a test a part of its name. */
const NAMED = /`([^`]+)`(?: "([^"]+)")?/g;
/** What a row may say in the place of a file. */
const MARKS = ["reason", "not built"];

/** The sentences of each rule; what stands in brackets is one of its own. */
function sentencesOf(paper: string): ReadonlyMap<string, readonly string[]> {
  const rules = [...paper.matchAll(/^- \*\*(B\d) .*$/gm)];
  return new Map(
    rules.map(([line, rule = ""]) => {
      const text = line
        .slice(2)
        .replace(/\*\*B\d ([^*]+[.])\*\* /, "")
        .replaceAll("*", "");
      return [rule, text.split(/(?<=[.)])\s+(?=[A-Z(])/)];
    }),
  );
}

interface Row {
  readonly rule: string;
  readonly quote: string;
  readonly done: string;
  readonly shown: string;
}

function rowsOf(page: string): readonly Row[] {
  return page.split("\n## ").flatMap((part) => {
    const rule = part.slice(0, 2);
    const lines = part.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| Words"));
    return lines.map((line) => {
      const [, quote = "", done = "", shown = ""] = line.split("|").map((cell) => cell.trim());
      return { rule, quote, done, shown };
    });
  });
}

/** What is wrong with a page, a line each. */
function wrongIn(page: string, paper: string): readonly string[] {
  const rows = rowsOf(page);
  const sentences = sentencesOf(paper);
  const uncovered = [...sentences].flatMap(([rule, each]) =>
    each
      .filter((sentence) => !rows.some((row) => row.rule === rule && sentence.includes(row.quote)))
      .map((sentence) => `${rule} has no row for: ${sentence.slice(0, 60)}`),
  );
  return [...uncovered, ...rows.flatMap((row) => wrongRow(row, sentences.get(row.rule) ?? []))];
}

function wrongRow({ rule, quote, done, shown }: Row, sentences: readonly string[]): readonly string[] {
  const quoted = sentences.filter((sentence) => sentence.includes(quote)).length;
  const named = [...`${done}, ${shown}`.matchAll(NAMED)];
  const lost = named.filter(([, path = ""]) => !existsSync(join(root, path))).map(([, path]) => `${path} is not there`);
  const untold = [...shown.matchAll(NAMED)]
    .filter(([, path = "", name]) => existsSync(join(root, path)) && (name === undefined || !read(path).includes(name)))
    .map(([, path, name]) => `${path} has no ${name}`);
  return [
    ...(quoted === 1 ? [] : [`${rule} says ${quoted} times: ${quote}`]),
    ...(MARKS.includes(done) || (done.includes("`") && shown.includes("`")) ? [] : [`${rule} ${quote}: nothing`]),
    ...lost,
    ...untold,
  ];
}

test("every sentence of the bounds has a row, and what rows name is there", () => {
  expect(wrongIn(read(PAGE), read("core/spec/convergence.md"))).toEqual([]);
});

test.each([
  ["a sentence without a row", "| All states seal |", "| Some states seal |", /B7 has no row for: All states seal/],
  ["a file that is gone", "sealing/hours.ts`", "sealing/minutes.ts`", /minutes.ts is not there/],
  ["a test that is gone", '"records without an end"', '"records with an end"', /has no records with an end/],
  [
    "a row that names nothing",
    "| `core/domains/trade/sealing/facts.ts` |",
    "| |",
    /B6 Chain facts are exempt: nothing/,
  ],
])("planted into the page, %s is found", (_, find, replace, finds) => {
  const page = read(PAGE);
  expect(page).toContain(find);
  expect(wrongIn(page.replace(find, replace), read("core/spec/convergence.md")).join("\n")).toMatch(finds);
});

test("figures of the paper follow from the constants", () => {
  const paper = read("core/spec/convergence.md");
  expect(NODE_BYTES_MAX / SIGNER_BYTES_MAX).toBe(16);
  expect(paper).toContain("It takes sixteen keys of 32 MiB each to fill a node.");
  expect(Math.round(NODE_BYTES_MAX / PUSHED_BYTES_PER_SECOND / 60)).toBe(4 * 60 + 40);
  expect(paper).toContain("one link's pushes take four hours and forty minutes");
});
