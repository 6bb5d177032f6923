/**
 * Runs the jobs of one code that a Redis holds, so many at once, until it is told to stop. What this worker was running
 * when it was lost is run by another: its lock on the job ends. Source: DESIGN section 8 "work over many machines".
 */
import { DelayedError, UnrecoverableError, Worker } from "bullmq";
import type { Code } from "./code.ts";
import { codeText } from "./code.ts";
import { PREFIX, queueOf } from "./coordinator.ts";
import type { Job } from "./job.ts";
import { receivedJob } from "./job.ts";
import type { QueueRedis } from "./redis.ts";
import { openRedis } from "./redis.ts";

/** How jobs are run. */
export interface WorkerTerms {
  readonly url: string;
  readonly code: Code;
  /** Jobs that are run at once. */
  readonly slots: number;
  /** What comes of a job, as plain data; fails with what people are told. */
  readonly run: (job: Job) => Promise<unknown>;
  /** Takes a line for people. */
  readonly notice: (line: string) => void;
  /** Ends after so many milliseconds without a job, where that is wanted. */
  readonly idleMs?: number;
  /** For how long a job belongs to a worker that says nothing, in milliseconds. */
  readonly lockMs?: number;
}

const LOCK_MS = 10_000;
/** How often, of a lock's time, jobs are looked for whose worker is lost. */
const LOOKS_A_LOCK = 3;
/** Workers that one job may take with it: it ends as lost after that. */
const WORKERS_LOST_MAX = 3;
/** For how long a job that this worker cannot run is left to others before it is offered again, in milliseconds. */
const LEFT_MS = 5_000;
/** Between two looks at whose jobs there are, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/** Serves until it is told to stop, or has been idle; what runs then is finished first. */
export async function serveJobs(terms: WorkerTerms, stop: AbortSignal): Promise<void> {
  const { url, code, slots, notice, lockMs = LOCK_MS, idleMs } = terms;
  const redis = await openRedis(url, { role: "worker", code, slots });
  const rest = new Rest(idleMs);
  const served = (entry: Entry, token?: string) => rest.during(() => ran(entry, token, terms));
  const worker = new Worker(queueOf(code), served, {
    ...{ connection: redis.client, prefix: PREFIX, skipVersionCheck: true, concurrency: slots },
    ...{ lockDuration: lockMs, stalledInterval: Math.ceil(lockMs / LOOKS_A_LOCK), maxStalledCount: WORKERS_LOST_MAX },
    ...{ runRetryDelay: Math.min(lockMs, LOOK_EVERY_MS), drainDelay: 1 },
  });
  worker.on("error", () => undefined);
  worker.on("stalled", (id) => notice(`job ${id}: its worker is lost; it is run again`));
  redis.client.on("close", () => notice(`Redis at ${redis.place} is away; it is waited for`));
  const watching = watchOthers(redis, code, notice);
  notice(`worker: code ${codeText(code)}, ${slots} at once, ${redis.place}`);
  await Promise.race([toldToStop(stop), rest.isLong]);
  clearInterval(watching);
  redis.client.removeAllListeners("close");
  // Without Redis there is nobody to tell what is still being run.
  await worker.close(redis.client.status !== "ready");
  redis.end();
}

/** The entry of a job while BullMQ hands it to this worker. */
interface Entry {
  readonly id?: string | undefined;
  readonly data: unknown;
  moveToDelayed(at: number, token?: string): Promise<void>;
}

async function ran(entry: Entry, token: string | undefined, { code, run, notice }: WorkerTerms): Promise<unknown> {
  const job = receivedJob(entry.data, code.hash);
  if (!job.ok && job.error.isForOthers) {
    notice(`job ${entry.id} is left for others: ${job.error.reason}`);
    await entry.moveToDelayed(Date.now() + LEFT_MS, token);
    throw new DelayedError();
  }
  try {
    if (!job.ok) throw new Error(`refused: ${job.error.reason}`);
    return await run(job.value);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    notice(`${job.ok ? `${job.value.kind} ${job.value.name}` : `job ${entry.id}`}: ${cause}`);
    throw new UnrecoverableError(cause);
  }
}

/** Says once of each other code that its jobs are left for others. */
function watchOthers(redis: QueueRedis, code: Code, notice: (line: string) => void): NodeJS.Timeout {
  const noticed = new Set([code.hash]);
  const look = async () => {
    for (const one of (await redis.peers().catch(() => undefined)) ?? []) {
      if (one.role !== "coordinator" || noticed.has(one.code.hash)) continue;
      noticed.add(one.code.hash);
      notice(`jobs for other code (${codeText(one.code)}) are left for others; this is ${codeText(code)}`);
    }
  };
  void look();
  return setInterval(look, LOOK_EVERY_MS);
}

function toldToStop(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    else stop.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** How long nothing has been run. */
class Rest {
  /** Resolves once that was as long as is wanted. */
  readonly isLong: Promise<void>;
  #idleMs: number | undefined;
  #ended: () => void = () => undefined;
  #running = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(idleMs: number | undefined) {
    this.#idleMs = idleMs;
    this.isLong = new Promise((resolve) => {
      this.#ended = resolve;
    });
    this.#begin();
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#begin();
    }
  }

  #begin(): void {
    if (this.#idleMs !== undefined) this.#timer = setTimeout(this.#ended, this.#idleMs);
  }
}
