/**
 * Goal: the parts of the queue that need no Redis: which code this is, what a job is, when it is refused, which Redis
 * serves, who is connected, and results in their order (DESIGN section 8).
 * Method: each alone, over folders, texts and numbers that are made up.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import { codeHere, codeIn, codeText } from "../../node/queue/code.ts";
import { idOf, receivedJob, sentJob } from "../../node/queue/job.ts";
import { checkVersion, peersIn, placeOf } from "../../node/queue/redis.ts";
import { commandLine } from "../../node/sim/command-line.ts";
import { inOrder } from "../../node/sim/in-order.ts";
import { toySurroundings } from "../sim/toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-code-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A package with these files below its folder. */
function packageOf(name: string, files: Readonly<Record<string, string>>, version = "1.0.0"): string {
  const top = join(folder, name);
  for (const [path, content] of Object.entries({ "package.json": JSON.stringify({ version }), ...files })) {
    mkdirSync(join(top, path, ".."), { recursive: true });
    writeFileSync(join(top, path), content);
  }
  return top;
}

test("code is the same where sources, programs and version are, built or not", () => {
  const files = { "core/a.ts": "1", "sim/b/c.ts": "2", "adapters/p/escrow.so": "3" };
  const checkout = packageOf("checkout", files);
  const { hash } = codeIn(checkout, checkout);
  const installed = packageOf("installed", { "core/a.ts": "1", "core/a.d.ts": "x", "sim/b/c.ts": "2" });
  cpSync(join(checkout, "adapters"), join(installed, "dist", "adapters"), { recursive: true });
  assert.equal(codeIn(installed, join(installed, "dist")).hash, hash);
  const others = [
    packageOf("source", { ...files, "core/a.ts": "9" }),
    packageOf("moved", { "core/z.ts": "1", "sim/b/c.ts": "2", "adapters/p/escrow.so": "3" }),
    packageOf("program", { ...files, "adapters/p/escrow.so": "9" }),
    packageOf("version", files, "1.0.1"),
  ].map((top) => codeIn(top, top).hash);
  assert.equal(new Set([hash, ...others]).size, 5);
  assert.equal(codeHere().hash, codeHere().hash);
  assert.match(codeText(codeHere()), /^\d+\.\d+\.\d+, [0-9a-f]{12}$/);
});

test("a job is its own, and is refused where it is another's, damaged or none", () => {
  const job = { kind: "seed", name: "7", scenario: "{}", options: { store: "memory" } };
  const sent = sentJob(job, "code");
  const read = receivedJob(JSON.parse(JSON.stringify(sent)), "code");
  assert.deepEqual(read.ok && read.value, job);
  const refused = (data: unknown, code = "code") => {
    const answer = receivedJob(data, code);
    return answer.ok ? undefined : answer.error;
  };
  assert.deepEqual(refused(sent, "other"), { reason: "it is for other code, code", isForOthers: true });
  const damaged = { reason: "its scenario is not the one that was sent", isForOthers: false };
  assert.deepEqual(refused({ ...sent, scenario: "{ }" }), damaged);
  assert.deepEqual(refused({ ...sent, scenario: undefined }), damaged);
  for (const none of [undefined, null, 3, {}, { ...sent, options: null }])
    assert.deepEqual(refused(none), { reason: "it is no job", isForOthers: false });
  const ids = [
    sent,
    sentJob(job, "other"),
    ...[{ name: "8" }, { kind: "scope" }, { scenario: "{ }" }, { options: {} }].map((one) => {
      return sentJob({ ...job, ...one }, "code");
    }),
  ].map(idOf);
  assert.equal(new Set(ids).size, 6);
  assert.equal(idOf(sentJob({ ...job }, "code")), ids[0]);
});

test("a Redis that is too old is refused, and one that is new enough not", () => {
  for (const version of ["6.2.0", "6.2.19", "7.0.15", "8.0.0"]) {
    assert.doesNotThrow(() => checkVersion(`# Server\r\nredis_version:${version}\r\nos:Linux`, "there"));
  }
  expect(() => checkVersion("redis_version:6.0.16\r\n", "there")).toThrow("Redis at there is 6.0.16; 6.2 or later");
  expect(() => checkVersion("nothing", "there")).toThrow("Redis at there is unknown");
});

test("a place has no password", () => {
  assert.equal(placeOf("rediss://me:secret@queue.example:6380/2"), "rediss://queue.example:6380/2");
  for (const none of ["", "queue.example:6379", "http://queue.example", "redis://"])
    expect(() => placeOf(none)).toThrow("--queue takes the URL of a Redis");
});

test("who is connected is read off the names of connections", () => {
  const hash = "ab".repeat(32);
  const list = [
    `id=3 addr=1.1.1.1:2 name=ofs-coordinator:1.0.0:${hash}:0:here:12 age=1`,
    `id=4 addr=1.1.1.1:3 name=ofs-worker:1.0.0:${hash}:16:there:9 age=1`,
    "id=5 addr=1.1.1.1:4 name=ofs:abc age=1",
    "id=6 addr=1.1.1.1:5 name= age=1",
  ].join("\n");
  const code = { version: "1.0.0", hash };
  assert.deepEqual(peersIn(list), [
    { role: "coordinator", code, slots: 0 },
    { role: "worker", code, slots: 16 },
  ]);
});

test("things are handed on in their order, and what waits in the end too", () => {
  const seen: string[] = [];
  const order = inOrder<string>(3n, (one) => seen.push(one));
  for (const [number, one] of [
    [4n, "four"],
    [6n, "six"],
    [3n, "three"],
    [9n, "nine"],
  ] as const)
    order.put(number, one);
  assert.deepEqual(seen, ["three", "four"]);
  order.flush();
  assert.deepEqual(seen, ["three", "four", "six", "nine"]);
});

const refusals: readonly (readonly [args: readonly string[], line: RegExp])[] = [
  [["worker"], /^Required option '--queue <url>' not specified\.\n$/],
  [["worker", "--queue", "here"], /^--queue takes the URL of a Redis, for example redis:\/\/127\.0\.0\.1:6379\.\n$/],
  [["worker", "--queue", "redis://x", "--workers", "0"], /^--workers takes a whole number from 1 to 256, not "0"\.\n$/],
  [["explore", "panel", "--all"], /^explore takes a scope or --all, not both\.\n$/],
  [["explore", "panel", "--queue", "redis://x"], /^--queue is for explore --all\.\n$/],
];

test.each(refusals)("refuses %j in one line", async (args, line) => {
  const around = toySurroundings(false);
  assert.equal(await commandLine(args, around), 2);
  assert.match(around.complained.join(""), line);
  assert.deepEqual(around.printed, []);
});
