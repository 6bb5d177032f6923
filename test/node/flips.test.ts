/**
 * Goal: a ledger of which one bit changed on the disk, or a file lost its end, is refused in one line that names it, or
 * opens to what it was: nothing is served wrong, nothing hangs, no library takes the process (L9).
 * Method: a node's own ledger after some trades, with a checkpoint and with changes that came after it; bits drawn over
 * all of its files, each flipped, or cut there, in a copy that a real node opens, in a process of its own. Some here,
 * many by night.
 */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, assert, beforeAll, expect, test } from "vitest";
import { generateKeyFile } from "../../adapters/libp2p/key-file.ts";
import { CHECKPOINT_FILE } from "../../adapters/sqlite/checkpoint-file.ts";
import { openLedger } from "../../adapters/sqlite/ledger.ts";
import type { EpochMillis } from "../../core/kernel/values.ts";
import { startNode } from "../../node/production/start-node.ts";
import { runsOf, seedOf, tries } from "../property/profile.ts";
import { TYPESCRIPT } from "../typescript.ts";
import { tradeOf } from "./trader.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-flips-"));
const [ledger, identity] = [join(folder, "ledger"), join(folder, "identity.json")];
const children: ChildProcessWithoutNullStreams[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const FLIPS = runsOf(10, 1_000);
const CUTS = runsOf(4, 300);
const TRADES = 3;

interface Outcome {
  readonly refused?: string;
  readonly code?: string;
  readonly roots?: object;
  readonly answers?: string;
}

/** A process that opens what it is asked to; answers nothing when it is gone. */
function opener(): (line: string) => Promise<Outcome | undefined> {
  const script = fileURLToPath(new URL("./flips-child.ts", import.meta.url));
  const args = [...TYPESCRIPT, script, ledger, identity, join(folder, "scratch")];
  const child = spawn(process.execPath, args);
  child.stderr.resume();
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (line) => {
    child.stdin.write(`${line}\n`);
    const { done, value } = await lines.next();
    return done === true ? undefined : (JSON.parse(value) as Outcome);
  };
}

/** A node took three trades, was stopped as its operator stops it, and took one more before it was killed. */
async function fill(): Promise<void> {
  const lived = join(folder, "lived");
  mkdirSync(lived, { mode: 0o700 });
  const made = generateKeyFile(identity);
  if (!made.ok) assert.fail("a key file");
  for (const [from, to] of [
    [0, TRADES],
    [TRADES, TRADES + 1],
  ] as const) {
    const node = await startNode({ ledger: lived, identity });
    if (!node.ok) assert.fail(node.error.reason);
    for (let round = from; round < to; round++)
      for (const send of tradeOf(1, round)) {
        const { method, data } = send(BigInt(Date.now()) as EpochMillis);
        await node.value.client().call(method as "sendAdvertisementCreate", { data } as never);
      }
    // What a kill leaves is what lies there now.
    if (from > 0) cpSync(lived, ledger, { recursive: true });
    await node.value.close();
  }
  // SQLite takes the log beside a file for cut short where a bit of it changed: it is folded into the file.
  const opened = openLedger(ledger);
  if (!opened.ok) assert.fail(opened.error.reason);
  await new Promise<void>((closed) => opened.value.close(closed));
  assert.isTrue(readdirSync(ledger).some((name) => name.startsWith(CHECKPOINT_FILE)));
}

/** Places over all files by their sizes, equal for equal seeds of the run. */
function drawnPlaces(what: string): () => string {
  const files = readdirSync(ledger).map((name) => ({ name, size: statSync(join(ledger, name)).size }));
  const whole = files.reduce((sum, { size }) => sum + size, 0);
  let state = seedOf(what) >>> 0;
  const draw = (below: number) => {
    state = (Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x9e3779b9) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return () => {
    let at = draw(whole);
    for (const { name, size } of files) {
      if (at < size) return `${name} ${at} ${draw(8)}`;
      at -= size;
    }
    throw new Error("a place within the files");
  };
}

beforeAll(fill);

/** Opens copies that were damaged so: each is refused in one line that names the ledger, or is what it was. */
async function tryEach(what: string, runs: number, lineOf: (place: string) => string): Promise<void> {
  let open = opener();
  const whole = await open("whole");
  assert.exists(whole?.roots, JSON.stringify(whole));
  const place = drawnPlaces(what);
  for (const _ of tries(what, runs)) {
    const line = lineOf(place());
    const outcome = await open(line);
    if (outcome === undefined) open = opener();
    assert.exists(outcome, `${line}: the process ended without a word`);
    if (outcome.refused === undefined) expect({ line, ...outcome }).toEqual({ line, ...whole });
    else expect({ line, refused: outcome.refused }).toEqual({ line, refused: expect.stringMatching(/LEDGER[^\n]*$/) });
  }
}

test("a bit that flipped is named, or changes nothing", () => tryEach("bits that flip", FLIPS, (place) => place));

test("a file that lost its end, though not all of it, is named, or that changes nothing", () =>
  tryEach("files cut short", CUTS, (place) => {
    const [file, at] = place.split(" ");
    return `${file} ${Math.max(Number(at), 1)} cut`;
  }));
