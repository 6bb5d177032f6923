/**
 * The one entry of every npm script: installs when needed, then runs what was asked.
 * Usage: node node/bootstrap/run.mjs TASK [arguments], where TASK is
 * start|test|check|versions|bench|nightly|mutate|format|build|bundle|playground|docs|sbom|installed|sim|node|
 * program:build|prepack|postpack
 * Imports below that need installed packages are dynamic: this file loads on a fresh clone.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ensureInstalled } from "./install.mjs";

const root = resolve(import.meta.dirname, "..", "..");

/** What `npm start` shows. */
const FLAGSHIP = "dispute-decided-on-chain";

const tasks = {
  start: (args) => command("ofs-sim", ["run", FLAGSHIP, "--report", `reports/${FLAGSHIP}.html`, ...args]),
  // Bugs are planted into the sources, which an installed package does not run from.
  sim: (args) => (args[0] === "score" ? script("test/score/main.ts", args.slice(1)) : command("ofs-sim", args)),
  node: (args) => command("ofs-node", args),
  "program:build": (args) => script("adapters/chain/program/build.ts", args),
  bench: (args) => script("test/bench/main.ts", args),
  nightly: (args) => script("test/nightly/main.ts", args),
  mutate: (args) => script("test/mutation/main.ts", args),
  test: testEverything,
  versions: testVersions,
  check: checkOnly,
  format,
  build: async () => {
    const { build } = await import("./build.mjs");
    process.exitCode = await build(root);
  },
  bundle: async () => {
    const { writeBundle } = await import("./bundle.mjs");
    process.exitCode = await writeBundle(root, "reports/ofs-client.js");
  },
  playground: async () => {
    const { writePlayground } = await import("./playground.mjs");
    process.exitCode = await writePlayground(root, "reports/playground.html");
  },
  docs: async () => {
    const { writeDocs } = await import("./docs.mjs");
    process.exitCode = writeDocs(root);
  },
  sbom: async ([file]) => {
    const { writeSbom } = await import("./sbom.mjs");
    process.exitCode = writeSbom(root, file && resolve(file));
  },
  installed: async () => {
    const { tryInstalled } = await import("./installed.mjs");
    process.exitCode = tryInstalled(root);
  },
  prepack: async () => {
    const [{ build }, { writeBundle }] = await Promise.all([import("./build.mjs"), import("./bundle.mjs")]);
    const { writeShrinkwrap } = await import("./shrinkwrap.mjs");
    process.exitCode = (await build(root)) || (await writeBundle(root, "dist/ofs-client.js"));
    if (process.exitCode === 0) writeShrinkwrap(root);
  },
  postpack: async () => {
    const { removeShrinkwrap } = await import("./shrinkwrap.mjs");
    removeShrinkwrap(root);
  },
};

/** Runs one of the two commands in this process, as its launcher in node/bin does. */
async function command(name, args) {
  const launcher = join(root, "node", "bin", `${name}.mjs`);
  process.argv = [process.execPath, launcher, ...args];
  await import(pathToFileURL(launcher).href);
}

/** Runs a TypeScript file in this process. */
async function script(path, args) {
  const file = join(root, path);
  if (!existsSync(file)) fail(`${path} does not exist.`);
  process.argv = [process.execPath, file, ...args];
  await import("./typescript.mjs");
  await import(pathToFileURL(file).href);
}

async function testEverything(args) {
  const { runChecks } = await import("./checks.mjs");
  const { junitFileOf, writeJunit } = await import("./junit.mjs");
  const { describeLeftOut, runTests } = await import("./tests.mjs");
  const { file, filters } = junitFileOf(args, process.env);
  if (file === null) fail("--junit takes a file.");
  const testsFile = file && join(root, "node_modules", ".cache", "ofs", `junit-${process.pid}.xml`);
  const checks = await runChecks(root);
  const tests = runTests(root, filters, { junitFile: testsFile });
  if (file !== undefined) writeJunit(resolve(file), checks, tests, testsFile);
  for (const line of describeLeftOut(tests.leftOut)) console.log(line);
  close(checks.passed + tests.passed, checks.failed + tests.failed);
}

async function testVersions(args) {
  const { majorsOf, runVersions } = await import("./versions.mjs");
  const majors = majorsOf(args);
  if (typeof majors === "string") fail(majors);
  const { passed, failed } = runVersions(root, majors);
  close(passed, failed);
}

async function checkOnly() {
  const { runChecks } = await import("./checks.mjs");
  const { passed, failed } = await runChecks(root);
  close(passed, failed);
}

/** The closing line is part of the contract: CI and people read it. */
function close(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

async function format(args) {
  const { binary } = await import("./checks.mjs");
  const paths = args.length > 0 ? args : ["."];
  const biome = binary(root, "@biomejs/biome", "biome");
  const child = spawnSync(process.execPath, [biome, "check", "--write", ...paths], { cwd: root, stdio: "inherit" });
  process.exitCode = child.status ?? 1;
}

function fail(line) {
  console.error(line);
  process.exit(2);
}

const [name = "", ...rest] = process.argv.slice(2);
const task = Object.hasOwn(tasks, name) ? tasks[name] : undefined;
if (task === undefined) fail(`Unknown task "${name}". One of: ${Object.keys(tasks).join(", ")}.`);
ensureInstalled(root);
await task(rest);
