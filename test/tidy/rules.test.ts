// Goal: each house rule catches what it is there for, and lets its legal neighbour pass.
// Method: planted violations in memory; a rule without a row here fails the last test.
import { assert, describe, test } from "vitest";
import { citationRule } from "./citations.ts";
import { purityRules } from "./purity.ts";
import { randomInputRules } from "./random-input.ts";
import type { Tree } from "./readmes.ts";
import { readmeRules } from "./readmes.ts";
import { FILE_LINES_MAX, FUNCTION_LINES_MAX, LINE_COLUMNS_MAX, shapeRules } from "./shape.ts";
import { sourceOf } from "./source.ts";

interface Row {
  readonly rule: string;
  readonly path: string;
  readonly bad: readonly string[];
  readonly good: readonly string[];
}

const HEADER = "/** Says what it is. Source: ours. */\n";
const lines = (count: number): string => "let x = 1;\n".repeat(count);
const columns = (count: number): string => `const x = ${"a".repeat(count - 11)};`;

const shapeRows: readonly Row[] = [
  { rule: "file-length", path: "sim/a.ts", bad: [lines(FILE_LINES_MAX + 1)], good: [lines(FILE_LINES_MAX)] },
  {
    rule: "line-length",
    path: "sim/a.ts",
    bad: [columns(LINE_COLUMNS_MAX + 1), `// ${"word ".repeat(30)}`],
    good: [columns(LINE_COLUMNS_MAX), `const key = "${"a".repeat(200)}";`],
  },
  {
    rule: "function-length",
    path: "sim/a.ts",
    bad: [
      `function long() {\n${lines(FUNCTION_LINES_MAX - 1)}}\n`,
      `const long = () => {\n${lines(FUNCTION_LINES_MAX)}};\n`,
      `test("one case", () => {\n${lines(FUNCTION_LINES_MAX)}});\n`,
    ],
    good: [
      `function short() {\n${lines(FUNCTION_LINES_MAX - 2)}}\n`,
      `describe("a suite", () => {\n${lines(FUNCTION_LINES_MAX)}});\n`,
      `function open() {\n${lines(30)}function inner() {\n${lines(30)}}\n}\n`,
    ],
  },
  {
    rule: "header",
    path: "sim/a.ts",
    bad: ["export const a = 1;", "// a line is no header\n", "import a from 'a';\n/** late */\n"],
    good: [HEADER, `#!/usr/bin/env node\n${HEADER}`],
  },
  { rule: "header", path: "adapters/chain/program/a.c", bad: ["int a;"], good: ["/* Says. */\nint a;", "// Says.\n"] },
  {
    rule: "line-length",
    path: "adapters/chain/program/a.c",
    bad: [`/* Says. */\n${" ".repeat(LINE_COLUMNS_MAX)};`],
    good: ["/* Says. */\nint a;"],
  },
  { rule: "header", path: "test/a.test.ts", bad: ["test('x', f);"], good: ["// Goal: x.\ntest('x', f);"] },
  { rule: "file-name", path: "sim/chain-utils.ts", bad: [HEADER], good: [] },
  { rule: "file-name", path: "sim/common/clock.ts", bad: [HEADER], good: [] },
  { rule: "file-name", path: "sim/slot-clock.ts", bad: [], good: [HEADER] },
  {
    rule: "default-export",
    path: "sim/a.ts",
    bad: ["export default 1;", "export default function f() {}", "const a = 1; export { a as default };"],
    good: ["export const a = 1;"],
  },
  { rule: "enum", path: "sim/a.ts", bad: ["enum A { B }", "export const enum A { B }"], good: ["type A = 'B';"] },
  {
    rule: "re-export",
    path: "sim/a.ts",
    bad: ["export * from './b.ts';", "export { b } from './b.ts';", "import { b } from './b.ts';\nexport { b };"],
    good: ["const b = 1;\nexport { b };"],
  },
  { rule: "re-export", path: "core/index.ts", bad: [], good: ["export { b } from './b.ts';"] },
  { rule: "re-export", path: "core/testing.ts", bad: [], good: ["export { b } from './b.ts';"] },
  {
    rule: "unfinished",
    path: "sim/a.ts",
    bad: ["// TODO later", "f(/* FIXME */);", "/** TODO: say more. */\nconst a = 1;"],
    good: ["const text = 'TODO';", "// done"],
  },
  {
    rule: "machine-path",
    path: "sim/a.ts",
    bad: [`const at = '${["", "home", "someone"].join("/")}';`],
    good: ["const at = '/ip4/0.0.0.0';"],
  },
  {
    rule: "equivalent-mutant",
    path: "sim/a.ts",
    bad: [
      "// Stryker disable all: nobody could notice\nf();",
      "// Stryker disable next-line all: nobody could notice\nf();",
      "// Stryker disable next-line StringLiteral\nf();",
      "// Stryker disable next-line StringLiteral: \nf();",
      "/* Stryker restore all */\nf();",
    ],
    good: [
      "// Stryker disable next-line StringLiteral: nobody could notice\nf();",
      "// Stryker disable next-line StringLiteral,Regex: both match the same texts\nf();",
      "// What Stryker disables is told at its place.",
    ],
  },
  {
    rule: "constant-source",
    path: "core/a/rules.ts",
    bad: ["/** Ms. */\nexport const A_MS = 1;", "/** Header. */\nimport { b } from './b.ts';\nexport const A = b;"],
    good: ["/** Header. */\n/** Ms. Source: OFS-2200 §6. */\nexport const A_MS = 1;", `${HEADER}export const A = 1;`],
  },
  { rule: "constant-source", path: "sim/a.ts", bad: [], good: ["export const A = 1;"] },
];

const purityRows: readonly Row[] = [
  {
    rule: "core-synchronous",
    path: "core/a.ts",
    bad: ["async function f() {}", "const f = async () => 1;", "for await (const a of b) {}", "Promise.resolve();"],
    good: ["export interface Port { close(): Promise<void> }", "function f() {}"],
  },
  {
    rule: "core-clock",
    path: "core/a.ts",
    bad: ["Date.now();", "new Date();", "const { now } = Date;", "globalThis['x'] = Date;"],
    good: ["const due = { Date: 1 };", "type A = Date;", "row.Date;"],
  },
  {
    rule: "core-exact-numbers",
    path: "core/a.ts",
    bad: [
      "Math.random();",
      "Math.pow(2, 3);",
      "2 ** 3;",
      "x **= 2;",
      "Math.exp(1);",
      "Math.log2(1);",
      "Math.cos(1);",
      "Math['sin'](1);",
      "const { random } = Math;",
    ],
    good: ["Math.floor(1.5);", "Math.max(1, 2);", "2 * 3;"],
  },
  {
    rule: "core-locale",
    path: "core/a.ts",
    bad: ["a.localeCompare(b);", "new Intl.NumberFormat();", "n.toLocaleString();", "t.toLocaleLowerCase();"],
    good: ["t.toLowerCase();"],
  },
  { rule: "core-sort", path: "core/a.ts", bad: ["a.sort();", "[...a].toSorted();"], good: ["a.sort(byBytes);"] },
  {
    rule: "core-refuses-by-result",
    path: "core/a.ts",
    bad: ["throw new Error('x');", "try { f(); } catch {}", "try { f(); } finally { g(); }"],
    good: ["return err({ code: 'X' });"],
  },
  { rule: "core-refuses-by-result", path: "core/kernel/assert.ts", bad: [], good: ["throw new Error('bug');"] },
  { rule: "core-class", path: "core/a.ts", bad: ["class A {}", "const A = class {};"], good: ["interface A {}"] },
  {
    rule: "core-imports",
    path: "core/a.ts",
    bad: ["import { a } from 'node:fs';", "await import('./a.ts');", "require('a');"],
    good: ["import { a } from './a.ts';"],
  },
  {
    rule: "core-module-state",
    path: "core/a.ts",
    bad: [
      "let n = 0;",
      "var n = 0;",
      "const seen = new Map();",
      "const seen = new Set<string>();",
      "const all = [];",
      "export const cache = new WeakMap<object, string>();",
    ],
    good: [
      "const names = new Set(['a']);",
      "const none: readonly string[] = [];",
      "function f() { let n = 0; }",
      "const none: ReadonlyMap<string, string> = new Map();",
    ],
  },
  {
    rule: "core-module-write",
    path: "core/a.ts",
    bad: [
      "const kept = new Array(8).fill(undefined); export function f(at) { kept[at] = 1; }",
      "const kept = new Uint8Array(8); export const f = (bytes) => kept.set(bytes);",
      "const kept = new Map([[1, 2]]); function f(a) { return () => { kept.delete(a); }; }",
      "const table = { n: 0 }; export function f() { table.n += 1; }",
    ],
    good: [
      "const table = new Uint8Array(8); for (let i = 0; i < 8; i++) table[i] = i;",
      "const table = (() => { const rows = [0]; rows.push(1); return rows; })();",
      "const kept = [1]; export function f() { const kept = [0]; kept.push(1); }",
      "const kept = [1]; export function f(kept) { return () => kept.push(1); }",
      "function f(a) { const b = new Map([[1, 2]]); b.set(1, a); }",
    ],
  },
  {
    rule: "core-parameter-write",
    path: "core/a.ts",
    bad: [
      "function f(a) { a = 1; }",
      "function f(a) { a.b = 1; }",
      "const f = (a) => { a[0] = 1; };",
      "function f(a) { delete a.b; }",
      "function f({ n }) { n++; }",
      "function f(a) { return () => { a.b.c += 1; }; }",
    ],
    good: [
      "function f(a) { const b = [...a]; b[0] = 1; }",
      "const g = (a) => { { const a = {}; a.b = 1; } };",
      "function f() { for (let i = 0; i < 3; i++) g(i); }",
      "const f = (a) => a.b === 1;",
    ],
  },
  {
    rule: "sim-wall-clock",
    path: "sim/a.ts",
    bad: [
      "Date.now();",
      "performance.now();",
      "Math.random();",
      "randomUUID();",
      "new Date();",
      "process.hrtime();",
      "crypto.getRandomValues(a);",
    ],
    good: ["new Date(0);", "world.now();"],
  },
  { rule: "sim-wall-clock", path: "scenarios/a.ts", bad: ["Date.now();"], good: [] },
  { rule: "sim-wall-clock", path: "sim/wall-clock.ts", bad: [], good: ["performance.now();"] },
  { rule: "sim-wall-clock", path: "node/a.ts", bad: [], good: ["Date.now();"] },
  { rule: "product-folders", path: "sim/a.ts", bad: ["await mkdir(a, { recursive: true });"], good: ["mkdir(a);"] },
  { rule: "product-folders", path: "test/a.ts", bad: [], good: ["mkdirSync(a, { recursive: true });"] },
];

const randomInputRows: readonly Row[] = [
  {
    rule: "one-way-to-try",
    path: "test/a.test.ts",
    bad: ["fc.assert(p);", "await fc.assert(p, { seed: 1 });", "fc.sample(a, 3);", "fc.configureGlobal({});"],
    good: ["forAll([a], f, plan);", "samples(a, 3);", "fc.array(a);"],
  },
  { rule: "one-way-to-try", path: "test/property/a.ts", bad: [], good: ["fc.assert(p);"] },
  {
    rule: "stated-shares",
    path: "test/a.test.ts",
    bad: ["forAll([a], f, { runs: 1, shares: {} });", "await forAllAsync([a], f, { runs: 1, shares: {} });"],
    good: ["forAll([a], f, { runs: 1, shares: { low: 0.1 } });", "forAll([a], f, plan);"],
  },
  {
    rule: "own-size",
    path: "sim/arbitraries/a.ts",
    bad: ["fc.array(a, { maxLength: 20 });", "fc.string({ minLength: 1, maxLength: 20 });"],
    good: [
      "fc.array(a, { maxLength: 20, size: 'max' });",
      "fc.array(a);",
      "bounded({ maxLength: 20 });",
      "fc.array(a, { minLength: 32, maxLength: 32 });",
    ],
  },
  { rule: "own-size", path: "test/a.test.ts", bad: [], good: ["fc.array(a, { maxLength: 20 });"] },
  {
    rule: "no-limit-of-its-own",
    path: "test/a.test.ts",
    bad: [
      "test('a', f, 60_000);",
      "test.each([1])('a', f, 60_000);",
      "test('a', { timeout: 5 }, f);",
      "beforeAll(f, 9);",
      "test('a', f, LONG_MS);",
    ],
    good: ["test('a', f);", "test.each([1, 2])('a', f);", "wait(f, 60_000);"],
  },
  {
    rule: "waits-for-facts",
    path: "test/a.test.ts",
    bad: ["setTimeout(f, 5);", "vi.waitFor(f);", "performance.now();", "test('a', { retry: 2 }, f);"],
    good: ["until(f);", "vi.useFakeTimers();", "client({ retry: 2 });"],
  },
  { rule: "waits-for-facts", path: "test/bench/a.ts", bad: [], good: ["performance.now();"] },
];

const allRows = [...shapeRows, ...purityRows, ...randomInputRows];
const allRules = [...shapeRules, ...purityRules, ...randomInputRules];

describe.each(allRows)("$rule in $path", ({ rule, path, bad, good }) => {
  const broken = (text: string): readonly string[] =>
    allRules.flatMap((check) => check(sourceOf(path, text))).map((finding) => finding.rule);

  test.each(bad.map((text) => ({ text })))("catches $text", ({ text }) => {
    assert.include(broken(text), rule);
  });

  test.each(good.map((text) => ({ text })))("allows $text", ({ text }) => {
    assert.notInclude(broken(text), rule);
  });
});

describe("citations", () => {
  const papers = {
    "01": "## 1. One\n### 1.2 Two\n| # | Rule |\n|---|---|\n| W8 | a row |\n| 3 | another |\n1. first\n",
    "03": "## A.10 How\n### A.10.3 Rules\n| R1b three | x |\n# Part E. Cases\n| S13 all orders | x |\n",
    DESIGN: "## 7. Decisions\n| 17 | Rates |\n## 2. Laws\n| L10 | **Everything is bounded.** |\n",
    CONVERGENCE: "## Bounds\n- **B5 Work.** Taking one\n",
  };
  const broken = (text: string): number => citationRule(papers)(sourceOf("core/a.ts", text)).length;

  test.each([
    ...["protocol 01 §1.2", "protocol 01 §1 W8", "protocol 01 §1.2 row 3; 03 A.10.3 R1b", "protocol 03 E S13"],
    ...["protocol 03\n * A.10", 'CONVERGENCE "Bounds", B5', "DESIGN §7 #17, L10", 'DESIGN "Rates"', "RFC 8032 §5.1"],
    ...["protocol 01 §1; the library's default", "protocol 01 §1.2 (10 s, 85 codes)"],
  ])("%s leads somewhere", (source) => {
    assert.equal(broken(`/** Says so. Source: ${source}. */`), 0);
  });

  test.each([
    ...[
      "protocol 01 §1.3",
      "protocol 01 W9",
      "protocol 01 §1.2 row 4",
      "protocol 03 B",
      "protocol 01 §1.2, §9; 03 E S13",
    ],
    ...['CONVERGENCE "Ladders"', "CONVERGENCE B6", "DESIGN L11", "DESIGN §7 #18", "DESIGN section 8"],
    ...["ours", "ours (L10)", "common sense", "protocol 01 §1.2; 03\n * A.11"],
  ])("%s leads nowhere", (source) => {
    assert.equal(broken(`/** Says so. Source: ${source}. */`), 1);
  });
});

const headings = (names: readonly string[]): string => names.map((name) => `## ${name}\n`).join("\n");
const DOMAIN = ["Purpose", "States", "Invariants", "Limits", "Spec map"];

/** A tree that keeps every rule, with some files replaced or, when undefined, taken away. */
function treeWith(changes: Readonly<Record<string, string | undefined>>): Tree {
  const files: Record<string, string | undefined> = {
    "core/README.md": "# core",
    "core/domains/reviews/README.md": headings(DOMAIN),
    "core/domains/README.md": "# domains",
    "core/domains/reviews/domain.ts": "",
    ...changes,
  };
  const paths = Object.keys(files).filter((path) => files[path] !== undefined);
  return { paths, read: (path) => files[path] ?? "" };
}

describe("README rules", () => {
  const broken = (tree: Tree): readonly string[] => readmeRules.flatMap((rule) => rule(tree)).map(({ rule }) => rule);

  test("a tidy tree passes", () => {
    assert.deepEqual(broken(treeWith({})), []);
  });

  test("a folder without a README is found", () => {
    assert.deepEqual(broken(treeWith({ "core/README.md": undefined })), ["readme-missing"]);
    assert.deepEqual(broken(treeWith({ "core/domains/README.md": undefined })), ["readme-missing"]);
    assert.deepEqual(broken(treeWith({ "core/domains/reviews/README.md": undefined })), ["readme-missing"]);
  });

  test.each([DOMAIN.slice(1), [...DOMAIN, "More"], [...DOMAIN].reverse()])("headings %s are found", (...names) => {
    const found = broken(treeWith({ "core/domains/reviews/README.md": headings(names) }));
    assert.deepEqual(found, ["readme-headings"]);
  });

  test.each(["test/gone.test.ts", "core/gone", "core/domains/gone/", "gone.ts", "domain.c"])(
    "%s is not there",
    (gone) => {
      assert.deepEqual(broken(treeWith({ "core/README.md": `see \`${gone}\`` })), ["readme-dead-path"]);
      assert.deepEqual(broken(treeWith({ "GLOSSARY.md": `see \`${gone}\`` })), ["readme-dead-path"]);
      assert.deepEqual(broken(treeWith({ "CHANGELOG.md": `see \`${gone}\`` })), []);
    },
  );

  test("a row without a header, and one of other cells, are found", () => {
    const rows = ["|a|b|", "|---|---|", "|c|`d\\|e`|", "|f|`g|h`|", "", "|i|j|", "```", "|k|", "```"].join("\n");
    assert.deepEqual(broken(treeWith({ "core/README.md": rows })), ["readme-table", "readme-table"]);
  });

  test.each(["core/domains/reviews/domain.ts", "core/domains/", "core/domains/reviews", "domain.ts"])(
    "%s is",
    (there) => {
      assert.deepEqual(broken(treeWith({ "core/README.md": `see \`${there}\`` })), []);
    },
  );

  test("a file by its name alone is in the folder of the page, or below it", () => {
    const elsewhere = { "core/solana/events.ts": "", "core/solana/README.md": "`events.ts`" };
    assert.deepEqual(broken(treeWith(elsewhere)), []);
    const found = broken(treeWith({ ...elsewhere, "core/domains/README.md": "`events.ts`" }));
    assert.deepEqual(found, ["readme-dead-path"]);
  });
});

test("every rule for sources has a row that catches it", () => {
  const caught = new Set(allRows.filter(({ bad }) => bad.length > 0).map(({ rule }) => rule));
  assert.equal(caught.size, allRules.length);
});
