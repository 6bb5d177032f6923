/**
 * Runs vitest and answers its counts; whatever ends without counts is one failure.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binary } from "./checks.mjs";

/**
 * Runs the tests, all or those that `filters` name, and answers { passed, failed, skipped, leftOut }.
 * Vitest writes JUnit XML of its own to `junitFile`, if there is one; `node` is another Node.js than this one.
 */
export function runTests(root, filters, { junitFile, node = process.execPath, env = {} } = {}) {
  const folder = join(root, "node_modules", ".cache", "ofs");
  const countsFile = join(folder, `counts-${process.pid}.json`);
  mkdirSync(folder, { recursive: true });
  const reporters = ["--reporter=default", "--reporter=./node/bootstrap/count-reporter.mjs"];
  if (junitFile !== undefined) reporters.push("--reporter=junit", `--outputFile.junit=${junitFile}`);
  const child = spawnSync(node, [binary(root, "vitest", "vitest"), "run", ...reporters, ...filters], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...env, OFS_COUNTS: countsFile },
  });
  return honestCounts(readCounts(countsFile), child.status);
}

function readCounts(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Counts as reported; a run that reported none, or ended badly without a failure, counts one. */
export function honestCounts(counts, status) {
  if (counts === undefined) return { passed: 0, failed: 1, skipped: 0, leftOut: {} };
  return status === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** One line per requirement that was missing: how many tests were left out, and how to get them. */
export function describeLeftOut(leftOut) {
  return Object.entries(leftOut).map(
    ([needed, count]) => `Left out: ${count} ${count === 1 ? "test" : "tests"} for want of ${needed}`,
  );
}
