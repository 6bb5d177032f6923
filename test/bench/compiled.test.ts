// Goal: what is measured is the compiled product: a source is never loaded where dist/ has its JavaScript, no module is
// loaded twice, and dist/ is built anew exactly when the sources differ. Method: a small product of four files, whose
// sources and JavaScript tell themselves apart, in a process of its own; the launchers in a repository made of lines.
// That the whole product is loaded from dist/ by every case is in test/package.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, assert, test } from "vitest";
import { isBuilt, sourcesStamp, writeStamp } from "../../node/bootstrap/build.mjs";

const repository = join(import.meta.dirname, "..", "..");
const bootstrap = (name: string) => pathToFileURL(join(repository, "node", "bootstrap", name)).href;
const typescript = bootstrap("typescript.mjs");
const folder = mkdtempSync(join(tmpdir(), "ofs-compiled-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What a module of the test tree prints, with the product compiled. */
function printed(entry: string): string {
  const script = [
    `import ${JSON.stringify(typescript)};`,
    `import { registerCompiled } from ${JSON.stringify(bootstrap("compiled.mjs"))};`,
    `registerCompiled(${JSON.stringify(folder)});`,
    `await import(${JSON.stringify(pathToFileURL(join(folder, entry)).href)});`,
  ].join("\n");
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  return `${ended.stdout}${ended.stderr}`.trim();
}

test("the product is loaded from dist/, once; what dist/ has not, and tests, from their sources", () => {
  write({
    "package.json": '{ "type": "module" }',
    "core/one.ts": 'import "./two.ts"; export const from: string = "source"; console.log("one, source");',
    "core/two.ts": 'console.log("two, source");',
    "core/three.ts": 'import "./two.ts"; console.log("three, source" as string);',
    "dist/core/one.js": 'import "./two.js"; export const from = "dist"; console.log("one, dist");',
    "dist/core/two.js": 'console.log("two, dist");',
    "dist/test/held.js": 'console.log("held, dist");',
    "test/held.ts": 'console.log("held, source" as string);',
    "test/entry.ts": `
      import "./held.ts";
      import "../core/two.ts";
      import "../core/three.ts";
      import { from } from "../core/one.ts";
      const again: string = (await import("../core/one.ts")).from;
      console.log(from, again, process.env.OFS_COMPILED, process.sourceMapsEnabled ?? false);
    `,
  });
  const lines = ["held, source", "two, dist", "three, source", "one, dist", "dist dist 1 false"];
  assert.equal(printed("test/entry.ts"), lines.join("\n"));
});

test("a launcher runs dist/ where it is told to, and sources where it is not", () => {
  write({
    "node/bootstrap/typescript.mjs": `import ${JSON.stringify(typescript)};`,
    ...{ "node/ofs-node.ts": 'console.log("source");', "dist/node/ofs-node.js": 'console.log("dist");' },
    ...{ "node/ofs-sim.ts": 'console.log("source");', "dist/node/ofs-sim.js": 'console.log("dist");' },
  });
  cpSync(join(repository, "node", "bin"), join(folder, "node", "bin"), { recursive: true });
  for (const name of ["ofs-node", "ofs-sim"]) {
    const launched = (env: NodeJS.ProcessEnv) =>
      spawnSync(process.execPath, [join(folder, "node", "bin", `${name}.mjs`)], {
        env: { ...process.env, OFS_COMPILED: "", ...env },
        encoding: "utf8",
      }).stdout;
    assert.deepEqual([launched({}), launched({ OFS_COMPILED: "1" })], ["source\n", "dist\n"], name);
  }
});

test("dist/ is built again when a source, a setting or dist/ itself is not what it was", () => {
  const product = join(folder, "whole");
  const put = (path: string, text: string) => write({ [join("whole", path)]: text });
  for (const name of ["core", "adapters", "sim", "scenarios", "node"]) put(`${name}/a.ts`, name);
  put("package.json", "{}");
  assert.isFalse(isBuilt(product), "never built");
  writeStamp(product, sourcesStamp(product));
  assert.isFalse(isBuilt(product), "dist/ is not there");
  put("dist/package.json", "{}");
  assert.isTrue(isBuilt(product));
  put("sim/a.ts", "sim");
  assert.isTrue(isBuilt(product), "written again, the same");
  for (const [path, text] of [
    ["sim/a.ts", "changed"],
    ["core/b.ts", "new"],
    ["tsconfig.build.json", "{}"],
  ] as const) {
    put(path, text);
    assert.isFalse(isBuilt(product), path);
    writeStamp(product, sourcesStamp(product));
    assert.isTrue(isBuilt(product), path);
  }
  rmSync(join(product, "core/b.ts"));
  assert.isFalse(isBuilt(product), "a source is gone");
});
