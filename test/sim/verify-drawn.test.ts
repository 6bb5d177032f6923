// Goal: drawn worlds come to the same in this process and, backwards, in another; one that does not is named (L1).
// Method: the real command beside itself; then a process that tells other ends, of which each world alone is the same.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { openBackends } from "../../sim/backends.ts";
import { toySurroundings } from "./toy-surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "ofs-drawn-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const real = resolve(import.meta.dirname, "..", "..", "node", "bin", "ofs-sim.mjs");

async function verify(launcher: string, ...args: readonly string[]) {
  const around = { ...toySurroundings(false), backends: async () => openBackends(), launcher };
  const code = await commandLine(["verify", "--drawn", ...args], around);
  return { code, lines: around.printed.join("").trimEnd().split("\n"), err: around.complained.join("") };
}

test("worlds of each kind come to the same, whatever was played before them", async () => {
  expect(await verify(real, "--seeds", "1..9")).toEqual({
    code: 0,
    lines: ["same  drawn worlds seeds=1..9", "OK verify drawn seeds=1..9 runs=9 differing=0"],
    err: "",
  });
});

test("interrupted before any world, it says how to go on", async () => {
  const around = { ...toySurroundings(false), stop: AbortSignal.abort() };
  expect(await commandLine(["verify", "--drawn", "--seeds", "7..9"], around)).toBe(130);
  expect(around.printed.join("")).toBe("interrupted; verify --seeds 7..9 goes on\nSTOPPED verify runs=0 differing=0\n");
});

test("a world that differs only in company is named", async () => {
  const launcher = join(folder, "other.mjs");
  // Says of the last world that it came to nothing.
  writeFileSync(
    launcher,
    `import { execFileSync } from "node:child_process";
const args = process.argv.slice(2);
const command = [...process.execArgv, ${JSON.stringify(real)}, ...args];
const told = execFileSync(process.execPath, command, { encoding: "utf8" });
process.stdout.write(args[0] === "ends" ? told.replace(/^.*/, "{}") : told);
`,
  );
  const { code, lines } = await verify(launcher, "--seeds", "4..5");
  expect(code).toBe(1);
  expect(lines).toEqual([
    "DIFFERS  small seed=5: not by itself, only after other worlds",
    "FAILED verify drawn seeds=4..5 runs=2 differing=1",
  ]);
});

test.each([
  [["--scenario", "toy-short"], /^--drawn and --scenario exclude each other\.$/],
  [["--nodes", "3"], /^--drawn takes neither --nodes nor --held\.$/],
  [["--held", "2"], /^--drawn takes neither --nodes nor --held\.$/],
])("%s is refused in one line", async (args, line) => {
  const { code, err } = await verify(real, "--seeds", "1", ...args);
  expect([code, err.trimEnd()]).toEqual([2, expect.stringMatching(line)]);
});
