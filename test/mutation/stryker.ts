/**
 * One mutation run: how Stryker is set up for this product, and what each mutant came to. Incremental: a mutant whose
 * code and whose covering tests are as they were keeps its verdict. Not here: which mutants (draw.ts), which tests
 * judge them (judges.ts), how it is shown (report.ts).
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { MutantResult, PartialStrykerOptions } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { TYPESCRIPT } from "../typescript.ts";
import type { Candidate } from "./draw.ts";
import { keyOf } from "./draw.ts";
import type { Judged } from "./judged.ts";
import { judgedOf } from "./judged.ts";
import type { Breadth } from "./judges.ts";
import { judgesOf } from "./judges.ts";
import { JUDGES_RUNNER } from "./judges-runner.ts";
import { DRAW_CHECKER, LINES_REPORTER, PROSE_IGNORER } from "./plugins.ts";

export interface Run {
  readonly root: string;
  readonly mutants: readonly Candidate[];
  /** Every test file there is, relative to the repository. */
  readonly tests: readonly string[];
  readonly breadth: Breadth;
  /** Run again what has a verdict already. */
  readonly fresh: boolean;
}

/** Verdicts of earlier runs. */
const INCREMENTAL_FILE = "node_modules/.cache/ofs/mutation.json";

/** Below `reports/`, which nothing else reads. */
const SANDBOX = "reports/mutation/sandbox";

/** Milliseconds after which Stryker itself gives up: what hangs is found by its work long before (watchdog.ts). */
const HANGS_AFTER_MS = 7_200_000;

/** Judges every mutant. */
export async function judge(run: Run): Promise<readonly Judged[]> {
  if (run.mutants.length === 0) return [];
  mkdirSync(dirname(join(run.root, INCREMENTAL_FILE)), { recursive: true });
  const results = await new Stryker(optionsOf(run)).runMutationTest();
  forgetUndrawn(join(run.root, INCREMENTAL_FILE));
  const wanted = new Set(run.mutants.map(keyOf));
  return results.map((result) => judgedOf(result, run.root)).filter((judged) => wanted.has(keyOf(judged)));
}

function optionsOf({ root, mutants, tests, breadth, fresh }: Run): PartialStrykerOptions {
  const files = [...new Set(mutants.map(({ file }) => file))];
  const judges = new Set(files.flatMap((file) => judgesOf(file, tests, breadth)));
  const ours = {
    judges: { tests: tests.filter((test) => judges.has(test)), breadth },
    draw: { root, keys: mutants.map(keyOf) },
    vitest: { related: false },
  };
  return {
    ...ours,
    mutate: [...new Set(mutants.map(rangeOf))],
    plugins: [join(root, "test/mutation/plugins.ts")],
    testRunner: JUDGES_RUNNER,
    testRunnerNodeArgs: [...TYPESCRIPT],
    checkers: [DRAW_CHECKER],
    checkerNodeArgs: [...TYPESCRIPT],
    ignorers: [PROSE_IGNORER],
    coverageAnalysis: "perTest",
    concurrency: 1,
    timeoutFactor: 2,
    timeoutMS: HANGS_AFTER_MS,
    dryRunTimeoutMinutes: 240,
    incremental: true,
    incrementalFile: INCREMENTAL_FILE,
    force: fresh,
    tempDirName: SANDBOX,
    cleanTempDir: "always",
    ignorePatterns: ["dist", "reports", "repros", "ledger", "*.tgz"],
    reporters: [LINES_REPORTER],
    allowConsoleColors: false,
    warnings: { slow: false, unknownOptions: false, preprocessorErrors: true, unserializableOptions: true },
  };
}

/** A place as Stryker takes it: lines from 1, columns from 0. */
function rangeOf({ file, start, end }: Candidate): string {
  return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

/** A mutant outside a draw has no verdict, and may be in the next one. */
function forgetUndrawn(file: string): void {
  if (!existsSync(file)) return;
  const report = JSON.parse(readFileSync(file, "utf8")) as { files: Record<string, { mutants: MutantResult[] }> };
  for (const each of Object.values(report.files)) {
    each.mutants = each.mutants.filter(({ status }) => status !== "CompileError");
  }
  writeFileSync(file, JSON.stringify(report));
}
