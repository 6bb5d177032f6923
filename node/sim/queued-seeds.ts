/**
 * Seeds that any machine runs: each is a job that a Redis holds until a worker with this code takes it. Source: DESIGN
 * section 8 "work over many machines".
 */
import { codeHere } from "../queue/code.ts";
import { runJobs } from "../queue/coordinator.ts";
import type { Job } from "../queue/job.ts";
import { openRedis } from "../queue/redis.ts";
import { seedJob, seedResult, sentScenario } from "./seed-job.ts";
import type { SeedChoices, SeedsLeft, SeedTaker } from "./seed-run.ts";
import type { Surroundings } from "./surroundings.ts";

/** Fails with a line that ends the command where this Redis, or this scenario, does not serve. */
export async function checkQueue(url: string, choices: SeedChoices, around: Surroundings): Promise<void> {
  await sentScenario(choices, around);
  const { client } = await openRedis(url, { role: "coordinator", code: codeHere(), slots: 0 });
  client.disconnect();
}

/** Hands all seeds out and takes what comes of them. */
export async function runQueuedSeeds(
  seeds: Iterator<bigint>,
  url: string,
  choices: SeedChoices,
  around: Surroundings,
  taker: SeedTaker,
): Promise<SeedsLeft> {
  const text = await sentScenario(choices, around);
  const terms = { url, code: codeHere(), notice: (line: string) => around.err(`${line}\n`) };
  const { withdrawn, cause } = await runJobs(jobsOf(seeds, choices, text), terms, around.stop, {
    done: (_, result) => taker.done(seedResult(result)),
    lost: ({ name }, reason) => taker.lost(BigInt(name), reason),
    seen: (workers) => taker.seen?.(workers),
  });
  const left = withdrawn.map(({ name }) => BigInt(name));
  const first = left.reduce<bigint | undefined>((a, b) => (a === undefined || b < a ? b : a), undefined);
  return { stopped: around.stop.aborted, first, cause };
}

function* jobsOf(seeds: Iterator<bigint>, choices: SeedChoices, text: string | undefined): Generator<Job> {
  for (let next = seeds.next(); next.done !== true; next = seeds.next()) yield seedJob(next.value, choices, text);
}
