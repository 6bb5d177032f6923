/**
 * How many cases a property tries, by day and by night, and how many it has tried: said at the end of its file, since a
 * number that was asked for is not one that ran. `OFS_NIGHTLY=1 npm test -- test/convergence` is the night's form.
 * Source: ours.
 */
import { afterAll } from "vitest";

const NIGHTLY = process.env.OFS_NIGHTLY !== undefined;

/** The number of cases for this run. */
export function cases(byDay: number, byNight: number): number {
  return NIGHTLY ? byNight : byDay;
}

/** Counts the cases of a file's properties by name; call what it answers once a case. */
export function countCases(): (property: string) => void {
  const tried = new Map<string, number>();
  afterAll(() => {
    let all = 0;
    for (const count of tried.values()) all += count;
    const each = [...tried].map(([property, count]) => `${property} ${count}`);
    console.log(`${all} cases: ${each.join(", ")}`);
  });
  return (property) => void tried.set(property, (tried.get(property) ?? 0) + 1);
}
