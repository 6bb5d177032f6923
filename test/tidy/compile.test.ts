// Goal: what belongs to one host does not exist for the core, and Biome holds its share of the rules there.
// Method: planted files inside core/, handed to the compiler and to Biome from a folder of their own.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { binary, COMPILER } from "../../node/bootstrap/checks.mjs";
import { root } from "./source.ts";

const HOST_GLOBALS = ["fetch", "process", "Buffer", "setTimeout", "console", "performance", "crypto", "window", "URL"];
const LANGUAGE_GLOBALS = ["Map", "BigInt", "DataView", "TextEncoder", "TextDecoder"];

const REFUSED_ROWS: readonly (readonly [what: string, text: string])[] = [
  ["an unchecked index", "export const f = (a: readonly string[]): string => a[0];"],
  ["undefined for an optional field", "export const o: { a?: string } = { a: undefined };"],
  ["an enum", "export enum A { B }"],
  ["a parameter property", "export class A { constructor(readonly b: string) {} }"],
  ["a type imported as a value", 'import { A } from "./types.ts"; export type B = A;'],
];

/** What the compiler says of files in a folder, configured as the core is: the first line of each complaint. */
function compiledAsCore(folder: string, files: readonly string[]): readonly string[] {
  const core = join(root, "core");
  const compilerOptions = { incremental: false, tsBuildInfoFile: null };
  const paths = [...files.map((file) => join(folder, file)), join(core, "globals.d.ts")];
  const project = { extends: join(core, "tsconfig.json"), compilerOptions, include: [], files: paths };
  writeFileSync(join(folder, "types.ts"), "export interface A { readonly b: string }");
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
  const compiler = binary(root, COMPILER, "tsc");
  const child = spawnSync(process.execPath, [compiler, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
  return child.stdout.split("\n").filter((line) => /^\S/.test(line));
}

describe("the compiler in core", () => {
  const folder = mkdtempSync(join(tmpdir(), "types-"));
  let complaints: readonly string[] = [];

  beforeAll(() => {
    const names = [...HOST_GLOBALS, ...LANGUAGE_GLOBALS];
    writeFileSync(join(folder, "globals.ts"), names.map((name) => `export const a_${name} = ${name};`).join("\n"));
    for (const [row, [, text]] of REFUSED_ROWS.entries()) writeFileSync(join(folder, `row-${row}.ts`), text);
    writeFileSync(join(folder, "well.ts"), 'import type { A } from "./types.ts"; export type B = A;');
    const rows = REFUSED_ROWS.map((_, row) => `row-${row}.ts`);
    complaints = compiledAsCore(folder, ["globals.ts", "well.ts", ...rows]);
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(HOST_GLOBALS)("%s is not there", (name) => {
    assert.ok(complaints.some((line) => line.includes(`Cannot find name '${name}'`)));
  });

  test.each(LANGUAGE_GLOBALS)("%s is there", (name) => {
    assert.notOk(complaints.some((line) => line.includes(`'${name}'`)));
  });

  test.each(REFUSED_ROWS.map(([what], row) => ({ what, row })))("$what is refused", ({ row }) => {
    assert.ok(complaints.some((line) => line.includes(`row-${row}.ts(`)));
  });

  test("says nothing of files that are well", () => {
    assert.deepEqual(
      complaints.filter((line) => !/(globals|row-[0-9])[.]ts[(]/.test(line)),
      [],
    );
  });
});

const BIOME_ROWS: readonly (readonly [rule: string, text: string])[] = [
  ["noDefaultExport", "export default 1;"],
  ["noParameterAssign", "export function f(a: { b: number }) { a.b = 1; }"],
  ["noNodejsModules", 'import { readFileSync } from "node:fs"; export const a = readFileSync;'],
  ["noExplicitAny", "export const a: any = 1;"],
  ["noNonNullAssertion", "export const f = (a?: string) => a!;"],
  ["useImportType", 'import { A } from "./a.ts"; export type B = A;'],
  ["useImportExtensions", 'import { a } from "./row-3"; export const b = a;'],
];

describe("Biome in core", () => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  let output = "";

  beforeAll(() => {
    mkdirSync(join(folder, "core"));
    copyFileSync(join(root, "biome.jsonc"), join(folder, "biome.jsonc"));
    for (const [index, [, text]] of BIOME_ROWS.entries()) writeFileSync(join(folder, "core", `row-${index}.ts`), text);
    const biome = join(root, "node_modules", "@biomejs", "biome", "bin", "biome");
    const child = spawnSync(process.execPath, [biome, "lint", "--colors=off", "--max-diagnostics=none", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    output = child.stdout + child.stderr;
  });

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(BIOME_ROWS.map(([rule], index) => ({ rule, index })))("holds $rule", ({ rule, index }) => {
    assert.match(output, new RegExp(`row-${index}[.]ts.*/${rule}`));
  });
});
