/**
 * Goal: whoever mistypes a command or a flag is told the right one, in one line, and how to make what is missing; help
 * shows no default that is none.
 * Method: commands of this process that end before anything is opened.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerOf } from "./node-process.ts";

test.each([
  [["start", "--ledgr", "x"], "unknown option '--ledgr' (Did you mean --ledger?)"],
  [["start", "--no-snapshot-prodution"], "(Did you mean --no-snapshot-production?)"],
  [["chekc"], "unknown command 'chekc' (Did you mean check?)"],
  [["backup", "--leger", "x", "--out", "y"], "(Did you mean --ledger?)"],
])("%j is one line that says what was meant", async (args, meant) => {
  const { code, err } = await answerOf(...args);
  expect([code, err.trimEnd().split("\n").length]).toEqual([2, 1]);
  expect(err).toContain(meant);
});

test("a key for a directory that is missing is told how to make it", async () => {
  const folder = join(tmpdir(), "ofs-nowhere", "below");
  const file = join(folder, "key.json");
  const { code, err } = await answerOf("keygen", file);
  const reason = `${folder} does not exist; install -d -m 700 ${folder} makes it`;
  expect([code, err]).toEqual([2, `key file ${file}: ${reason}\n`]);
});

test.each(["start", "config", "check", "export", "repair", "backup"])(
  "the help of %s shows no empty default",
  async (name) => {
    const { code, out } = await answerOf(name, "--help");
    expect([code, out.includes('(default: "")'), out.includes("--ledger <dir>")]).toEqual([0, false, true]);
  },
);
