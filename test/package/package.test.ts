// Goal: what npm installs works: both commands run, every import path has its types, nothing else is shipped, its
// guides lead to each other, and every name that can be imported is explained.
// Method: one tarball, unpacked into an empty folder; its list of files, its commands, and the compiler over a small
// project that imports every path. Each judge is handed a planted fault as well.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, assert, beforeAll, describe, test } from "vitest";
import { binary, COMPILER } from "../../node/bootstrap/checks.mjs";
import { shrinkwrapOf } from "../../node/bootstrap/shrinkwrap.mjs";
import { entriesOf, namesOf, readSource, requiredOf } from "./exported.ts";
import type { Installation } from "./installation.ts";
import { install } from "./installation.ts";

interface Manifest {
  readonly exports: Parameters<typeof entriesOf>[0];
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readSource("package.json")) as Manifest;
const entries = entriesOf(manifest.exports);
const ROOT = join(import.meta.dirname, "..", "..");
const FLAGSHIP = ["run", "dispute-decided-on-chain"] as const;

/** What a tarball may hold: what runs, its types and maps, the sources that these lead to, the guides. */
const ALLOWED = [
  /^(package[.]json|npm-shrinkwrap[.]json|LICENSE|vectors[.]json)$/,
  /^(CHANGELOG|CONTRIBUTING|GLOSSARY|README|SECURITY)[.]md$/,
  /^node\/bin\/ofs-(node|sim)[.]mjs$/,
  /^dist\/(adapters|core|node|scenarios|sim)\/.+[.](js|d[.]ts)([.]map)?$/,
  /^(adapters|core|node|scenarios|sim)\/.+[.](ts|md)$/,
  /^dist\/(package[.]json|ofs-client[.]js)$/,
  /^dist\/adapters\/chain\/(program\/escrow|staking-program\/staking)[.](so|idl[.]json)$/,
  /^dist\/sim\/chain\/forwarder\/forwarder[.]so$/,
  /^dist\/adapters\/http\/[a-z-]+[.](html|css)$/,
  /^dist\/sim\/(serve|travel)\/page\/(page|views|travel|playground)[.](html|css)$/,
  /^dist\/node\/production\/examples[.]json$/,
  /^dist\/node\/sim\/testing[.](cjs|d[.]cts)$/,
  /^dist\/node\/operations\/(alerts\.yml|dashboard\.json|ofs-node\.service)$/,
  /^dist\/node\/operations\/(Dockerfile\.worker|ofs-sim-worker\.service|workers\.(compose|job)\.yml)$/,
];

const foreign = (files: readonly string[]) => files.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)));

/** Sources that maps name and the tarball does not hold. */
function lostSources(files: readonly string[], read: (path: string) => string): readonly string[] {
  const held = new Set(files);
  return files
    .filter((path) => path.endsWith(".map"))
    .flatMap((path) => {
      const { sources } = JSON.parse(read(path)) as { readonly sources: readonly string[] };
      return sources.map((source) => normalize(join(dirname(path), source))).filter((source) => !held.has(source));
    });
}

/** Links of guides to files and folders that the tarball does not hold; what is shown as code is none. */
function deadLinks(files: readonly string[], read: (path: string) => string): readonly string[] {
  const held = new Set(
    files.flatMap((path) => [path, ...[...path.matchAll(/\//g)].map((at) => path.slice(0, at.index))]),
  );
  return files
    .filter((path) => path.endsWith(".md"))
    .flatMap((path) => {
      const prose = read(path).replace(/^```.*?^```|`[^`\n]*`/gms, "");
      const targets = [...prose.matchAll(/\]\(([^)\s#]+)/g)].map((match) => match[1] ?? "");
      return targets
        .filter((target) => !/^[a-z]+:/.test(target) && !held.has(normalize(join(dirname(path), target))))
        .map((target) => `${path}: ${target}`);
    });
}

describe("the package", () => {
  let installed: Installation;
  beforeAll(() => {
    installed = install();
  });
  afterAll(() => installed.remove());

  test("holds what runs, its types, its maps and their sources, and nothing else", () => {
    assert.isAbove(installed.files.length, 1_000);
    assert.deepEqual(foreign(installed.files), []);
    assert.include(installed.files, "dist/sim/serve/page/page.js");
    assert.include(installed.files, "dist/sim/travel/page/page.js");
    assert.deepEqual(foreign(["test/a.test.ts", "node/bootstrap/run.mjs", "core/index.ts", "ledger/ledger.db"]), [
      "test/a.test.ts",
      "node/bootstrap/run.mjs",
      "ledger/ledger.db",
    ]);
    assert.deepEqual(lostSources(installed.files, installed.read), []);
    const map = () => JSON.stringify({ sources: ["../../core/gone.ts"] });
    assert.deepEqual(lostSources(["dist/core/gone.js.map"], map), ["core/gone.ts"]);
  });

  test("holds every guide that its guides link to", () => {
    assert.include(installed.files, "core/domains/trade/reservations/README.md");
    assert.deepEqual(deadLinks(installed.files, installed.read), []);
    const guide = () => "[a](../gone.md#part) [b](https://b.example) [c](#part) `[d](gone.md)` [`e`](../core)";
    assert.deepEqual(deadLinks(["core/README.md", "core/e.md"], guide), [
      "core/README.md: ../gone.md",
      "core/e.md: ../gone.md",
    ]);
  });

  test("starts ofs-node, and refuses in one line to simulate until the packages for it are there", () => {
    assert.equal(installed.run("node/bin/ofs-node.mjs", "--version").out.trim(), manifest.version);
    const document = join(installed.folder, "openrpc.json");
    assert.equal(installed.run("node/bin/ofs-node.mjs", "openrpc", "--out", document).status, 0);
    const key = installed.run("node/bin/ofs-node.mjs", "keygen", join(installed.folder, "identity"));
    assert.match(key.out, /12D3Koo/);
    assert.include(installed.run("node/bin/ofs-sim.mjs", "list").out, FLAGSHIP[1]);

    const refused = installed.run("node/bin/ofs-sim.mjs", ...FLAGSHIP);
    assert.equal(refused.status, 2);
    assert.equal(refused.out, "");
    assert.match(refused.err, /^Simulating needs solana-bankrun, which is not installed[.] .*: npm i [^\n]+\n$/);
    // What was typed is judged first.
    assert.match(
      installed.run("node/bin/ofs-sim.mjs", "serve", "--host", "0.0.0.0").err,
      /^--host 0[.]0[.]0[.]0 needs --token:/,
    );
    const names = Object.keys(manifest.peerDependencies);
    for (const name of names) assert.include(refused.err, ` ${name}@`);

    installed.add(...names, "@types/node");
    const run = installed.run("node/bin/ofs-sim.mjs", ...FLAGSHIP);
    assert.equal(run.status, 0, run.err);
    assert.match(run.out.trim().split("\n").at(-1) ?? "", /^OK dispute-decided-on-chain /);
    const twice = ["verify", "--seeds", "1", "--scenario", "reveals-decide-nothing", "--chain", "model"];
    const verified = installed.run("node/bin/ofs-sim.mjs", ...twice);
    assert.match(verified.out, /^OK verify seeds=1[.][.]1 runs=1 differing=0$/m, verified.err);
  });

  // The test above has installed what simulations and their types need. Projects have the compiler that builds the
  // package, or the one before it.
  test.each([
    ["node16", COMPILER],
    ["bundler", "typescript"],
  ] as const)("has the types of every export under %s by %s", (resolution, compiler) => {
    assert.equal(complaintsOf(installed.folder, { resolution, compiler }, projectText()), "");
  });

  test("has the types of what CommonJS may require, and no others", () => {
    assert.deepEqual(requiredOf(manifest.exports), ["./testing"]);
    const project = { resolution: "node16", compiler: COMPILER, type: "commonjs" } as const;
    assert.equal(complaintsOf(installed.folder, project, commonText()), "");
  });

  test("runs the guide of a CommonJS project as it stands there", () => {
    const readme = readSource("sim/serve/README.md");
    const guide = /```js\n([\s\S]*?require\("ofs-node\/testing"\)[\s\S]*?)```/.exec(readme)?.[1];
    writeFileSync(join(installed.folder, "package.json"), "{}");
    writeFileSync(join(installed.folder, "guide.test.js"), guide ?? "");
    // As runners do that load no ES module.
    const flags = ["--no-experimental-require-module", "--test", "guide.test.js"];
    const ran = spawnSync(process.execPath, flags, { cwd: installed.folder, encoding: "utf8" });
    assert.match(`${ran.status}\n${ran.stdout}`, /^0\n[\s\S]*pass 1\b/);
  });

  // The tests above have installed what simulations need.
  test("is what every case of the benchmarks loads: no source of the product, and no module twice", () => {
    const child = join(ROOT, "test", "bench", "loaded-child.mjs");
    const ended = spawnSync(process.execPath, [child, join(installed.home, "dist")], { encoding: "utf8" });
    assert.equal(ended.status, 0, ended.stderr);
    const urls = ended.stdout.trim().split("\n");
    const below = (base: string) =>
      urls
        .filter((url) => url.startsWith(pathToFileURL(base).href))
        .map((url) => url.slice(pathToFileURL(base).href.length));
    const sources = below(ROOT).filter((path) => /^\/(core|adapters|sim|scenarios|node(?!\/bootstrap))\//.test(path));
    assert.deepEqual(sources, []);
    const compiled = below(join(installed.home, "dist"));
    assert.include(compiled, "/core/engine/step.js");
    assert.include(compiled, "/node/sim/testing.js");
  });
});

/** A project that imports every path, has README's example, and uses the error registry as a table. */
function projectText(): string {
  const imports = entries.map(({ path }, at) => `import * as part${at} from "ofs-node/${path.slice(2)}";`);
  const used = `export const parts = [${entries.map((_, at) => `part${at}`).join(", ")}];`;
  const registry = [
    'import { type ErrorCode, errorCodes } from "ofs-node/errors";',
    'export const code: ErrorCode = "RATE_LIMIT_EXCEEDED";',
    "export const number: number = errorCodes[code].number;",
    "export const retryable: true = errorCodes.RATE_LIMIT_EXCEEDED.retryable;",
  ];
  // A comment of this kind is an error of its own where nothing is wrong below it: the compiler did look.
  const refused = [
    'export const unknown: ErrorCode = "NO_SUCH_CODE";',
    ...["sim/clock", "dist/core/index.js", "adapters/http/body"].map((path) => `import "ofs-node/${path}";`),
  ].map((line) => `// @ts-expect-error\n${line}`);
  const example = /```ts\n([\s\S]*?"ofs-node\/client"[\s\S]*?)```/.exec(readSource("README.md"))?.[1] ?? "";
  return [...imports, example, used, ...registry, ...refused].join("\n");
}

/** A CommonJS project: what it requires has the types of the import, and what is an ES module it cannot require. */
function commonText(): string {
  const types = 'import("ofs-node/testing", { with: { "resolution-mode": "import" } })';
  return [
    'import { connectNetwork, startNetwork, type TestNetwork, type TestWallet } from "ofs-node/testing";',
    `export const start: typeof ${types}.startNetwork = startNetwork;`,
    `export const connect: typeof ${types}.connectNetwork = connectNetwork;`,
    `export const both: [typeof startNetwork, typeof connectNetwork] = [start, connect];`,
    "export async function paid(network: TestNetwork, wallet: TestWallet): Promise<bigint> {",
    '  const { amount } = await network.trade("PaymentSubmitted", { buyer: wallet.name });',
    "  return amount;",
    "}",
    "// @ts-expect-error",
    "export const wrong: Promise<string> = startNetwork({ nodes: 2 });",
    "// @ts-expect-error",
    'import { errorCodes } from "ofs-node/errors";',
    "export const codes = errorCodes;",
  ].join("\n");
}

/** How a project finds packages, and the package that compiles it. */
interface Project {
  readonly resolution: "node16" | "bundler";
  readonly compiler: string;
  readonly type?: "module" | "commonjs";
}

/** What the compiler says of a project of one file, declarations of packages included. */
function complaintsOf(folder: string, { resolution, compiler, type = "module" }: Project, text: string): string {
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, target: "ES2023", lib: ["ES2023", "DOM"], types: ["node"] },
    ...{ module: resolution === "node16" ? "node16" : "esnext", moduleResolution: resolution },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["project.ts"] }));
  writeFileSync(join(folder, "project.ts"), text);
  const ended = spawnSync(process.execPath, [binary(ROOT, compiler, "tsc"), "-p", folder], { encoding: "utf8" });
  return ended.status === 0 ? ended.stdout : `exit ${ended.status}: ${ended.stdout}${ended.stderr}`;
}

describe("the list of exports", () => {
  test("has no open path, and every path leads to a source file", () => {
    assert.isAbove(entries.length, 20);
    for (const path of Object.keys(manifest.exports)) assert.notInclude(path, "*");
    for (const { source } of entries) assert.isAbove(namesOf(source, readSource).length, 0, source);
  });

  test("explains every name where it is declared", () => {
    const silent = (paths: readonly string[], read = readSource) =>
      paths.flatMap((path) => namesOf(path, read).filter(({ documented }) => !documented));
    const told = silent(entries.map(({ source }) => source)).map(({ name, source }) => `${source}: ${name}`);
    assert.deepEqual([...new Set(told)], []);
    const planted: Readonly<Record<string, string>> = {
      "sim/index.ts": 'export { one, type Two } from "./parts.ts";\n/** Said. */\nexport const three = 3;\n',
      "sim/parts.ts": "import x from 'y';\nexport function one() {}\n/** Said. */\nexport interface Two {}\n",
    };
    assert.deepEqual(
      silent(["sim/index.ts"], (path) => planted[path] ?? ""),
      [{ name: "one", source: "sim/parts.ts", documented: false }],
    );
  });
});

test("the shrinkwrap is the lock without what serves development", () => {
  const lock = {
    lockfileVersion: 3,
    packages: {
      "": { dependencies: { a: "1" }, devDependencies: { b: "1" } },
      "node_modules/a": { version: "1.0.0" },
      "node_modules/b": { version: "1.0.0", dev: true },
      "node_modules/c": { version: "1.0.0", devOptional: true },
    },
  };
  const packages = { "": { dependencies: { a: "1" } }, "node_modules/a": { version: "1.0.0" } };
  assert.deepEqual(shrinkwrapOf(lock), {
    lockfileVersion: 3,
    packages: { ...packages, "node_modules/c": { version: "1.0.0", devOptional: true } },
  });
});
