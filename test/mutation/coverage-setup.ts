/**
 * What every test file of a mutation run loads first. All files share one process, so what Stryker counts in it is
 * handed over after each file and emptied; else every file would report its predecessors' counts again. The process is
 * watched as soon as it loads the first file.
 */
import { afterAll, inject } from "vitest";
import type { WatchdogLimits } from "./watchdog.ts";
import { watch } from "./watchdog.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What this run may take; a run of the product as it is may take what it likes. */
    readonly watchdog: WatchdogLimits | null;
  }
}

const inThisProcess = globalThis as { watched?: boolean };
const limits = inject("watchdog");
if (limits !== null && inThisProcess.watched !== true) {
  inThisProcess.watched = true;
  watch(limits);
}

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
