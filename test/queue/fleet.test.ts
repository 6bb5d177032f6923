/**
 * Goal: `fuzz` and `sweep` through a queue come to the bytes that they come to alone, whatever becomes of workers; a
 * violation ends all where that is wanted; what is interrupted says how to go on (DESIGN sections 6, 8).
 * Method: the command line in this process and `worker` in others, over small worlds of data, with a real Redis.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, assert, beforeAll, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import type { Surroundings } from "../../node/sim/surroundings.ts";
import { openBackends } from "../../sim/backends.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import { ownPlace } from "../own-place.ts";
import { needsRedis } from "../requirements.ts";
import { silent } from "../sim/silent-scenario.ts";
import { toySurroundings } from "../sim/toy-surroundings.ts";
import { until } from "../until.ts";
import type { RedisServer } from "./redis-server.ts";
import { openRedisServer } from "./redis-server.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-fleet-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string) => join(folder, name);
const ofsSim = join(import.meta.dirname, "..", "..", "node", "bin", "ofs-sim.mjs");

/** A study with little in it, and a world in which a law is broken. */
const study = new URL("../../scenarios/studies/time-to-converge.json", import.meta.url);
const small = { ...(JSON.parse(readFileSync(study, "utf8")) as object), lasts: 40_000 };
writeFileSync(at("small.json"), JSON.stringify(small));
writeFileSync(at("silent.json"), JSON.stringify(silent));

interface Worker {
  readonly lines: string[];
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
}
const open: Worker[] = [];

/** A worker that runs two jobs at once. */
function startWorker(url: string): Worker {
  const child = spawn(process.execPath, [ofsSim, "worker", "--queue", url, "--workers", "2"]);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (one) => lines.push(one));
  const worker = { lines, child, ended: new Promise<number | null>((resolve) => child.on("close", resolve)) };
  open.push(worker);
  return worker;
}

async function command(args: readonly string[], more: Partial<Surroundings> = {}) {
  const around = { ...toySurroundings(false), backends: async () => openBackends(), launcher: ofsSim, ...more };
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

const swept = ["sweep", at("small.json"), "--param", "loss=0,0.1", "--param", "nodes=4,5", "--seeds", "7..9"];
const none = ["--repros", at("none"), "--tries", "1"];

needsRedis("commands through a queue", (server) => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await openRedisServer(server);
  });
  afterEach(async () => {
    for (const { child, ended } of open.splice(0)) {
      child.kill("SIGKILL");
      await ended;
    }
  });
  afterAll(() => redis.remove());

  function makesTheSame(): void {
    test("a sweep makes the same bytes, though a worker is killed in the middle", async () => {
      assert.equal((await command([...swept, "--csv", at("one.csv"), "--workers", "1"])).code, 0);
      const first = startWorker(redis.url);
      startWorker(redis.url);
      let done = 0;
      const wallMs = () => {
        done += 1;
        if (done === 6) first.child.kill("SIGKILL");
        return done;
      };
      const { code, out } = await command([...swept, "--csv", at("two.csv"), "--queue", redis.url], { wallMs });
      assert.equal(code, 0, out);
      assert.match(out, /\nOK sweep runs=12 of=12 broken=0 lost=0\n$/);
      assert.equal(readFileSync(at("two.csv"), "utf8"), readFileSync(at("one.csv"), "utf8"));
    });

    test("a fuzz prints the same, and finds the same", async () => {
      const fuzz = ["fuzz", "--seeds", "1..6", "--scenario", at("small.json"), ...none];
      const alone = await command([...fuzz, "--workers", "1"]);
      const rest = (out: string) => out.slice(out.indexOf("\n"));
      assert.equal(alone.code, 0, alone.out);
      assert.equal(rest((await command([...fuzz, "--workers", "2"])).out), rest(alone.out));
      startWorker(redis.url);
      const queued = await command([...fuzz, "--queue", redis.url]);
      assert.deepEqual([queued.code, rest(queued.out)], [0, rest(alone.out)]);
      const json = [...fuzz, "--json"];
      assert.equal(
        (await command([...json, "--queue", redis.url])).out,
        (await command([...json, "--workers", "1"])).out,
      );
    });
  }
  test("scopes are walked by workers as they are here", async () => {
    const explore = ["explore", "--all", "--states", "300", "--repros", at("none")];
    const alone = await command([...explore, "--workers", "1"]);
    assert.equal(alone.code, 2, alone.out + alone.err);
    assert.match(alone.out, /^disputed-trade: \d+ states, \d+ moves deep, \d+ distinct core steps; not complete/);
    const many = scopes.length;
    assert.match(alone.out, new RegExp(`\nBOUND explore scopes=${many} of=${many} complete=\\d broken=0 lost=0\n$`));
    startWorker(redis.url);
    const queued = await command([...explore, "--queue", redis.url]);
    assert.deepEqual([queued.code, queued.out], [alone.code, alone.out]);
  });

  function ends(): void {
    test("the first violation ends all, and how to go on is said", async () => {
      startWorker(redis.url);
      for (const place of [
        ["--workers", "1"],
        ["--workers", "2"],
        ["--queue", redis.url],
      ]) {
        const args = [
          "fuzz",
          "--seeds",
          "1..5000",
          "--scenario",
          at("silent.json"),
          "--stop-at-first",
          ...none,
          ...place,
        ];
        const { code, out } = await command(args);
        assert.equal(code, 1, out);
        assert.match(out, /\nended at the first; fuzz --seeds \d+\.\.5000 goes on\nFAILED fuzz runs=\d{1,3} /);
      }
    });

    test("interrupted, a sweep keeps what is done; what it says goes on comes to the same bytes", async () => {
      await command([...swept, "--csv", at("whole.csv"), "--workers", "1"]);
      const stop = new AbortController();
      let looks = 0;
      const wallMs = () => {
        looks += 1;
        if (looks === 6) stop.abort();
        return looks;
      };
      startWorker(redis.url);
      const args = [...swept, "--csv", at("part.csv"), "--queue", redis.url];
      const { code, out } = await command(args, { stop: stop.signal, wallMs });
      assert.equal(code, 130, out);
      assert.include(out, `--csv ${at("part.csv")} --resume ${at("part.csv")} goes on\n`);
      assert.isBelow(readFileSync(at("part.csv"), "utf8").split("\n").length, 14);
      assert.equal((await command([...args, "--resume", at("part.csv")])).code, 0);
      assert.equal(readFileSync(at("part.csv"), "utf8"), readFileSync(at("whole.csv"), "utf8"));
    });

    test("a worker that is told to stop ends with 0", async () => {
      const worker = startWorker(redis.url);
      await until(() => worker.lines.some((line) => line.startsWith("worker: code ")));
      worker.child.kill("SIGTERM");
      assert.equal(await worker.ended, 0, worker.lines.join("\n"));
    });
  }

  makesTheSame();
  ends();
});

test("without a Redis every command is refused in one line, and no file is touched", async () => {
  const { host, port } = ownPlace();
  const url = `redis://${host}:${port}`;
  for (const args of [
    ["worker", "--queue", url],
    ["fuzz", "--seeds", "1..2", "--queue", url],
    ["explore", "--all", "--queue", url],
    [...swept, "--csv", at("never.csv"), "--queue", url],
  ]) {
    const { code, out, err } = await command(args);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^Redis at redis:\/\/127\.[\d.]+:\d+ cannot be used: [^\n]*ECONNREFUSED[^\n]*\n$/);
  }
  assert.throws(() => readFileSync(at("never.csv")));
  const { code, err } = await command(["fuzz", "--seeds", "1", "--scenario", "toy-stuck", "--queue", url]);
  assert.equal(code, 2);
  assert.match(err, /^toy-stuck cannot be sent to other machines: [^\n]+\n$/);
  assert.deepEqual(
    (await command(["worker", "--queue", "http://here"])).err,
    "--queue takes the URL of a Redis, for example redis://127.0.0.1:6379.\n",
  );
});
