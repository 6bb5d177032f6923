/**
 * Runs of many seeds, one after the other in this process, spread over processes of their own, or over machines: each
 * begins the next seed when it is done with one, so no slow seed holds up others. What comes of a seed is the same
 * wherever it is run. Source: DESIGN sections 5 "Speed", 8 "work over many machines".
 */
import { FailedJob, LostProcess, openJobProcess } from "./job-process.ts";
import { seedJob, seedResult } from "./seed-job.ts";
import type { SeedChoices, SeedsLeft, SeedTaker } from "./seed-run.ts";
import { runSeed } from "./seed-run.ts";
import type { Surroundings } from "./surroundings.ts";

/** Where seeds are run. */
export interface SeedPlace {
  /** Processes beside each other; one is this process. */
  readonly workers: number;
  /** The URL of the Redis through which they are handed to any machine instead. */
  readonly queue?: string;
  /** What breaks a law ends all. */
  readonly stopAtFirst: boolean;
}

/** Fails with a line that ends the command where seeds cannot be run there. */
export async function checkPlace({ queue }: SeedPlace, choices: SeedChoices, around: Surroundings): Promise<void> {
  if (queue !== undefined) await (await import("./queued-seeds.ts")).checkQueue(queue, choices, around);
}

/** Processes that end in a row without finishing any seed: these will not finish the next either. */
const LOST_IN_A_ROW_MAX = 3;

/** Runs seeds until there are none, or until the surroundings say to stop: what runs then is finished. */
export async function runSeeds(
  seeds: Iterator<bigint>,
  { workers, queue, stopAtFirst }: SeedPlace,
  choices: SeedChoices,
  outside: Surroundings,
  given: SeedTaker,
): Promise<SeedsLeft> {
  const broken = new AbortController();
  const around = { ...outside, stop: AbortSignal.any([outside.stop, broken.signal]) };
  const taker: SeedTaker = {
    ...given,
    done(result) {
      if (stopAtFirst && result.report.violations.length > 0) broken.abort();
      given.done(result);
    },
  };
  const left = whileWanted(seeds, around.stop);
  if (queue !== undefined) {
    return await (await import("./queued-seeds.ts")).runQueuedSeeds(left, queue, choices, around, taker);
  }
  if (workers > 1) {
    await Promise.all(Array.from({ length: workers }, () => runInProcesses(left, choices, around, taker)));
    return { stopped: around.stop.aborted };
  }
  for (let next = left.next(); next.done !== true; next = left.next()) {
    taker.done(await runSeed(next.value, choices, around));
    // A signal is noticed only between two turns of the event loop.
    await new Promise(setImmediate);
  }
  return { stopped: around.stop.aborted };
}

function* whileWanted(seeds: Iterator<bigint>, stop: AbortSignal): Generator<bigint> {
  while (!stop.aborted) {
    const next = seeds.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/** One process after the other, each until it ends: seeds that others were given go on. */
async function runInProcesses(
  seeds: Iterator<bigint>,
  choices: SeedChoices,
  around: Surroundings,
  { done, lost }: SeedTaker,
): Promise<void> {
  const jobs = openJobProcess(around);
  let inARow = 0;
  for (let next = seeds.next(); next.done !== true; next = seeds.next()) {
    const seed = next.value;
    try {
      const result = await jobs.run(seedJob(seed, choices));
      inARow = 0;
      done(seedResult(result));
    } catch (error) {
      if (!(error instanceof LostProcess || error instanceof FailedJob)) throw error;
      lost(seed, error.message);
      inARow += 1;
      if (inARow === LOST_IN_A_ROW_MAX) throw new Error(`no process that runs seeds lives: ${error.message}`);
    }
  }
  jobs.end();
}
