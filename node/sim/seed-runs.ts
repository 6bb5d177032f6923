/**
 * Runs of many seeds, one after the other in this process, spread over processes of their own, or over machines: each
 * begins the next seed when it is done with one, so no slow seed holds up others. What comes of a seed is the same
 * wherever it is run. Source: DESIGN sections 5 "Speed", 8 "work over many machines".
 */
import type { JobPlace } from "./job-places.ts";
import { checkJobPlace, runJobsAt } from "./job-places.ts";
import { seedJob, seedResult, sentScenario } from "./seed-job.ts";
import type { SeedChoices, SeedsLeft, SeedTaker } from "./seed-run.ts";
import { runSeed } from "./seed-run.ts";
import type { Surroundings } from "./surroundings.ts";

/** Where seeds are run; one process is this one. */
export interface SeedPlace extends JobPlace {
  /** What breaks a law ends all. */
  readonly stopAtFirst: boolean;
}

/** Fails with a line that ends the command where seeds cannot be run there. */
export async function checkPlace(place: SeedPlace, choices: SeedChoices, around: Surroundings): Promise<void> {
  if (place.queue !== undefined) await sentScenario(choices, around);
  await checkJobPlace(place);
}

/** Runs seeds until there are none, or until the surroundings say to stop: what runs then is finished. */
export async function runSeeds(
  seeds: Iterator<bigint>,
  place: SeedPlace,
  choices: SeedChoices,
  outside: Surroundings,
  given: SeedTaker,
): Promise<SeedsLeft> {
  const broken = new AbortController();
  const around = { ...outside, stop: AbortSignal.any([outside.stop, broken.signal]) };
  const taker: SeedTaker = {
    ...given,
    done(result) {
      if (place.stopAtFirst && result.report.violations.length > 0) broken.abort();
      given.done(result);
    },
  };
  if (place.queue !== undefined || place.workers > 1) return await runAsJobs(seeds, place, choices, around, taker);
  while (!around.stop.aborted) {
    const next = seeds.next();
    if (next.done === true) break;
    taker.done(await runSeed(next.value, choices, around));
    // A signal is noticed only between two turns of the event loop.
    await new Promise(setImmediate);
  }
  return { stopped: around.stop.aborted };
}

async function runAsJobs(
  seeds: Iterator<bigint>,
  place: SeedPlace,
  choices: SeedChoices,
  around: Surroundings,
  { done, lost, seen }: SeedTaker,
): Promise<SeedsLeft> {
  const text = place.queue === undefined ? undefined : await sentScenario(choices, around);
  const { withdrawn, cause } = await runJobsAt(jobsOf(seeds, choices, text), place, around, {
    done: (_, result) => done(seedResult(result)),
    lost: ({ name }, reason) => lost(BigInt(name), reason),
    ...(seen !== undefined && { seen }),
  });
  const left = withdrawn.map(({ name }) => BigInt(name));
  const first = left.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  return { stopped: around.stop.aborted, first, cause };
}

function* jobsOf(seeds: Iterator<bigint>, choices: SeedChoices, text: string | undefined) {
  for (let next = seeds.next(); next.done !== true; next = seeds.next()) yield seedJob(next.value, choices, text);
}
