/**
 * Cases that failed once, kept in `test/regressions.jsonl` and tried first ever after: one JSON object a line, with the
 * property's name, fast-check's seed and path, and what it said.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const REGRESSIONS_FILE = join(import.meta.dirname, "..", "regressions.jsonl");

export interface Regression {
  /** The test's file and full name, as `forAll` spells them. */
  readonly property: string;
  readonly seed: number;
  /** The place of the case among those of its seed; empty for a whole seed. */
  readonly path: string;
  /** The first line of what failed. */
  readonly error: string;
}

/** Every case of a file; none when there is no file. Fails on a line that is no case. */
export function readRegressions(file: string = REGRESSIONS_FILE): readonly Regression[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const read: unknown = JSON.parse(line);
    if (!isRegression(read)) throw new Error(`${file}:${index + 1} is no regression: ${line}`);
    return [read];
  });
}

/** Adds a case, once. */
export function addRegression(found: Regression, file: string = REGRESSIONS_FILE): void {
  const same = ({ property, seed, path }: Regression) =>
    property === found.property && seed === found.seed && path === found.path;
  if (!readRegressions(file).some(same)) appendFileSync(file, `${JSON.stringify(found)}\n`);
}

function isRegression(value: unknown): value is Regression {
  if (typeof value !== "object" || value === null) return false;
  const { property, seed, path, error } = value as Partial<Regression>;
  const texts = [property, path, error].every((text) => typeof text === "string");
  return texts && Number.isInteger(seed);
}
