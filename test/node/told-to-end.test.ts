/**
 * Goal: a node that is told to end does so in order, whenever that comes: while it starts, with its `ready` line, and
 * again while it stops. It ends with code 0, loses no row, and has packed its ledger.
 * Method: the real command, in processes that tell themselves to end in the moment in which they write a certain line.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHECKPOINT_FILE } from "../../adapters/sqlite/checkpoint-file.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { advertisementData } from "../gossip/advertisements.ts";
import { argumentsOf, call, startNode } from "./node-process.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-told-to-end-"));
const [ledger, teller] = [join(folder, "ledger"), join(folder, "teller.mjs")];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Where the process stands is certain: a signal to oneself is there before anything else happens. */
const TELLER = `
const [at, signal] = process.env.OFS_TEST_TOLD.split("|");
for (const stream of [process.stdout, process.stderr]) {
  const { write } = stream;
  stream.write = function (text, ...more) {
    const done = write.call(this, text, ...more);
    if (at.split("+").some((each) => String(text).includes(each))) process.kill(process.pid, signal);
    return done;
  };
}
`;

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

/** Starts the node of the ledger, which tells itself to end as it writes any of these; resolves at its end. */
function toldAt(signal: "SIGTERM" | "SIGINT", ...lines: readonly string[]): Promise<Ended> {
  const options = { NODE_OPTIONS: `--import ${pathToFileURL(teller)}`, OFS_TEST_TOLD: `${lines.join("+")}|${signal}` };
  const child = spawn(process.execPath, argumentsOf(ledger, "--log", "info"), { env: { ...process.env, ...options } });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += String(text)));
  child.stderr.on("data", (text) => (err += String(text)));
  return new Promise((resolve) => child.once("close", (code, ended) => resolve({ code, signal: ended, out, err })));
}

const checkpoints = () => readdirSync(ledger).filter((name) => name.startsWith(CHECKPOINT_FILE));

beforeAll(async () => {
  writeFileSync(teller, TELLER);
  const node = await startNode(ledger);
  const data = advertisementData("kept", BigInt(Date.now()) as EpochMillis, "tagged");
  expect(await call(node.rpc, "sendAdvertisementCreate", { data })).toMatchObject({ result: expect.anything() });
  await node.stop();
  for (const name of checkpoints()) rmSync(join(ledger, name));
});

test.each(["SIGTERM", "SIGINT"] as const)("%s that comes with the `ready` line is heeded", async (signal) => {
  const { out, err, ...ended } = await toldAt(signal, "ready rpc=");
  expect(ended).toEqual({ code: 0, signal: null });
  expect(out).toMatch(/^ready /);
  expect(err).toContain("stopped");
  expect(checkpoints()).toHaveLength(1);
});

test("one that comes while it starts ends it, without a `ready` line", async () => {
  const { out, err, ...ended } = await toldAt("SIGTERM", "begun with a checkpoint");
  expect(ended).toEqual({ code: 0, signal: null });
  expect(out).toBe("");
  expect(err).toContain("stopped");
});

test("one that comes again while it stops changes nothing", async () => {
  const { err, ...ended } = await toldAt("SIGTERM", "ready rpc=", "stopping");
  expect([ended.code, ended.signal]).toEqual([0, null]);
  expect(err).toContain("stopped");
});

test("what was taken is there", async () => {
  const node = await startNode(ledger);
  expect(await call(node.rpc, "getAdvertisement", { id: "kept" })).toMatchObject({ result: { id: "kept" } });
  await node.stop();
});
