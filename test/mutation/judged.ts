/**
 * What became of one mutant, in this product's words.
 */
import type { MutantResult } from "@stryker-mutator/api/core";
import type { Candidate } from "./draw.ts";
import { named } from "./draw.ts";

/** What became of one mutant. */
export type Verdict = "killed" | "survived" | "no coverage" | "time-out" | "error";

export interface Judged extends Candidate {
  readonly verdict: Verdict;
  /** Computed once while a module loads: only the mirror and the named suites judged it. */
  readonly fixed: boolean;
  /** How many tests reach it. */
  readonly reachedBy: number;
  /** The test that failed. */
  readonly killedBy: string;
}

/** What Stryker found of a mutant; its places count from 1. */
export function judgedOf(result: MutantResult, root: string): Judged {
  const { location, mutatorName, status, static: fixed = false, coveredBy = [], killedBy = [] } = result;
  return {
    file: named(result.fileName, root),
    start: location.start,
    end: location.end,
    mutator: mutatorName,
    replacement: result.replacement ?? "",
    verdict: verdictOf(status),
    fixed,
    reachedBy: coveredBy.length,
    killedBy: killedBy[0] ?? "",
  };
}

function verdictOf(status: MutantResult["status"]): Verdict {
  switch (status) {
    case "Killed":
      return "killed";
    case "Survived":
      return "survived";
    case "NoCoverage":
      return "no coverage";
    case "Timeout":
      return "time-out";
    case "CompileError":
    case "RuntimeError":
    case "Ignored":
    case "Pending":
      return "error";
  }
}
