/**
 * Goal: a node that was stopped, or killed, begins with its last checkpoint and what changed since, and answers as
 * before; one whose checkpoint is wrong reads its rows, says why, and has lost nothing it acknowledged (L9). A running
 * node has checkpoints made beside it, and names none that comes to anything else than it holds itself.
 * Method: nodes in this process over real ledgers, and real processes that are told to end or killed; each told
 * advertisements, whose list has to be the same after every start; a planted bug.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CHECKPOINT_FILE } from "../../adapters/sqlite/checkpoint-file.ts";
import type { EpochMillis } from "../../core/index.ts";
import type { Line } from "../../node/production/logs.ts";
import type { RunningNode } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import { until } from "../until.ts";
import { call, startNode as startProcess } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-node-checkpoint-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Run {
  readonly node: RunningNode;
  /** What it logged about checkpoints. */
  readonly logged: readonly string[];
  readonly reasons: readonly unknown[];
}

async function started(ledger: string, more: Partial<Parameters<typeof startNode>[0]> = {}): Promise<Run> {
  const lines: Line[] = [];
  const result = await startNode({ ledger, log: (line) => lines.push(line), ...more });
  if (!result.ok) throw new Error(result.error.reason);
  const about = () => lines.filter(({ event }) => event.includes("checkpoint"));
  return {
    node: result.value,
    get logged() {
      return about().map(({ level, event }) => `${level} ${event}`);
    },
    get reasons() {
      return about().map(({ fields }) => fields["reason"]);
    },
  };
}

async function send(url: string, id: string): Promise<void> {
  const data = advertisementData(id, BigInt(Date.now()) as EpochMillis);
  expect(await call(url, "sendAdvertisementCreate", { data })).toHaveProperty("result");
}

const listed = async (url: string) => JSON.stringify((await call(url, "getAdvertisements", {})).result);

/** The one checkpoint beside a ledger. */
function fileIn(ledger: string): string {
  const files = readdirSync(ledger).filter((name) => name.startsWith(CHECKPOINT_FILE));
  expect(files.length).toBe(1);
  return join(ledger, files[0] ?? "");
}

const WRITTEN = "info checkpoint written";
const BEGUN = "info begun with a checkpoint";
const DROPPED = "warn checkpoint dropped, reading the ledger row by row";

test("a node that was closed begins with its checkpoint, again and again, and goes on", async () => {
  const ledger = join(folder, "closed");
  let list = "";
  for (const [start, expected] of [[WRITTEN], [BEGUN, WRITTEN], [BEGUN, WRITTEN]].entries()) {
    const run = await started(ledger);
    if (start > 0) expect(await listed(run.node.rpc.url)).toBe(list);
    await send(run.node.rpc.url, `start-${start}`);
    list = await listed(run.node.rpc.url);
    expect(list).toContain(`start-${start}`);
    await run.node.close();
    expect(run.logged).toEqual(expected);
  }
  // The rows have it all as well.
  rmSync(fileIn(ledger));
  const run = await started(ledger);
  expect(await listed(run.node.rpc.url)).toBe(list);
  await run.node.close();
  expect(run.logged).toEqual([DROPPED, WRITTEN]);
});

test.each([
  ["a byte of it changed", (bytes: Buffer) => bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)],
  ["it was cut short", (bytes: Buffer) => bytes.subarray(0, bytes.length - 9)],
  ["it is of another format", (bytes: Buffer) => bytes.fill("9", 15, 16)],
  ["it is empty", () => Buffer.alloc(0)],
])("a checkpoint is dropped and named where %s", async (name, damage) => {
  const ledger = join(folder, name.replaceAll(" ", "-"));
  const first = await started(ledger);
  await send(first.node.rpc.url, "kept");
  const list = await listed(first.node.rpc.url);
  await first.node.close();
  const path = fileIn(ledger);
  writeFileSync(path, damage(readFileSync(path)));
  const run = await started(ledger);
  expect(run.logged).toEqual([DROPPED]);
  expect(run.reasons[0]).toMatch(/^(its|it) /);
  expect(await listed(run.node.rpc.url)).toBe(list);
  await run.node.close();
  expect(run.logged).toEqual([DROPPED, WRITTEN]);
});

test("a life that is recorded begins with the rows", async () => {
  const ledger = join(folder, "recorded");
  const first = await started(ledger);
  await send(first.node.rpc.url, "kept");
  await first.node.close();
  const run = await started(ledger, { record: { path: join(folder, "life"), redacted: false } });
  await run.node.close();
  expect(run.logged).toEqual([WRITTEN]);
});

test("a node that was killed begins with its checkpoint and what changed since", async () => {
  const ledger = join(folder, "killed");
  const first = await started(ledger);
  await send(first.node.rpc.url, "first");
  await first.node.close();
  const process = await startProcess(ledger);
  await send(process.rpc, "second");
  const list = await listed(process.rpc);
  await process.kill();
  const run = await started(ledger);
  expect(run.logged).toEqual([BEGUN]);
  expect(await listed(run.node.rpc.url)).toBe(list);
  expect(list).toContain("second");
  await run.node.close();
});

test("a running node has checkpoints made beside it, and a killed one begins with the last", async () => {
  const ledger = join(folder, "running");
  const run = await started(ledger, { checkpointEvery: 4 });
  for (let n = 0; n < 6; n++) await send(run.node.rpc.url, `sent-${n}`);
  await until(() => run.logged.includes(WRITTEN));
  await send(run.node.rpc.url, "later");
  const list = await listed(run.node.rpc.url);
  await run.node.close();
  expect(run.logged.filter((line) => line.startsWith("warn"))).toEqual([]);
  const next = await started(ledger);
  expect(next.logged).toEqual([BEGUN]);
  expect(await listed(next.node.rpc.url)).toBe(list);
  await next.node.close();
});

test("a checkpoint that comes to other roots than the node has is not named", async () => {
  const ledger = join(folder, "differs");
  const bug = {
    file: "node/production/checkpoint-maker.ts",
    find: "const roots = known ?? rootsAtRest(driver);",
    replace: 'const roots = { statements: "", facts: "", state: "", archive: "" };',
  };
  await withPlantedBug(bug, async (load) => {
    const planted = await load<typeof import("../../node/production/start-node.ts")>("node/production/start-node.ts");
    const lines: Line[] = [];
    const node = await planted.startNode({ ledger, checkpointEvery: 1, log: (line) => lines.push(line) });
    if (!node.ok) throw new Error(node.error.reason);
    await send(node.value.rpc.url, "kept");
    await until(() => lines.some(({ event }) => event === "no checkpoint was made"));
    const reasons = lines.flatMap(({ event, fields }) => (event === "no checkpoint was made" ? fields["reason"] : []));
    expect(reasons[0]).toBe("it comes to other roots than the node has");
    expect(readdirSync(ledger).filter((name) => name.startsWith(CHECKPOINT_FILE))).toEqual([]);
    await node.value.close();
  });
});
