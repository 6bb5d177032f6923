// Goal: no command writes one of its files over another, and says so before it writes any.
// Method: the command line over toys, with two names of one file; what the files held is there afterwards.
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, assert, describe, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-apart-"));
afterAll(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const scenario = JSON.stringify({
  ...{ name: "kept", description: "Nobody trades.", source: "ours", nodes: 1 },
  ...{ safety: [{ kind: "equal-sets-equal-states" }], liveness: { within: "0:10", checks: [] } },
});

async function run(...args: readonly string[]) {
  const around = toySurroundings(false);
  const code = await commandLine(args, around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

/** A file that is there, and other names of it. */
function kept(): readonly string[] {
  const file = at("kept.json");
  mkdirSync(at("d"), { recursive: true });
  writeFileSync(file, scenario);
  return [file, `${folder}/d/../kept.json`];
}

describe("two files of one command", () => {
  const [file = "", other = ""] = kept();
  const linked = at("linked");
  symlinkSync(file, linked);
  const hard = at("hard");
  linkSync(file, hard);
  const sweep = ["sweep", "toy-short", "--param", "nodes=3", "--seeds", "1", "--workers", "1"];
  test.each([
    [["run", "toy-short", "--record", at("a"), "--report", at("a")], "--record", "--report"],
    [["run", "toy-short", "--report", at("a"), "--repro", `${folder}/d/../a`], "--report", "--repro"],
    [["run", "toy-short", "--record", linked, "--repro", hard], "--record", "--repro"],
    [["run", file, "--report", other], "the scenario", "--report"],
    [["run", file, "--hold", linked, "--hold-at", "1"], "the scenario", "--hold"],
    [["replay", file, "--report", hard], "what is replayed", "--report"],
    [["replay", at("x"), "--identity", file, "--report", linked], "--identity", "--report"],
    [[...sweep, "--csv", at("a"), "--report", at("a")], "--csv", "--report"],
    [[...sweep, "--csv", file, "--compare", linked], "--csv", "--compare"],
    [[...sweep, "--csv", at("a"), "--report", file, "--resume", file], "--report", "--resume"],
  ] as const)("%s", async (args, one, another) => {
    const before = readFileSync(file, "utf8");
    const names = readdirSync(folder);
    const { code, out, err } = await run(...args);
    assert.equal(code, 2, err);
    assert.equal(out, "");
    assert.match(err, new RegExp(`^\\S+ is ${one} and ${another} at once: one would be written over\\.\\n$`));
    assert.equal(readFileSync(file, "utf8"), before);
    assert.deepEqual(readdirSync(folder), names);
  });
});

test("a page does not touch the recording that another run left beside it", async () => {
  const [report, recording] = [at("page.html"), at("page.html.recording")];
  writeFileSync(recording, scenario);
  assert.equal((await run("run", "toy-short", "--report", report)).code, 0);
  assert.equal(readFileSync(recording, "utf8"), scenario);
});

test("a device may be given for several", async () => {
  assert.equal((await run("run", "toy-short", "--repro", "/dev/null", "--record", "/dev/null")).code, 0);
});
