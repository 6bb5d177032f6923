/**
 * What every test file of a mutation run loads first. All files share one process, so what Stryker counts in it is
 * handed over after each file and emptied; else every file would report its predecessors' counts again.
 */
import { afterAll } from "vitest";

interface Counts {
  static: Record<string, number>;
  perTest: Record<string, Record<string, number>>;
}

// The hooks registered first end last: after Stryker has put its counts into the file's meta.
// biome-ignore lint/correctness/noEmptyPattern: vitest passes the fixtures first, and demands that they are taken apart
afterAll(({}, suite) => {
  const meta = suite.meta as { mutantCoverage?: Counts };
  const counts = meta.mutantCoverage;
  if (counts === undefined) return;
  meta.mutantCoverage = structuredClone(counts);
  for (const each of [counts.static, counts.perTest]) {
    for (const key of Object.keys(each)) delete each[key];
  }
});
