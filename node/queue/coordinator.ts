/**
 * Hands jobs out through a Redis and takes each result once. Events bring results; from time to time, and when a lost
 * connection is back, every job that is out is looked at, so that neither a lost event nor a Redis that forgot loses
 * one. Source: DESIGN section 8 "work over many machines".
 */
import { Queue, QueueEvents } from "bullmq";
import { UsageError } from "../sim/usage.ts";
import type { Code } from "./code.ts";
import { codeText } from "./code.ts";
import type { Job } from "./job.ts";
import { idOf, sentJob } from "./job.ts";
import type { QueueRedis } from "./redis.ts";
import { openRedis } from "./redis.ts";

/** How jobs are handed out. */
export interface QueueTerms {
  readonly url: string;
  readonly code: Code;
  /** Takes a line for people. */
  readonly notice: (line: string) => void;
  /** For how long a Redis is waited for that was not there yet, in milliseconds. */
  readonly answerMs?: number | undefined;
  /** For how long a Redis that went away is waited for, in milliseconds. */
  readonly patienceMs?: number;
  /** Between two looks at all jobs that are out, in milliseconds. */
  readonly lookEveryMs?: number;
}

/** Who is told what came of jobs, each once, in the order in which they end. */
export interface JobTaker {
  readonly done: (job: Job, result: unknown) => void;
  /** It was run and did not come to a result; why, in words. */
  readonly lost: (job: Job, cause: string) => void;
  /** Workers and what they run at once, whenever that was looked at. */
  readonly seen?: (workers: number, slots: number) => void;
}

/** What was handed out and came to nothing. */
export interface Left {
  /** Jobs that nobody ran, in their order. */
  readonly withdrawn: readonly Job[];
  /** Why no more were handed out, where nobody asked for that: a line that ends the command. */
  readonly cause: UsageError | undefined;
}

/** The prefix of all keys, and the name of the one kind of entry that BullMQ is handed. */
export const PREFIX = "ofs";
const ENTRY = "job";
/** Jobs that are out at once: so many whatever happens, then for every job that workers run at once, then at most. */
const [OUT_LEAST, OUT_A_SLOT, OUT_MAX] = [64, 2, 4_096];
/** Jobs that are added at once. */
const BATCH = 64;
const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 5_000;
/** Seconds that what nobody takes stays in Redis: a sweep that is begun again within a day finds what was run. */
const KEPT_S = 86_400;

/** The queue of jobs for one code: other code never sees them. */
export function queueOf({ hash }: Code): string {
  return `jobs-${hash.slice(0, 16)}`;
}

/** Runs all jobs, or until it is told to stop: what is being run then is waited for, and the rest taken back. */
export async function runJobs(
  jobs: Iterator<Job>,
  terms: QueueTerms,
  stop: AbortSignal,
  taker: JobTaker,
): Promise<Left> {
  const redis = await openRedis(terms.url, { role: "coordinator", code: terms.code, slots: 0 }, terms.answerMs);
  const name = queueOf(terms.code);
  const { listener, newest } = await redis.openListener(`${PREFIX}:${name}:events`);
  const queue = new Queue(name, {
    ...{ connection: redis.client, prefix: PREFIX, skipVersionCheck: true },
    defaultJobOptions: { removeOnComplete: { age: KEPT_S }, removeOnFail: { age: KEPT_S } },
  });
  const events = new QueueEvents(name, {
    ...{ connection: listener, prefix: PREFIX, skipVersionCheck: true },
    lastEventId: newest,
  });
  // A connection that is lost is waited for below.
  queue.on("error", () => undefined);
  events.on("error", () => undefined);
  const round = new Round(jobs, terms, { redis, queue, stop, taker });
  events.on("completed", ({ jobId, returnvalue }) => round.take(jobId, returnvalue));
  events.on("failed", ({ jobId, failedReason }) => round.lose(jobId, failedReason));
  try {
    return await round.over();
  } finally {
    redis.end();
    await Promise.allSettled([events.close(), queue.close()]);
  }
}

interface Parts {
  readonly redis: QueueRedis;
  readonly queue: Queue;
  readonly stop: AbortSignal;
  readonly taker: JobTaker;
}

/** The jobs that are out, by their ids, and what is to be done about them next. */
class Round {
  readonly #out = new Map<string, Job>();
  readonly #withdrawn: Job[] = [];
  readonly #taken: string[] = [];
  #jobs: Iterator<Job>;
  #terms: QueueTerms;
  #parts: Parts;
  #hasMore = true;
  #slots = 0;
  #isAlone = false;
  #wake: () => void = () => undefined;
  #isDue = true;

  constructor(jobs: Iterator<Job>, terms: QueueTerms, parts: Parts) {
    this.#jobs = jobs;
    this.#terms = terms;
    this.#parts = parts;
  }

  /** A job's result, once: whoever ran it a second time is not asked. */
  take(id: string, result: unknown): void {
    const job = this.#ended(id);
    if (job !== undefined) this.#parts.taker.done(job, result);
  }

  lose(id: string, cause: string): void {
    const job = this.#ended(id);
    if (job !== undefined) this.#parts.taker.lost(job, cause);
  }

  #ended(id: string): Job | undefined {
    const job = this.#out.get(id);
    if (job === undefined) return undefined;
    this.#out.delete(id);
    this.#taken.push(id);
    this.#wake();
    return job;
  }

  /** Goes on until nothing is out, nobody is waited for any more, or Redis stays away. */
  async over(): Promise<Left> {
    const { redis, stop } = this.#parts;
    const { patienceMs = PATIENCE_MS, lookEveryMs = LOOK_EVERY_MS, notice } = this.#terms;
    const look = () => {
      this.#isDue = true;
      this.#wake();
    };
    const looking = setInterval(look, lookEveryMs);
    let patience: NodeJS.Timeout | undefined;
    let goneFor: () => void = () => undefined;
    const gone = new Promise<string>((resolve) => {
      goneFor = () => resolve("went away and did not come back");
    });
    redis.client.on("close", () => {
      if (patience !== undefined) return;
      notice(`Redis at ${redis.place} is away; it is waited for`);
      patience = setTimeout(goneFor, patienceMs);
    });
    redis.client.on("ready", () => {
      if (patience !== undefined) notice(`Redis at ${redis.place} is back`);
      clearTimeout(patience);
      patience = undefined;
      look();
    });
    stop.addEventListener("abort", look);
    try {
      const refused = await Promise.race([gone, this.#work().catch(refusalOf)]);
      if (refused === undefined) return { withdrawn: this.#withdrawn, cause: undefined };
      const cause = new UsageError(`Redis at ${redis.place} ${refused}.`);
      return { withdrawn: [...this.#withdrawn, ...this.#out.values()], cause };
    } finally {
      clearInterval(looking);
      clearTimeout(patience);
      stop.removeEventListener("abort", look);
      redis.client.removeAllListeners("close").removeAllListeners("ready");
    }
  }

  async #work(): Promise<undefined> {
    const { stop } = this.#parts;
    let isWithdrawn = false;
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#forget();
      if (this.#isDue) {
        this.#isDue = false;
        await this.#look();
      }
      if (stop.aborted && !isWithdrawn) {
        isWithdrawn = true;
        await this.#withdraw();
      }
      await this.#fill();
      if (this.#out.size === 0 && (stop.aborted || !this.#hasMore)) break;
      if (stop.aborted && this.#isAlone) {
        this.#withdrawn.push(...this.#out.values());
        break;
      }
      await woken;
    }
    await this.#forget();
    return undefined;
  }

  /** Takes from Redis what was taken from it. */
  async #forget(): Promise<void> {
    await Promise.all(this.#taken.splice(0).map((id) => this.#parts.queue.remove(id)));
  }

  /** Hands out as many as may be out; a stop while a batch is sent ends that too. */
  async #fill(): Promise<void> {
    const { stop } = this.#parts;
    const most = Math.min(OUT_MAX, Math.max(OUT_LEAST, OUT_A_SLOT * this.#slots));
    while (!stop.aborted && this.#hasMore && this.#out.size < most) {
      const batch: [string, Job][] = [];
      while (batch.length < BATCH && this.#out.size < most) {
        const next = this.#jobs.next();
        if (next.done === true) {
          this.#hasMore = false;
          break;
        }
        const id = idOf(sentJob(next.value, this.#terms.code.hash));
        this.#out.set(id, next.value);
        batch.push([id, next.value]);
      }
      await this.#send(batch);
    }
  }

  async #send(batch: readonly (readonly [string, Job])[]): Promise<void> {
    if (batch.length === 0) return;
    const { hash } = this.#terms.code;
    // Each by itself: a command whose answer was lost with the connection is sent again, a pipeline is not.
    await Promise.all(batch.map(([jobId, job]) => this.#parts.queue.add(ENTRY, sentJob(job, hash), { jobId })));
    // What a former command left there has a result already, and says so to nobody.
    await Promise.all(batch.map(([id]) => this.#lookAt(id)));
  }

  /** Looks at who is there and at every job that is out; hands out anew what Redis does not know any more. */
  async #look(): Promise<void> {
    await this.#lookForWorkers();
    const out = [...this.#out];
    const known = await Promise.all(out.map(([id]) => this.#lookAt(id)));
    await this.#send(out.filter(([id], place) => !known[place] && this.#out.has(id)));
  }

  /** Whether Redis knows a job; takes what came of it where it ended. */
  async #lookAt(id: string): Promise<boolean> {
    const found = await this.#parts.queue.getJob(id);
    if (found?.finishedOn === undefined) return found !== undefined;
    if (found.failedReason !== undefined) this.lose(id, found.failedReason);
    else this.take(id, found.returnvalue);
    return true;
  }

  async #lookForWorkers(): Promise<void> {
    const { redis, taker } = this.#parts;
    const { code, notice } = this.#terms;
    const workers = (await redis.peers())?.filter(({ role }) => role === "worker");
    if (workers === undefined) return;
    const ours = workers.filter((one) => one.code.hash === code.hash);
    this.#slots = ours.reduce((sum, { slots }) => sum + slots, 0);
    taker.seen?.(ours.length, this.#slots);
    const isAlone = ours.length === 0;
    if (isAlone && !this.#isAlone) {
      const others = [...new Set(workers.map((one) => codeText(one.code)))];
      const there = others.length === 0 ? "no other either" : `only workers with ${others.join("; ")}`;
      notice(`no worker with this code (${codeText(code)}) is at ${redis.place}, ${there}; jobs wait for one`);
    }
    this.#isAlone = isAlone;
  }

  /** Takes back what nobody runs yet: out of the list that workers take from, in one step, so that nobody begins it. */
  async #withdraw(): Promise<void> {
    const { queue, redis } = this.#parts;
    const take = async ([id, job]: [string, Job]) => {
      if ((await redis.client.lrem(queue.toKey("wait"), 1, id)) !== 1) return;
      this.#out.delete(id);
      this.#taken.push(id);
      this.#withdrawn.push(job);
    };
    await Promise.all([...this.#out].map(take));
  }
}

/** What Redis said to a command that it did not take. */
function refusalOf(error: unknown): string {
  if (error instanceof Error && error.name === "ReplyError") return `refuses: ${error.message}`;
  throw error;
}
