/**
 * A vitest reporter that counts: what passed, failed and was left out, and for want of what.
 * Writes the counts as JSON to the file named by OFS_COUNTS; run.mjs reads them for its last line.
 */
import { writeFileSync } from "node:fs";

/** Spelled by test/requirements.ts in the name of a suite that is left out. */
const NEEDS = /\[needs ([^\]]+)\]/;

/** The counts of one run. A module that did not load and an error outside every test count as failures. */
export function countRun(testModules, unhandledErrors) {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, leftOut: {} };
  for (const module of testModules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") counts.passed += 1;
      else if (state === "failed") counts.failed += 1;
      else noteSkipped(counts, test.fullName);
    }
  }
  return counts;
}

function noteSkipped(counts, fullName) {
  counts.skipped += 1;
  const needed = NEEDS.exec(fullName)?.[1];
  if (needed !== undefined) counts.leftOut[needed] = (counts.leftOut[needed] ?? 0) + 1;
}

class CountReporter {
  onTestRunEnd(testModules, unhandledErrors, reason) {
    const counts = countRun(testModules, unhandledErrors);
    if (reason !== "passed" && counts.failed === 0) counts.failed = 1;
    if (process.env.OFS_COUNTS !== undefined) writeFileSync(process.env.OFS_COUNTS, JSON.stringify(counts));
  }
}

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default CountReporter;
