/**
 * What a job of each kind does, and the process that runs one job after the other. A row is all that a new kind takes:
 * whoever hands jobs out knows none of them. Source: DESIGN section 8 "work over many machines".
 */
import { createInterface } from "node:readline";
import type { Job } from "../queue/job.ts";
import { runScopeJob, SCOPE_KIND } from "./explore-all.ts";
import { runSeedJob, SEED_KIND } from "./seed-job.ts";
import type { Surroundings } from "./surroundings.ts";
import { UsageError } from "./usage.ts";

const kinds: Readonly<Record<string, (job: Job, around: Surroundings) => Promise<unknown>>> = {
  [SCOPE_KIND]: runScopeJob,
  [SEED_KIND]: runSeedJob,
};

/** Answers a line of JSON to every job on a line of the input, until that ends. */
export async function jobWorkerCommand(around: Surroundings): Promise<number> {
  for await (const line of createInterface({ input: process.stdin })) {
    const told = await runJob(JSON.parse(line) as Job, around).then(
      (result) => ({ result }),
      (error: unknown) => {
        if (error instanceof UsageError) return { failed: error.message };
        throw error;
      },
    );
    around.out(`${JSON.stringify(told)}\n`);
  }
  return 0;
}

/** What comes of a job, as plain data. */
async function runJob(job: Job, around: Surroundings): Promise<unknown> {
  const run = Object.hasOwn(kinds, job.kind) ? kinds[job.kind] : undefined;
  if (run === undefined) throw new UsageError(`There is no job of the kind "${job.kind.slice(0, 40)}".`);
  return await run(job, around);
}
