/**
 * The mutants of a set of files, as Stryker makes them, and a fair draw from them: which mutants a seed draws depends
 * on nothing but the seed and on where each mutant stands.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import type { Mutant } from "@stryker-mutator/api/core";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { prose } from "./prose.ts";

/** Lines from 1 and columns from 1, as an editor shows them. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** One mutant: what stands where, and what stands there instead. */
export interface Candidate {
  /** Relative to the repository, with slashes. */
  readonly file: string;
  readonly start: Place;
  readonly end: Place;
  readonly mutator: string;
  readonly replacement: string;
}

/** All mutants of these files that are not ignored, in the order of the files and of Stryker. */
export async function mutantsOf(root: string, files: readonly string[]): Promise<readonly Candidate[]> {
  const silent = () => {};
  const levels = { isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no, isWarnEnabled: no };
  const log = { trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent };
  const quiet = { ...log, ...levels, isErrorEnabled: no, isFatalEnabled: no };
  const read = files.map((file) => ({ name: file, mutate: true, content: readFileSync(join(root, file), "utf8") }));
  const options = { plugins: null, excludedMutations: [], ignorers: [prose], noHeader: true };
  const { mutants } = await new Instrumenter(quiet).instrument(read, options);
  return mutants.filter(({ status }) => status === undefined).map((mutant) => candidateOf(mutant));
}

/** A mutant of Stryker's, whose instrumenter counts lines and columns from 0. */
export function candidateOf(mutant: Mutant, root = ""): Candidate {
  const place = ({ line, column }: Place): Place => ({ line: line + 1, column: column + 1 });
  const { start, end } = mutant.location;
  const [mutator, replacement] = [mutant.mutatorName, mutant.replacement];
  return { file: named(mutant.fileName, root), start: place(start), end: place(end), mutator, replacement };
}

/** A path relative to the repository, with slashes. */
export function named(path: string, root: string): string {
  return (isAbsolute(path) ? relative(root, path) : path).replaceAll("\\", "/");
}

/** Tells a mutant from every other. */
export function keyOf({ file, start, end, mutator, replacement }: Candidate): string {
  return `${file}:${start.line}:${start.column}-${end.line}:${end.column} ${mutator} ${replacement}`;
}

/** `count` of the mutants, drawn by seed; all of them when there are no more. */
export function draw(mutants: readonly Candidate[], count: number, seed: number): readonly Candidate[] {
  const lot = (mutant: Candidate) =>
    createHash("sha256")
      .update(`${seed}\n${keyOf(mutant)}`)
      .digest("hex");
  const lots = mutants.map((mutant) => ({ mutant, lot: lot(mutant) }));
  const drawn = lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).slice(0, count);
  const kept = new Set(drawn.map(({ mutant }) => mutant));
  return mutants.filter((mutant) => kept.has(mutant));
}

function no(): boolean {
  return false;
}
