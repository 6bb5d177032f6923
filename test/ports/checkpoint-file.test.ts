/**
 * Goal: the checkpoint that a ledger names is read while it is whole, and never else: one that is cut short, changed in
 * any byte, of another place, ledger or version is dropped with a reason (L9).
 * Method: real files; every length, every byte; other names; planted bugs.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, expect, test } from "vitest";
import type { NamedCheckpoint } from "../../adapters/sqlite/changes.ts";
import {
  CHECKPOINT_FILE,
  dropCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from "../../adapters/sqlite/checkpoint-file.ts";
import { withPlantedBug } from "../planted/planted-bug.ts";
import type { PlantedBug } from "../planted/planted-text.ts";

type CheckpointFiles = typeof import("../../adapters/sqlite/checkpoint-file.ts");

const folder = mkdtempSync(join(tmpdir(), "ofs-checkpoint-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sections = [Uint8Array.of(1, 2, 3), new Uint8Array(0), new Uint8Array(300).fill(7)];

interface Checkpointed {
  readonly directory: string;
  readonly path: string;
  readonly named: NamedCheckpoint;
}

function checkpointed(name: string, place = 7): Checkpointed {
  const directory = join(folder, name);
  mkdirSync(directory, { recursive: true });
  const written = writeCheckpoint(directory, { place, rows: 4, sections });
  if (!written.ok) assert.fail(written.error);
  const { rows, hash } = written.value;
  return { directory, path: join(directory, `${CHECKPOINT_FILE}.${place}`), named: { place, rows, hash } };
}

test("what was written is read back, for its owner alone, until another is kept", () => {
  const { directory, path, named } = checkpointed("whole");
  expect(readCheckpoint(directory, named)).toEqual({ ok: true, value: sections });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(join(directory, CHECKPOINT_FILE), "of a former version");
  const other = checkpointed("whole", 9);
  expect(readdirSync(directory).length).toBe(3);
  dropCheckpoints(directory, other.named);
  expect(readdirSync(directory)).toEqual([`${CHECKPOINT_FILE}.9`]);
  expect(readCheckpoint(directory, named)).toEqual({ ok: false, error: "its file is not there" });
  dropCheckpoints(directory);
  expect(existsSync(other.path)).toBe(false);
  dropCheckpoints(join(folder, "nowhere"));
});

test("cut short anywhere, or changed in any byte, it is dropped", () => {
  const { directory, path, named } = checkpointed("damaged");
  const whole = readFileSync(path);
  const wrong: string[] = [];
  const expectDropped = (bytes: Uint8Array, what: string) => {
    writeFileSync(path, bytes);
    if (readCheckpoint(directory, named).ok) wrong.push(what);
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
  expect(readCheckpoint(directory, named).ok).toBe(true);
});

test.each([
  ["another hash", { hash: "00".repeat(32) }, "it is of another ledger"],
  ["another number of rows", { rows: 5 }, "it is of another place"],
])("one that the ledger names with %s is dropped", (_, other, error) => {
  const { directory, named } = checkpointed("named");
  expect(readCheckpoint(directory, { ...named, ...other })).toEqual({ ok: false, error });
});

test("nothing is written where nothing can be", () => {
  const directory = join(folder, "taken");
  mkdirSync(join(directory, `${CHECKPOINT_FILE}.1`), { recursive: true });
  expect(writeCheckpoint(directory, { place: 1, rows: 0, sections }).ok).toBe(false);
});

test("what cannot be taken away keeps nobody from taking away the others", () => {
  const { directory, path } = checkpointed("stuck");
  const stuck = `${CHECKPOINT_FILE}.1`;
  mkdirSync(join(directory, stuck));
  dropCheckpoints(directory);
  expect([existsSync(path), readdirSync(directory)]).toEqual([false, [stuck]]);
});

const bugs: Readonly<Record<string, PlantedBug>> = {
  "hashes are not compared": {
    file: "adapters/sqlite/checkpoint-file.ts",
    find: "if (!digest.equals(head.subarray(MAGIC.length)))",
    replace: "if (digest.length === 0)",
  },
  "the ledger's name is not compared": {
    file: "adapters/sqlite/checkpoint-file.ts",
    find: 'digest.toString("hex") !== named.hash',
    replace: "named.place < 0",
  },
};

test.each(Object.entries(bugs))("the check fails where %s", async (name, bug) => {
  const { directory, path, named } = checkpointed(name.replaceAll(/\W/g, "-"));
  const bytes = readFileSync(path);
  const isHash = name.startsWith("hashes");
  if (isHash) writeFileSync(path, bytes.fill(8, bytes.length - 1));
  const wanted = isHash ? named : { ...named, hash: "00".repeat(32) };
  expect(readCheckpoint(directory, wanted).ok).toBe(false);
  const read = await withPlantedBug(bug, async (load) => {
    const files = await load<CheckpointFiles>("adapters/sqlite/checkpoint-file.ts");
    const found = files.readCheckpoint(directory, wanted);
    return found.ok || found.error;
  });
  expect(read).toBe(isHash ? "it is of another ledger" : true);
});
