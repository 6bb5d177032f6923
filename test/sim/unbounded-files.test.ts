// Goal: whatever file a command is given, it reads a bounded part of it: a device is refused before anything is read of
// it, a pipe is read as far as a file might go, and both end with one line.
// Method: the command line over /dev/null, which ends at once where it is read, and pipes that this process fills.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, describe, test } from "vitest";
import { readText } from "../../node/sim/bounded-file.ts";
import { commandLine } from "../../node/sim/command-line.ts";
import { stateIn } from "../../node/sim/state-file.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-unbounded-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]) {
  const around = toySurroundings(false);
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

/** The device under a name that ends otherwise. */
function device(name: string): string {
  const link = join(folder, name);
  symlinkSync("/dev/null", link);
  return link;
}

function pipe(name: string): string {
  const path = join(folder, name);
  execFileSync("mkfifo", [path]);
  return path;
}

describe("a device in the place of a file", () => {
  const sweep = ["sweep", "toy-short", "--seeds", "1", "--csv", join(folder, "sweep.csv"), "--param", "nodes=3"];
  test.each([
    ["a held run", ["resume", "/dev/null"]],
    ["what is replayed", ["replay", "/dev/null"]],
    ["what is made small", ["shrink", "/dev/null"]],
    ["a recording", ["at", "/dev/null", "1"]],
    ["a scenario", ["run", device("a.json")]],
    ["a scenario as a module", ["run", device("a.ts")]],
    ["figures to go on from", [...sweep, "--resume", "/dev/null"]],
    ["figures to compare with", [...sweep, "--compare", "/dev/null"]],
    ["a state", ["serve", "--state", "/dev/null"]],
  ])("%s", async (_, args) => {
    const { code, out, err } = await run(...args);
    assert.equal(code, 2);
    assert.equal(out, "");
    assert.match(err, /^\S+ is a device, and no file\.\n$/);
  });
});

describe("a pipe in the place of a file", () => {
  test("is read as a file is", async () => {
    const path = pipe("whole");
    const [{ code, err }] = await Promise.all([run("replay", path), writeFile(path, "{}")]);
    assert.equal(code, 2);
    assert.match(err, /whole: format is missing/);
  });

  test("is read as far as a file might go", async () => {
    const exact = pipe("exact");
    const [text] = await Promise.all([readText(exact, 70_000), writeFile(exact, "x".repeat(70_000))]);
    assert.lengthOf(text, 70_000);
    const over = pipe("over");
    const [refused] = await Promise.allSettled([readText(over, 70_000), writeFile(over, "x".repeat(70_001))]);
    assert.equal(refused.status === "rejected" && refused.reason.message, `${over} is longer than 70000 bytes.`);
  });

  test("holds no recording, which is read here and there", async () => {
    const path = pipe("recording");
    assert.match((await run("at", path, "1")).err, /^\S+ is a pipe, and no file\.\n$/);
  });
});

test("a state that there is not yet is none", async () => {
  assert.isUndefined(await stateIn(join(folder, "none"), "0.0.0"));
});
