/**
 * Mutants that change nothing anybody can see, marked in the source where they stand by a comment such as
 * `mutate: equivalent "256 -> 257", no event comes near this size.` A mark names the changes, as the table of
 * survivors prints them, of its own line of code or, standing alone, of the next one, and gives the reason.
 */
import type { CSource } from "./c-source.ts";
import { lineOf } from "./c-source.ts";
import type { Mutant } from "./mutants.ts";

const MARK = /^\/\*\s*mutate: equivalent ((?:"[^"]+",\s*)+)([\s\S]*?)\s*\*\/$/;

interface Mark {
  readonly line: number;
  readonly changes: readonly string[];
  readonly reason: string;
}

/** Reasons by the ids of the mutants they are for. Fails on a mark that names no mutant. */
export function equivalentsOf(source: CSource, mutants: readonly Mutant[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { line, changes, reason } of marksOf(source)) {
    for (const change of changes) {
      const found = mutants.find((each) => each.file === source.file && each.line === line && each.change === change);
      if (found === undefined) throw new Error(`${source.file}:${line}: no mutant ${change}`);
      reasons.set(found.id, reason);
    }
  }
  return reasons;
}

function marksOf(source: CSource): readonly Mark[] {
  return source.comments.flatMap(({ text, start, end }): readonly Mark[] => {
    if (!text.includes("mutate:")) return [];
    const [, quoted, reason] = MARK.exec(text.replace(/\n\s*\*?\s*/g, " ")) ?? [];
    if (quoted === undefined || reason === undefined || reason === "") {
      throw new Error(`${source.file}:${lineOf(source.text, start)}: not a mark: ${text}`);
    }
    const changes = [...quoted.matchAll(/"([^"]+)"/g)].map(([, change = ""]) => change);
    return [{ line: lineMarked(source, start, end), changes, reason }];
  });
}

/** The line of a mark's own code, or of the code that follows. */
function lineMarked({ text, tokens }: CSource, start: number, end: number): number {
  const before = tokens.findLast((token) => token.end <= start);
  const line = lineOf(text, start);
  if (before !== undefined && lineOf(text, before.start) === line) return line;
  const next = tokens.find((token) => token.start >= end);
  return next === undefined ? line : lineOf(text, next.start);
}
