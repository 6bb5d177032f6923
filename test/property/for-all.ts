/**
 * The one way to try a property on random cases. Sizes follow the declared maximum (`setup.ts`), the number of cases
 * follows the profile, seeds are fresh, cases that failed once run first, and every property says what its own
 * generator must reach: on fixed seeds at least the stated share of the cases bears each label.
 * `OFS_DISTRIBUTION=1` prints what the labels came to. Source: DESIGN "Shape of the code".
 */
import fc from "fast-check";
import { expect } from "vitest";
import { deadline, noteTried, profile, runSeed, runsOf, seedOf } from "./profile.ts";
import type { Regression } from "./regressions.ts";
import { addRegression, readRegressions } from "./regressions.ts";

/** Shares are counted over cases of this seed, so that a share never fails by chance. */
const SHARES_SEED = 20_261_122;

/** Cases classified where a plan names no number. */
const SAMPLE = 300;

type Arbitraries<Ts extends readonly unknown[]> = { readonly [K in keyof Ts]: fc.Arbitrary<Ts[K]> };
type Labels = readonly string[];
// biome-ignore lint/suspicious/noConfusingVoidType: a predicate that says no labels returns nothing
type RunLabels = Labels | void;

/** What a property counts that a case has many of, and after how many of them a line says so. */
interface Progress {
  readonly every: number;
  /** The thing counted, in the plural. */
  readonly of: string;
  /** How many were tried so far. */
  readonly tried: () => number;
}

export interface Plan<Ts extends readonly unknown[]> {
  /** Cases of a commit, and of a night where twenty times as many are too few or too many. */
  readonly runs: number;
  readonly nightly?: number;
  /** Tells apart several properties of one test. */
  readonly name?: string;
  /** What a case is an example of. Without it the predicate answers the labels, and the sample is really tried. */
  readonly classes?: (...values: Ts) => Labels;
  /** The least share of the sample that bears each label, above 0 and at most 1. */
  readonly shares: Readonly<Record<string, number>>;
  /** How many cases of the fixed seed are classified. */
  readonly sample?: number;
  /** For what takes long: how far it has come is printed as it goes. */
  readonly progress?: Progress;
  /** Report the first failure as it came: for cases that take seconds each. `quick` always does. */
  readonly endOnFailure?: boolean;
}

/** Smaller cases tried after a failure: a case of a thousand parts has more smaller ones than anybody waits for. */
const SHRINKS_MAX = 1_000;

/** Where failed cases are kept; tests of this file hand in their own. */
export interface Keeper {
  readonly known: () => readonly Regression[];
  readonly keep: (found: Regression) => void;
}

const files: Keeper = { known: readRegressions, keep: addRegression };

/** Tries a predicate on every case: throws with seed, path and the command that repeats the failure. */
export function forAll<Ts extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Ts>,
  holds: (...values: NoInfer<Ts>) => RunLabels,
  plan: NoInfer<Plan<Ts>>,
  keeper: Keeper = files,
): void {
  const trial = trialOf(arbitraries, plan, keeper);
  const property = fc.property(trial.cases, (values) => {
    if (trial.isTerminal()) return;
    try {
      trial.tell(holds(...values));
    } catch (error) {
      trial.failed();
      throw error;
    }
  });
  for (const known of trial.known) {
    try {
      fc.assert(property, known);
    } catch (error) {
      throwUnlessLost(error);
    }
  }
  if (trial.sampled !== undefined) fc.assert(property, trial.sampled);
  trial.expectShares();
  fc.assert(property, trial.fresh);
  trial.close();
}

/** The same for a predicate that waits. */
export async function forAllAsync<Ts extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Ts>,
  holds: (...values: NoInfer<Ts>) => Promise<RunLabels>,
  plan: NoInfer<Plan<Ts>>,
  keeper: Keeper = files,
): Promise<void> {
  const trial = trialOf(arbitraries, plan, keeper);
  const property = fc.asyncProperty(trial.cases, async (values) => {
    if (trial.isTerminal()) return;
    try {
      trial.tell(await holds(...values));
    } catch (error) {
      trial.failed();
      throw error;
    }
  });
  for (const known of trial.known) await fc.assert(property, known).catch(throwUnlessLost);
  if (trial.sampled !== undefined) await fc.assert(property, trial.sampled);
  trial.expectShares();
  await fc.assert(property, trial.fresh);
  trial.close();
}

/** What both forms run: kept cases, the fixed sample where only trying tells, then fresh ones. */
function trialOf<Ts extends [unknown, ...unknown[]]>(arbitraries: Arbitraries<Ts>, plan: Plan<Ts>, keeper: Keeper) {
  const name = propertyName(plan.name);
  const cases = fc.tuple(...arbitraries) as unknown as fc.Arbitrary<Ts>;
  const labels: Labels[] = [];
  const started = performance.now();
  const goOn = progressOf(name, plan.progress, started);
  const told = (numRuns: number, seed: number): fc.Parameters<[Ts]> => ({
    numRuns,
    seed,
    endOnFailure: plan.endOnFailure === true || profile === "quick",
    reporter: (details) => report(details, name, keeper),
  });
  const known = replays(name, keeper).map(({ seed, path }) => ({ ...told(1, seed), ...(path === "" ? {} : { path }) }));
  const sample = plan.sample ?? SAMPLE;
  const { classes } = plan;
  let isFresh = false;
  let shrinksLeft = Number.POSITIVE_INFINITY;
  const tries = classes === undefined && profile !== "quick";
  return {
    cases,
    known,
    sampled: tries ? told(sample, SHARES_SEED) : undefined,
    fresh: told(runsOf(plan.runs, plan.nightly), seedOf(name)),
    /** Only fresh cases are left out when the night is over: a share counted over fewer would mean nothing. */
    isTerminal(): boolean {
      if (shrinksLeft <= 0) throw new fc.PreconditionFailure(true);
      shrinksLeft -= 1;
      return isFresh && deadline !== undefined && Date.now() > deadline;
    },
    failed: () => {
      shrinksLeft = Math.min(shrinksLeft, SHRINKS_MAX);
    },
    tell(sends: RunLabels) {
      labels.push(sends ?? []);
      goOn();
    },
    expectShares() {
      isFresh = true;
      if (classes === undefined && !tries) return;
      const told = classes ? samples(cases, sample).map((values) => classes(...values)) : labels.slice(-sample);
      expectShares(name, plan.shares, told);
    },
    close: () => noteTried(name, labels.length, performance.now() - started),
  };
}

/** Prints a line each time that so many more were tried; nobody waits for a night without hearing of it. */
function progressOf(name: string, progress: Progress | undefined, started: number): () => void {
  let steps = 0;
  return () => {
    if (progress === undefined) return;
    const tried = progress.tried();
    const reached = Math.floor(tried / progress.every);
    if (reached <= steps) return;
    steps = reached;
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`${name}\n  ${tried} ${progress.of} after ${seconds} s`);
  };
}

/** fast-check refuses a path that its generator no longer has; there is nothing left to replay then. */
function throwUnlessLost(error: unknown): void {
  if (!/Unable to replay/.test(String(error))) throw error;
}

/** Cases of a fixed seed: for planted bugs and tables, never instead of a property. */
export function samples<T>(arbitrary: fc.Arbitrary<T>, count: number): T[] {
  return fc.sample(arbitrary, { numRuns: count, seed: SHARES_SEED });
}

/** The test that runs, as its file and full name. */
function propertyName(part: string | undefined): string {
  const { currentTestName, testPath } = expect.getState();
  const file = (testPath ?? "").replace(/^.*[\\/](?=test[\\/])/, "").replaceAll("\\", "/");
  return [file, currentTestName, part].filter((each) => each !== undefined && each !== "").join(" > ");
}

/** The file and the pattern that make vitest run this test alone. */
function testOf(name: string): string {
  const [file = ""] = name.split(" > ");
  const { currentTestName = "" } = expect.getState();
  const pattern = currentTestName.replaceAll(" > ", " ").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return `${file} -t ${JSON.stringify(pattern)}`;
}

/** What runs before anything new: the case that `OFS_REPLAY` names alone, else every kept case of this property. */
function replays(name: string, keeper: Keeper): readonly Pick<Regression, "seed" | "path">[] {
  const asked = process.env.OFS_REPLAY?.split("/");
  if (asked !== undefined) return [{ seed: Number(asked[0]), path: asked[1] ?? "" }];
  return keeper.known().filter(({ property }) => property === name);
}

/** Keeps a failed case and throws what fast-check says of it, with the command that repeats it. */
function report<T>(details: fc.RunDetails<T>, name: string, keeper: Keeper): void {
  if (!details.failed) return;
  const path = details.counterexamplePath ?? "";
  const cause = details.errorInstance;
  const error = String(cause instanceof Error ? cause.message : cause).split("\n")[0] ?? "";
  // The case as it was drawn: a way of a hundred steps to a smaller one takes minutes to go again.
  const [drawn = ""] = path.split(":");
  if (profile !== "quick") keeper.keep({ property: name, seed: details.seed, path: drawn, error });
  const again = `OFS_REPLAY=${details.seed}/${path} npx vitest run ${testOf(name)}`;
  throw new Error(`${fc.defaultReportMessage(details)}\n\nRun seed ${runSeed}. Again: ${again}`, { cause });
}

/** How many cases bear each label. */
export function countLabels(cases: readonly Labels[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const labels of cases) for (const label of new Set(labels)) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

function expectShares(name: string, shares: Plan<[]>["shares"], cases: readonly Labels[]): void {
  const counts = countLabels(cases);
  const found = [...counts].sort(([, a], [, b]) => b - a).map(([label, count]) => `${label} ${count}`);
  const distribution = `${cases.length} cases: ${found.join(", ")}`;
  if (process.env.OFS_DISTRIBUTION !== undefined) console.log(`${name}\n  ${distribution}`);
  const short = Object.entries(shares).filter(
    ([label, share]) => (counts.get(label) ?? 0) < Math.max(1, share * cases.length),
  );
  const wanted = short.map(([label, share]) => `"${label}" in ${share * 100} %`);
  if (short.length > 0) throw new Error(`The generator makes too few cases of ${wanted.join(", ")}; ${distribution}`);
}
