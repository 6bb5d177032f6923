/**
 * Goal: a node that was stopped begins with its checkpoint and answers as before; one that was killed, and one whose
 * checkpoint is wrong, reads its rows, says why, and has lost nothing it acknowledged (L9).
 * Method: nodes in this process over real ledgers, and a real process that is told to end or killed; each told
 * advertisements, whose list has to be the same after every start.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { CHECKPOINT_FILE } from "../../adapters/sqlite/checkpoint-file.ts";
import type { EpochMillis } from "../../core/index.ts";
import type { Line } from "../../node/production/logs.ts";
import type { RunningNode } from "../../node/production/start-node.ts";
import { startNode } from "../../node/production/start-node.ts";
import { advertisementData } from "../gossip/advertisements.ts";
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
  rmSync(join(ledger, CHECKPOINT_FILE));
  const run = await started(ledger);
  expect(await listed(run.node.rpc.url)).toBe(list);
  await run.node.close();
  expect(run.logged).toEqual([WRITTEN]);
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
  const path = join(ledger, CHECKPOINT_FILE);
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

test("a node that was killed has lost nothing, and its checkpoint is not believed", async () => {
  const ledger = join(folder, "killed");
  const first = await started(ledger);
  await send(first.node.rpc.url, "first");
  await first.node.close();
  const process = await startProcess(ledger);
  await send(process.rpc, "second");
  const list = await listed(process.rpc);
  await process.kill();
  const run = await started(ledger);
  expect(run.logged).toEqual([DROPPED]);
  expect(run.reasons).toEqual(["the ledger was opened since"]);
  expect(await listed(run.node.rpc.url)).toBe(list);
  expect(list).toContain("second");
  await run.node.close();
});
