/**
 * Jobs of a command, run in processes of this machine or handed to any machine. What comes of a job is the same
 * wherever it is run. Source: DESIGN sections 5 "Speed", 8 "work over many machines".
 */
import type { Job } from "../queue/job.ts";
import { FailedJob, LostProcess, openJobProcess } from "./job-process.ts";
import type { Surroundings } from "./surroundings.ts";
import type { UsageError } from "./usage.ts";

/** Where jobs are run. */
export interface JobPlace {
  /** Processes beside each other. */
  readonly workers: number;
  /** The URL of the Redis through which they are handed to any machine instead. */
  readonly queue?: string;
}

/** Who is told what came of jobs, in the order in which they end. */
export interface JobsTaker {
  readonly done: (job: Job, result: unknown) => void;
  /** It came to nothing; why, in words. */
  readonly lost: (job: Job, cause: string) => void;
  /** Of a queue, how many workers there are, whenever that was looked at. */
  readonly seen?: (workers: number) => void;
}

/** What was handed out and nobody ran, and why, where nobody asked for that. */
export interface JobsLeft {
  readonly withdrawn: readonly Job[];
  readonly cause: UsageError | undefined;
}

/** Processes that end in a row without finishing any job: these will not finish the next either. */
const LOST_IN_A_ROW_MAX = 3;

/** Fails with a line that ends the command where jobs cannot be run there. */
export async function checkJobPlace({ queue }: JobPlace): Promise<void> {
  if (queue === undefined) return;
  const { openRedis } = await import("../queue/redis.ts");
  const { codeHere } = await import("../queue/code.ts");
  const redis = await openRedis(queue, { role: "coordinator", code: codeHere(), slots: 0 });
  redis.end();
}

/** Runs jobs until there are none, or until the surroundings say to stop: what runs then is finished. */
export async function runJobsAt(
  jobs: Iterator<Job>,
  { workers, queue }: JobPlace,
  around: Surroundings,
  taker: JobsTaker,
): Promise<JobsLeft> {
  if (queue !== undefined) {
    const { runJobs } = await import("../queue/coordinator.ts");
    const { codeHere } = await import("../queue/code.ts");
    const terms = { url: queue, code: codeHere(), notice: (line: string) => around.err(`${line}\n`) };
    return await runJobs(jobs, terms, around.stop, taker);
  }
  await Promise.all(Array.from({ length: workers }, () => runInProcesses(jobs, around, taker)));
  return { withdrawn: [], cause: undefined };
}

/** One process after the other, each until it ends: jobs that others were given go on. */
async function runInProcesses(jobs: Iterator<Job>, around: Surroundings, { done, lost }: JobsTaker): Promise<void> {
  const place = openJobProcess(around);
  let inARow = 0;
  while (!around.stop.aborted) {
    const next = jobs.next();
    if (next.done === true) break;
    const job = next.value;
    try {
      const result = await place.run(job);
      inARow = 0;
      done(job, result);
    } catch (error) {
      if (!(error instanceof LostProcess || error instanceof FailedJob)) throw error;
      lost(job, error.message);
      inARow += 1;
      if (inARow === LOST_IN_A_ROW_MAX) throw new Error(`no process that runs ${job.kind}s lives: ${error.message}`);
    }
  }
  place.end();
}
