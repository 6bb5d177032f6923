/**
 * How much random input a run tries, and from which seed. `OFS_PROFILE` names the profile: `commit` is what every
 * change passes, `nightly` tries each property as often as it declares for the night, `quick` a fifth of the commit's
 * cases (other versions of Node.js, mutation testing). `OFS_SEED` repeats a run; without it vitest.config.ts draws one.
 * Source: DESIGN "Shape of the code".
 */
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";

const profiles = ["commit", "nightly", "quick"] as const;
export type Profile = (typeof profiles)[number];

/** What `quick` divides the number of cases by. */
const QUICK_DIVISOR = 5;

/** How often a property is tried at night where it names no number of its own. */
const NIGHTLY_FACTOR = 20;

export const profile: Profile = profileOf(process.env.OFS_PROFILE);

/**
 * When a night ends, in milliseconds since 1970, from `OFS_DEADLINE`: cases after it are not tried. It bounds how much
 * is tried and decides no verdict.
 */
export const deadline: number | undefined = process.env.OFS_DEADLINE ? Number(process.env.OFS_DEADLINE) : undefined;

/** The seed of this run: every property derives its own from it. */
export const runSeed: string = process.env.OFS_SEED ?? "0";

/** The profile of that name; fails on any other name, so that a typing error is not a quiet `commit`. */
export function profileOf(name: string | undefined): Profile {
  const found = profiles.find((each) => each === (name ?? "commit"));
  if (found === undefined) throw new Error(`OFS_PROFILE is "${name}"; one of ${profiles.join(", ")}`);
  return found;
}

/** The number of cases to try under a profile. */
export function runsOf(commit: number, nightly = commit * NIGHTLY_FACTOR, under: Profile = profile): number {
  switch (under) {
    case "commit":
      return commit;
    case "nightly":
      return nightly;
    case "quick":
      return Math.ceil(commit / QUICK_DIVISOR);
  }
}

/** A signed 32-bit seed for one property: a function of the run's seed and of the property's name. */
export function seedOf(property: string, seed: string = runSeed): number {
  return createHash("sha256").update(`${seed}\n${property}`).digest().readInt32BE();
}

/** Adds to the file that `OFS_TRIED` names, one JSON object a line, how many cases a property really tried. */
export function noteTried(property: string, cases: number, ms: number, file = process.env.OFS_TRIED): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ property, cases, ms: Math.round(ms) })}\n`);
}

/** Numbers of cases of a loop that is no `forAll`, until so many or the night's deadline; notes how many were tried. */
export function* tries(property: string, most: number): Generator<number> {
  const began = performance.now();
  let tried = 0;
  try {
    for (; tried < most && (deadline === undefined || Date.now() <= deadline); tried++) yield tried;
  } finally {
    noteTried(property, tried, performance.now() - began);
  }
}
