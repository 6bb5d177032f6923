/**
 * Goal: whatever happens to workers and to Redis, every job has one result, and what nobody runs is given back
 * (DESIGN section 8 "work over many machines").
 * Method: a real Redis, workers in processes of their own that are killed in the middle, and a coordinator here that
 * counts. Everything waits for what was said, and nothing for a time.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterAll, afterEach, assert, beforeAll, test } from "vitest";
import type { QueueTerms } from "../../node/queue/coordinator.ts";
import { PREFIX, queueOf, runJobs } from "../../node/queue/coordinator.ts";
import type { Job } from "../../node/queue/job.ts";
import { idOf, sentJob } from "../../node/queue/job.ts";
import { serveJobs } from "../../node/queue/worker.ts";
import { ownPlace } from "../own-place.ts";
import { needsRedis } from "../requirements.ts";
import { until } from "../until.ts";
import { openCutConnection } from "./cut-connection.ts";
import { openMuteRedis } from "./mute-redis.ts";
import type { RedisServer } from "./redis-server.ts";
import { openRedisServer } from "./redis-server.ts";

/** What people read of a hash. */
const short = (hash: string) => hash.slice(0, 12);

/** A fresh code for every test: queues of one do not see the other's. */
let tests = 0;
function freshHash(): string {
  tests += 1;
  return createHash("sha256").update(String(tests)).digest("hex");
}

interface Worker {
  readonly lines: string[];
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}

const open: Worker[] = [];
function startWorker(url: string, hash: string, slots = 4, lockMs = 1_000): Worker {
  const script = join(import.meta.dirname, "counting-worker.mjs");
  const child = spawn(process.execPath, [script, url, hash, String(slots), String(lockMs)]);
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line));
  createInterface({ input: child.stderr }).on("line", (line) => lines.push(line));
  const worker = { lines, child, ended: new Promise<number | null>((resolve) => child.on("close", resolve)) };
  open.push(worker);
  return worker;
}

function* numbers(first: number, last: number, kind = "square"): Generator<Job> {
  for (let number = first; number <= last; number++) yield { kind, name: String(number), options: {} };
}

interface Handed {
  readonly done: Map<string, unknown>;
  readonly lost: Map<string, string>;
  readonly notices: string[];
  readonly stop: AbortController;
  readonly times: Map<string, number>;
}

function hand(jobs: Iterator<Job>, terms: Pick<QueueTerms, "url"> & { readonly hash: string } & Partial<QueueTerms>) {
  const handed: Handed = {
    done: new Map(),
    lost: new Map(),
    notices: [],
    stop: new AbortController(),
    times: new Map(),
  };
  const { hash, ...others } = terms;
  const count = (name: string) => handed.times.set(name, (handed.times.get(name) ?? 0) + 1);
  const left = runJobs(
    jobs,
    { code: { version: "1.0.0", hash }, notice: (line) => handed.notices.push(line), lookEveryMs: 200, ...others },
    handed.stop.signal,
    {
      done(job, result) {
        count(job.name);
        handed.done.set(job.name, result);
      },
      lost(job, cause) {
        count(job.name);
        handed.lost.set(job.name, cause);
      },
    },
  );
  return { ...handed, left };
}

/** Waits for so many results, or for the end of it all: what fails there fails here. */
async function cameTo(handed: ReturnType<typeof hand>, count: number): Promise<void> {
  await Promise.race([until(() => handed.done.size >= count), handed.left]);
}

function checkAll({ done, times }: Handed, count: number): void {
  assert.equal(done.size, count);
  for (const [name, result] of done) assert.deepEqual(result, { square: Number(name) ** 2 });
  assert.isTrue([...times.values()].every((one) => one === 1));
}

needsRedis("a queue", (command) => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await openRedisServer(command);
  });
  afterEach(async () => {
    for (const { child, ended } of open.splice(0)) {
      child.kill("SIGKILL");
      await ended;
    }
  });
  afterAll(() => redis.remove());

  function losesNothing(): void {
    test("10,000 jobs have one result each, while workers are killed and Redis starts anew", async () => {
      const hash = freshHash();
      const workers = [startWorker(redis.url, hash), startWorker(redis.url, hash)];
      const handed = hand(numbers(1, 10_000), { url: redis.url, hash });
      for (const share of [1_000, 2_500]) {
        await cameTo(handed, share);
        workers.shift()?.child.kill("SIGKILL");
        workers.push(startWorker(redis.url, hash));
      }
      await cameTo(handed, 4_000);
      await redis.kill();
      await until(() => handed.notices.some((line) => line.endsWith("is away; it is waited for")));
      await redis.start();
      await cameTo(handed, 8_000);
      for (const worker of workers.splice(0)) worker.child.kill("SIGKILL");
      workers.push(startWorker(redis.url, hash));
      assert.deepEqual(await handed.left, { withdrawn: [], cause: undefined });
      checkAll(handed, 10_000);
      assert.isTrue(handed.notices.some((line) => line.endsWith("is back")));
    });

    test("a connection that is cut amid the answers to what was handed out loses no job", async () => {
      const cut = await openCutConnection(redis.url);
      const hash = freshHash();
      const handed = hand(numbers(1, 200), { url: cut.url, hash });
      startWorker(redis.url, hash);
      assert.deepEqual(await handed.left, { withdrawn: [], cause: undefined });
      checkAll(handed, 200);
      assert.isTrue(cut.wasCut);
      await cut.close();
    });

    test("a Redis that comes back empty is handed every job again", async () => {
      const own = await openRedisServer(command, ["--appendonly", "no"]);
      const hash = freshHash();
      const handed = hand(numbers(1, 200), { url: own.url, hash });
      await until(() => handed.notices.length > 0);
      await own.kill();
      await own.start();
      const worker = startWorker(own.url, hash);
      assert.deepEqual(await handed.left, { withdrawn: [], cause: undefined });
      checkAll(handed, 200);
      worker.child.kill("SIGTERM");
      assert.equal(await worker.ended, 0);
      await own.remove();
    });
  }
  function leavesOthersAlone(): void {
    test("without a worker of its code it says so once, and which others there are", async () => {
      const [hash, other] = [freshHash(), freshHash()];
      const stranger = startWorker(redis.url, other);
      await until(() => stranger.lines.some((line) => line.startsWith("worker: code 1.0.0, ")));
      const handed = hand(numbers(1, 3), { url: redis.url, hash });
      await until(() => handed.notices.length > 0);
      const here = redis.url;
      const others = `only workers with 1.0.0, ${short(other)}`;
      assert.deepEqual(handed.notices, [
        `no worker with this code (1.0.0, ${short(hash)}) is at ${here}, ${others}; jobs wait for one`,
      ]);
      const second = startWorker(redis.url, other);
      await until(() => second.lines.some((line) => line.includes("are left for others")));
      assert.include(
        second.lines,
        `jobs for other code (1.0.0, ${hash.slice(0, 12)}) are left for others; this is 1.0.0, ${other.slice(0, 12)}`,
      );
      startWorker(redis.url, hash);
      await handed.left;
      checkAll(handed, 3);
      assert.equal(handed.notices.length, 1);
      assert.isFalse([...stranger.lines, ...second.lines].some((line) => line.startsWith("begins")));
    });

    test("a job that fails is lost with its cause, and the others go on", async () => {
      const hash = freshHash();
      startWorker(redis.url, hash);
      const jobs = [...numbers(1, 5), { kind: "fail", name: "6", options: {} }, ...numbers(7, 9)];
      const handed = hand(jobs.values(), { url: redis.url, hash });
      await handed.left;
      checkAll(handed, 8);
      assert.deepEqual([...handed.lost], [["6", "it fails"]]);
    });
  }
  function stops(): void {
    test("told to stop, it takes back what nobody runs, and takes what is being run", async () => {
      const hash = freshHash();
      let free: () => void = () => undefined;
      const freed = new Promise<void>((resolve) => {
        free = resolve;
      });
      const [begun, stopWorker]: [string[], AbortController] = [[], new AbortController()];
      const serving = serveJobs(
        {
          ...{ url: redis.url, code: { version: "1.0.0", hash }, slots: 2, notice: () => undefined },
          async run({ name }) {
            begun.push(name);
            await freed;
            return { square: Number(name) ** 2 };
          },
        },
        stopWorker.signal,
      );
      const handed = hand(numbers(1, 100), { url: redis.url, hash });
      await until(() => begun.length === 2);
      handed.stop.abort();
      free();
      const { withdrawn } = await handed.left;
      checkAll(handed, handed.done.size);
      assert.isAtLeast(handed.done.size, 2);
      const names = [...handed.done.keys(), ...withdrawn.map(({ name }) => name)];
      assert.equal(new Set(names).size, 64, "what was never handed out is not given back");
      stopWorker.abort();
      await serving;
      assert.sameMembers(begun, [...handed.done.keys()]);
    });
  }
  function stopsHandingOut(): void {
    test("told to stop while it hands out, it hands out no more", async () => {
      const hash = freshHash();
      const worker = startWorker(redis.url, hash, 64);
      await until(() => worker.lines.some((line) => line.startsWith("worker: code 1.0.0, ")));
      // 64 are added at once, and 128 may be out: the stop comes before the first 64 are there.
      function* numbersUntilStop(): Generator<Job> {
        for (const job of numbers(1, 200)) {
          if (job.name === "64") handed.stop.abort();
          yield job;
        }
      }
      const handed = hand(numbersUntilStop(), { url: redis.url, hash });
      const { withdrawn } = await handed.left;
      checkAll(handed, handed.done.size);
      const names = [...handed.done.keys(), ...withdrawn.map(({ name }) => name)];
      assert.sameMembers(
        names,
        Array.from({ length: 64 }, (_, place) => String(place + 1)),
      );
    });
  }
  function takesUp(): void {
    test("a job whose worker was lost is another's after its lock", async () => {
      const hash = freshHash();
      const first = startWorker(redis.url, hash, 1, 500);
      const waits: Job = { kind: "wait", name: "1", options: {} };
      const handed = hand([waits].values(), { url: redis.url, hash });
      await until(() => first.lines.includes("begins 1"));
      first.child.kill("SIGKILL");
      const second = startWorker(redis.url, hash, 1, 500);
      await until(() => second.lines.includes("begins 1"));
      assert.isTrue(second.lines.some((line) => line.endsWith("its worker is lost; it is run again")));
      handed.stop.abort();
      second.child.kill("SIGKILL");
      const { withdrawn } = await handed.left;
      assert.deepEqual(withdrawn, [waits]);
    });

    test("what a former command left there is taken and not run again", async () => {
      const hash = freshHash();
      const worker = startWorker(redis.url, hash);
      const client = new Redis(redis.url, { maxRetriesPerRequest: null });
      const queue = new Queue(queueOf({ version: "1.0.0", hash }), { connection: client, prefix: PREFIX });
      for (const job of numbers(1, 8)) {
        const sent = sentJob(job, hash);
        await queue.add("job", sent, { jobId: idOf(sent) });
      }
      await until(async () => (await queue.getCompletedCount()) === 8);
      const handed = hand(numbers(1, 8), { url: redis.url, hash });
      await handed.left;
      checkAll(handed, 8);
      assert.equal(worker.lines.filter((line) => line.startsWith("begins")).length, 8);
      assert.equal(await queue.count(), 0);
      assert.equal(await queue.getCompletedCount(), 0, "what was taken is forgotten");
      await queue.close();
      client.disconnect();
    });
  }
  function refuses(): void {
    test("a Redis that is away, that asks for a password, or that does not come back, is one line", async () => {
      const { host, port } = ownPlace();
      const nobody = `redis://:secret@${host}:${port}`;
      const refused = (url: string) =>
        hand(numbers(1, 1), { url, hash: freshHash() }).left.then(
          () => "",
          (error: Error) => `${error.name}: ${error.message}`,
        );
      assert.match(
        await refused(nobody),
        /^UsageError: Redis at redis:\/\/127\.[\d.]+:\d+ cannot be used: .*ECONNREFUSED/,
      );
      assert.match(await refused("http://127.0.0.1"), /^UsageError: --queue takes the URL of a Redis/);
      const locked = await openRedisServer(command, ["--requirepass", "other"]);
      assert.match(await refused(locked.url), /^UsageError: Redis at .* cannot be used: .*NOAUTH/);
      process.env.OFS_QUEUE_PASSWORD = "other";
      const known = hand(numbers(1, 0), { url: locked.url, hash: freshHash() });
      assert.deepEqual(await known.left, { withdrawn: [], cause: undefined });
      delete process.env.OFS_QUEUE_PASSWORD;
      await locked.remove();
    });

    test.each([0, 10])(
      "a Redis that does not come back after %i results is one line, and what is out is given back",
      async (before) => {
        const own = await openRedisServer(command);
        const hash = freshHash();
        const worker = startWorker(own.url, hash);
        const waiting: Job[] = [1, 2, 3, 4, 5].map((number) => ({ kind: "wait", name: String(number), options: {} }));
        const jobs = [...numbers(101, 100 + before), ...waiting];
        const handed = hand(jobs.values(), { url: own.url, hash, patienceMs: 1 });
        await until(() => worker.lines.includes("begins 1"));
        await cameTo(handed, before);
        await own.remove();
        const { withdrawn, cause } = await handed.left;
        assert.sameDeepMembers([...withdrawn], waiting);
        assert.match(cause?.message ?? "", /^Redis at .* went away and did not come back\.$/);
      },
    );

    test.each(["client", "info", "xrevrange"])("what never answers %s is one line", async (asked) => {
      const mute = await openMuteRedis(redis.url, asked);
      const handed = hand(numbers(1, 1), { url: mute.url, hash: freshHash(), answerMs: 200 });
      const told = await handed.left.then(
        () => "",
        (error: Error) => `${error.name}: ${error.message}`,
      );
      assert.match(told, /^UsageError: Redis at redis:\/\/127\.0\.0\.1:\d+ cannot be used: it does not answer\.$/);
      await mute.close();
    });
  }

  losesNothing();
  leavesOthersAlone();
  stops();
  stopsHandingOut();
  takesUp();
  refuses();
});
