/**
 * The checks that need no test: types, lint and format, arrows between modules, dead code.
 * Each runs as a process of its own, two at a time; its output is shown only when it fails.
 * Plain JavaScript: it must be able to report that the TypeScript does not compile.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What compiles and checks types. The package `typescript` is the one before it, for tools that read syntax by it. */
export const COMPILER = "@typescript/native";

/** Every check by name, with the package whose command it is. `arrows` wraps dependency-cruiser (arrows.mjs). */
const checks = [
  { name: "types of core", run: (root) => [binary(root, COMPILER, "tsc"), "-p", "core"] },
  { name: "types of the page", run: (root) => [binary(root, COMPILER, "tsc"), "-p", "sim/serve/page"] },
  {
    name: "types of the report page",
    run: (root) => [binary(root, COMPILER, "tsc"), "-p", "sim/travel/page"],
  },
  { name: "types of the rest", run: (root) => [binary(root, COMPILER, "tsc"), "-p", "."] },
  { name: "format", run: (root) => [...biome(root, "format"), "--reporter=summary", "."] },
  {
    name: "lint",
    run: (root) => [...biome(root, "check"), "--formatter-enabled=false", "--diagnostic-level=error", "."],
  },
  { name: "arrows", run: () => [join("node", "bootstrap", "arrows.mjs")] },
  { name: "dead code", run: (root) => [binary(root, "knip", "knip"), "--no-progress"] },
];

function biome(root, command) {
  return [binary(root, "@biomejs/biome", "biome"), command, "--colors=off"];
}

/** The path of a command that an installed package brings. */
export function binary(root, packageName, command) {
  const folder = join(root, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return join(folder, typeof bin === "string" ? bin : bin[command]);
}

/** Runs one check; resolves with its output when it ended. */
function runCheck(root, check) {
  return new Promise((resolve) => {
    const started = performance.now();
    const child = spawn(process.execPath, check.run(root), { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.stderr.on("data", (chunk) => chunks.push(chunk));
    const finish = (passed, note) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      resolve({ name: check.name, passed, seconds, output: Buffer.concat(chunks).toString("utf8") + note });
    };
    child.on("error", (error) => finish(false, error.message));
    child.on("close", (code) => finish(code === 0, code === 0 ? "" : `\n(exit ${code})`));
  });
}

/** Runs all checks, prints one line for each, and answers how many passed and failed, and the result of each. */
export async function runChecks(root) {
  const waiting = [...checks];
  const results = [];
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const result = await runCheck(root, check);
      results.push(result);
      if (!result.passed) console.log(result.output.trimEnd());
      console.log(`${result.passed ? "ok    " : "FAILED"} check: ${result.name} (${result.seconds} s)`);
    }
  };
  await Promise.all([worker(), worker()]);
  const passed = results.filter((result) => result.passed).length;
  return { passed, failed: checks.length - passed, results };
}
