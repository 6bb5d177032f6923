/**
 * Goal: the checkpoint beside a ledger is read while it is whole and of the ledger as it was closed, and never else:
 * one that is cut short, changed in any byte, of an older state, of another ledger or version is dropped with a reason
 * (L9).
 * Method: real files; every length, every byte; ledgers that were opened, killed, copied and written since; planted
 * bugs.
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  CHECKPOINT_FILE,
  dropCheckpoint,
  ledgerState,
  readCheckpoint,
  writeCheckpoint,
} from "../../adapters/sqlite/checkpoint-file.ts";
import { LEDGER_FILE, openLedger } from "../../adapters/sqlite/ledger.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";
import { close, commit, put } from "./store-calls.ts";

type CheckpointFiles = typeof import("../../adapters/sqlite/checkpoint-file.ts");

const folder = mkdtempSync(join(tmpdir(), "ofs-checkpoint-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sections = [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(300).fill(7)];

async function ledgerWith(name: string, rows: readonly string[]): Promise<string> {
  const directory = join(folder, name);
  const opened = openLedger(directory);
  if (!opened.ok) throw new Error(opened.error.reason);
  await commit(
    opened.value,
    rows.map((key) => put("cellar", key, "00")),
  );
  await close(opened.value);
  return directory;
}

async function checkpointed(name: string): Promise<string> {
  const directory = await ledgerWith(name, ["a"]);
  expect(writeCheckpoint(directory, sections).ok).toBe(true);
  return directory;
}

test("what was written is read back, for its owner alone, until it is taken away", async () => {
  const directory = await checkpointed("whole");
  expect(readCheckpoint(directory)).toEqual({ ok: true, value: sections });
  expect(statSync(join(directory, CHECKPOINT_FILE)).mode & 0o777).toBe(0o600);
  expect(existsSync(join(directory, `${CHECKPOINT_FILE}.new`))).toBe(false);
  dropCheckpoint(directory);
  expect(readCheckpoint(directory)).toBe(undefined);
});

test("cut short anywhere, or changed in any byte, it is dropped", async () => {
  const directory = await checkpointed("damaged");
  const path = join(directory, CHECKPOINT_FILE);
  const whole = readFileSync(path);
  const wrong: string[] = [];
  const expectDropped = (bytes: Uint8Array, what: string) => {
    writeFileSync(path, bytes);
    if (readCheckpoint(directory)?.ok !== false) wrong.push(what);
  };
  for (let at = 0; at < whole.length; at++) {
    expectDropped(whole.subarray(0, at), `cut at ${at}`);
    for (const bit of [1, 128]) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ bit;
      expectDropped(changed, `bit ${bit} of byte ${at}`);
    }
  }
  expectDropped(Buffer.concat([whole, Buffer.from([0])]), "one byte more");
  expectDropped(Buffer.alloc(whole.length), "zeros");
  expect(wrong).toEqual([]);
  writeFileSync(path, whole);
  expect(readCheckpoint(directory)?.ok).toBe(true);
});

const since: Readonly<Record<string, (directory: string) => Promise<void> | void>> = {
  async "opened and closed again, with nothing written"(directory) {
    const opened = openLedger(directory);
    if (opened.ok) await close(opened.value);
  },
  async "opened and written into"(directory) {
    const opened = openLedger(directory);
    if (!opened.ok) throw new Error(opened.error.reason);
    await commit(opened.value, [put("cellar", "b", "01")]);
    await close(opened.value);
  },
  "opened by a process that was killed"(directory) {
    const path = join(import.meta.dirname, "../../adapters/sqlite/ledger.ts");
    const script = `const { openLedger } = await import(${JSON.stringify(path)});
      openLedger(${JSON.stringify(directory)}); process.kill(process.pid, "SIGKILL");`;
    const { signal, stderr } = spawnSync(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script]);
    expect([signal, String(stderr)]).toEqual(["SIGKILL", ""]);
  },
  async "replaced by another ledger of the same size and date"(directory) {
    const other = await ledgerWith("other", ["a", "b", "c"]);
    const { atime, mtime } = statSync(join(directory, LEDGER_FILE));
    copyFileSync(join(other, LEDGER_FILE), join(directory, LEDGER_FILE));
    utimesSync(join(directory, LEDGER_FILE), atime, mtime);
  },
  "left with a log beside it"(directory) {
    writeFileSync(join(directory, `${LEDGER_FILE}-wal`), "");
  },
  gone(directory) {
    rmSync(join(directory, LEDGER_FILE));
  },
};

test.each(Object.entries(since))("of a ledger that was %s it is dropped", async (name, change) => {
  const directory = await checkpointed(name.replaceAll(/\W/g, "-"));
  await change(directory);
  expect(readCheckpoint(directory)).toEqual({ ok: false, error: "the ledger was opened since" });
});

test("a ledger that was only copied with its date keeps it", async () => {
  const directory = await checkpointed("original");
  const copy = join(folder, "copy");
  mkdirSync(copy);
  for (const name of [LEDGER_FILE, CHECKPOINT_FILE]) copyFileSync(join(directory, name), join(copy, name));
  expect(readCheckpoint(copy)?.ok).toBe(false);
  const { atimeNs, mtimeNs } = statSync(join(directory, LEDGER_FILE), { bigint: true });
  spawnSync("cp", ["-p", join(directory, LEDGER_FILE), join(copy, LEDGER_FILE)]);
  expect([ledgerState(copy), atimeNs > 0n, mtimeNs > 0n]).toEqual([ledgerState(directory), true, true]);
  expect(readCheckpoint(copy)?.ok).toBe(true);
});

test("nothing is written beside a ledger that is open, nor where nothing can be", async () => {
  const directory = await ledgerWith("open", ["a"]);
  const opened = openLedger(directory);
  if (!opened.ok) throw new Error(opened.error.reason);
  expect(writeCheckpoint(directory, sections)).toEqual({ ok: false, error: "the ledger was not closed" });
  await close(opened.value);
  mkdirSync(join(directory, `${CHECKPOINT_FILE}.new`));
  expect(writeCheckpoint(directory, sections).ok).toBe(false);
});

const bugs: Readonly<Record<string, readonly [PlantedBug, (directory: string) => Promise<void> | void]>> = {
  "hashes are not compared": [
    {
      file: "adapters/sqlite/checkpoint-file.ts",
      find: "if (!hash.digest().equals(head.subarray(MAGIC.length)))",
      replace: "if (hash.digest().length === 0)",
    },
    (directory) => {
      const path = join(directory, CHECKPOINT_FILE);
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill(8, bytes.length - 1));
    },
  ],
  "the ledger's state is not compared": [
    {
      file: "adapters/sqlite/checkpoint-file.ts",
      find: 'section.toString("latin1") !== state',
      replace: "state === null",
    },
    since["opened and written into"] as (directory: string) => Promise<void>,
  ],
};

test.each(Object.entries(bugs))("the check fails where %s", async (name, [bug, change]) => {
  const directory = await checkpointed(name.replaceAll(/\W/g, "-"));
  await change(directory);
  expect(readCheckpoint(directory)?.ok).toBe(false);
  const read = await withPlantedBug(bug, async (load) => {
    const files = await load<CheckpointFiles>("adapters/sqlite/checkpoint-file.ts");
    return files.readCheckpoint(directory)?.ok;
  });
  expect(read).toBe(true);
});
