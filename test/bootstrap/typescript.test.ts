// Goal: a process that imports TypeScript runs the source that lies there now, whatever was kept of it, with the lines
// of the source in its errors; nothing is put around a function. Method: the loader in a folder of its own, processes
// that import a source after it, or what was kept of it, was changed.
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, assert, beforeEach, describe, test } from "vitest";

const repository = resolve(import.meta.dirname, "..", "..");
const folders: string[] = [];
let folder = "";

/** Later versions of Node.js translate by themselves, and the hooks are not there. */
const isTheirs = Boolean(Reflect.get(process.features, "typescript"));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ofs-typescript-"));
  folders.push(folder);
  for (const name of ["typescript.mjs", "typescript-hooks.mjs"]) {
    cpSync(join(repository, "node/bootstrap", name), join(folder, "node/bootstrap", name), { recursive: true });
  }
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(repository, "node_modules/esbuild"), join(folder, "node_modules/esbuild"));
});
afterAll(() => {
  for (const each of folders) rmSync(each, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const keptOf = (path: string) => join(folder, "node_modules/.cache/ofs/typescript", `${path}.js`);

/** What a process that runs a file prints. */
async function printed(path: string): Promise<string> {
  const child = spawn(process.execPath, [
    "--import",
    join(folder, "node/bootstrap/typescript.mjs"),
    join(folder, path),
  ]);
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  child.stderr.on("data", (chunk) => (text += chunk));
  await new Promise((done) => child.on("close", done));
  return text.trim();
}

describe.skipIf(isTheirs)("a process of this repository", () => {
  test("a source is run as it lies there, kept or not", async () => {
    write("core/one.ts", 'export const one: string = "one";');
    write("main.ts", 'import { one } from "./core/one.ts"; console.log(one as string);');
    assert.equal(await printed("main.ts"), "one");
    const kept = readFileSync(keptOf("core/one.ts"), "utf8");
    assert.equal(await printed("main.ts"), "one");
    assert.equal(readFileSync(keptOf("core/one.ts"), "utf8"), kept);
    write("core/one.ts", 'export const one: string = "another";');
    assert.equal(await printed("main.ts"), "another");
    write("core/one.ts", 'export const one: string = "one";');
    assert.equal(await printed("main.ts"), "one");
    assert.equal(readFileSync(keptOf("core/one.ts"), "utf8"), kept);
  });

  test("what is kept is run", async () => {
    write("main.ts", 'const text: string = "translated"; console.log(text);');
    await printed("main.ts");
    const kept = readFileSync(keptOf("main.ts"), "utf8");
    writeFileSync(keptOf("main.ts"), kept.replace('"translated"', '"kept"'));
    assert.equal(await printed("main.ts"), "kept");
  });

  test.each([
    ["cut", (kept: string) => kept.slice(0, kept.length / 2)],
    ["empty", () => ""],
    ["of another source", (kept: string) => kept.replace(/[0-9a-f](\n)$/, "x$1")],
  ])("what was kept and is %s is made anew", async (_, damaged) => {
    write("main.ts", 'const text: string = "well"; console.log(text);');
    await printed("main.ts");
    const kept = readFileSync(keptOf("main.ts"), "utf8");
    writeFileSync(keptOf("main.ts"), damaged(kept));
    assert.equal(await printed("main.ts"), "well");
    assert.equal(readFileSync(keptOf("main.ts"), "utf8"), kept);
  });

  test("where nothing can be kept, sources run all the same", async () => {
    write("main.ts", 'const text: string = "well"; console.log(text);');
    write("node_modules/.cache", "a file where a folder would be");
    assert.equal(await printed("main.ts"), "well");
    assert.isFalse(existsSync(keptOf("main.ts")));
  });

  test("processes that make the same at once all run it", async () => {
    write("core/one.ts", `export const one: string = ${JSON.stringify("one ".repeat(20_000))};`);
    write("main.ts", 'import { one } from "./core/one.ts"; console.log(one.length as number);');
    const texts = await Promise.all(Array.from({ length: 6 }, () => printed("main.ts")));
    assert.deepEqual(texts, Array(6).fill("80000"));
  });

  test("a source elsewhere is run and not kept; a module in a package is none of ours", async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "ofs-elsewhere-"));
    folders.push(elsewhere);
    writeFileSync(join(elsewhere, "there.mts"), 'const text: string = "there"; export { text };');
    write("main.ts", `import { text } from ${JSON.stringify(join(elsewhere, "there.mts"))}; console.log(text);`);
    assert.equal(await printed("main.ts"), "there");
    const cached = readdirSync(join(folder, "node_modules/.cache"), { recursive: true, encoding: "utf8" });
    assert.deepEqual(
      cached.filter((path) => path.endsWith(".js")),
      ["ofs/typescript/main.ts.js"],
    );
    write("node_modules/strange/index.ts", "export const text: string = '';");
    write("main.ts", 'import "./node_modules/strange/index.ts";');
    assert.include(await printed("main.ts"), "ERR_UNKNOWN_FILE_EXTENSION");
  });

  test("errors name the lines of sources, and what is no TypeScript is told with its place", async () => {
    write("main.ts", 'interface Unused {\n  readonly a: string;\n}\n\nthrow new Error("here" as string);');
    assert.match(await printed("main.ts"), /Error: here\n\s+at .*main[.]ts:5:7/);
    write("main.ts", 'console.log("well");\nconst = 5;');
    assert.match(await printed("main.ts"), /main[.]ts:2:6: ERROR/);
  });

  test("nothing is put around a function, and an import that is no type stays", async () => {
    write("core/effect.ts", 'console.log("effect"); export interface Shape { readonly a: string }');
    write(
      "main.ts",
      'import { type Shape } from "./core/effect.ts";\nconst named = (of?: Shape) => of; console.log(named.name);',
    );
    assert.equal(await printed("main.ts"), "effect\nnamed");
    assert.match(readFileSync(keptOf("main.ts"), "utf8"), /\nconst named = [(]of[)] => of;\n/);
  });
});
