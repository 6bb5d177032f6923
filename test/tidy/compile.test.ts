// Goal: what belongs to one host does not exist for the core, and Biome holds its share of the rules there.
// Method: planted files inside core/, handed to the compiler and to Biome from a folder of their own.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { root } from "./source.ts";

const HOST_GLOBALS = ["fetch", "process", "Buffer", "setTimeout", "console", "performance", "crypto", "window", "URL"];
const LANGUAGE_GLOBALS = ["Map", "BigInt", "DataView", "TextEncoder", "TextDecoder"];

/** The messages of the compiler about one planted file, under the configuration of the core. */
function compileInCore(text: string): readonly string[] {
  const configFile = join(root, "core", "tsconfig.json");
  const config = ts.getParsedCommandLineOfConfigFile(
    configFile,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  );
  assert.ok(config !== undefined);
  const options: ts.CompilerOptions = { ...config.options, incremental: false };
  delete options.tsBuildInfoFile;
  const path = join(root, "core", "planted.ts");
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) =>
    name === path ? ts.createSourceFile(name, text, version) : read(name, version);
  const program = ts.createProgram([path, join(root, "core", "globals.d.ts")], options, host);
  const found = [...program.getSemanticDiagnostics(program.getSourceFile(path)), ...program.getSyntacticDiagnostics()];
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

describe("the compiler in core", () => {
  const messages = compileInCore(
    [...HOST_GLOBALS, ...LANGUAGE_GLOBALS].map((name) => `export const a_${name} = ${name};`).join("\n"),
  );

  test.each(HOST_GLOBALS)("%s is not there", (name) => {
    assert.ok(messages.some((message) => message.startsWith(`Cannot find name '${name}'`)));
  });

  test.each(LANGUAGE_GLOBALS)("%s is there", (name) => {
    assert.notOk(messages.some((message) => message.includes(`'${name}'`)));
  });

  test.each([
    ["an unchecked index", "export const f = (a: readonly string[]): string => a[0];"],
    ["undefined for an optional field", "export const o: { a?: string } = { a: undefined };"],
    ["an enum", "export enum A { B }"],
    ["a parameter property", "export class A { constructor(readonly b: string) {} }"],
    [
      "a type imported as a value",
      'import { Result } from "./kernel/result.ts"; export type A = Result<string, string>;',
    ],
  ])("%s is refused", (_, text) => {
    assert.notDeepEqual(compileInCore(text), []);
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
