// Goal: a file in which a run is kept, given to another command than the one that takes it, is refused with that one's
// name; so is one of another version. Method: files that begin as each kind does, and the commands that take files.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-kinds-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function refused(...args: readonly string[]): Promise<string> {
  const around = toySurroundings(false);
  assert.equal(await commandLine(args, around), 2);
  assert.isEmpty(around.printed);
  return around.complained.join("");
}

const kinds = [
  ["travel", "ofs-travel/1\n", "at", "a recording of a run: `ofs-sim at` and `why` look into it"],
  ["recorded", "ofs-record/1\n", "replay", "what a node recorded: `ofs-sim replay` plays it, with --identity"],
  ["held", "ofs-run/1\n", "resume", "a held run: `ofs-sim resume` goes on with it"],
  ["state", "ofs-network/1 0.1.0\n", "", "the state of a served network: `ofs-sim serve --state` goes on with it"],
] as const;
const commands = [["replay"], ["resume"], ["shrink"], ["at", "1"]] as const;

test.each(kinds)("%s", async (name, begins, own, is) => {
  const file = join(folder, name);
  writeFileSync(file, `${begins}${"\0".repeat(100)}`);
  for (const [command, ...rest] of commands) {
    const line = await refused(command, file, ...rest);
    if (command === own) assert.notInclude(line, is);
    else assert.equal(line, `${file} is ${is}.\n`);
  }
});

test("what a node of another version recorded", async () => {
  const file = join(folder, "later");
  writeFileSync(file, "ofs-record/2\nand so on");
  assert.equal(await refused("replay", file), `${file}: it was recorded by another version.\n`);
});

test.each(["ofs-repro", "ofs-session", "ofs-walk"])("%s of another version", async (format) => {
  const file = join(folder, `${format}.json`);
  writeFileSync(file, JSON.stringify({ format: `${format}/2`, more: 1 }, null, 2));
  assert.equal(
    await refused("replay", file),
    `${file}: format: ${format}/2 is of another version; ${format}/1 is read.\n`,
  );
});

test("what a simulator of another version recorded, and a run that one held", async () => {
  const [recording, held] = [join(folder, "travel-2"), join(folder, "held-2")];
  writeFileSync(recording, "ofs-travel/2\nand so on");
  writeFileSync(held, "ofs-run/2\nand so on");
  assert.equal(await refused("at", recording, "1"), `${recording}: it was recorded by another version.\n`);
  assert.equal(await refused("resume", held), `${held}: this is no held run of this version.\n`);
});
