// Goal: `ofs-sim explore` lists, refuses, ends and writes as it says.
// Method: the command line in this process, over the usual parts of a world, with bounds that are met at once.
import { assert, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import { openBackends } from "../../sim/backends.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import { toySurroundings } from "../sim/toy-surroundings.ts";

async function run(...args: readonly string[]) {
  const around = { ...toySurroundings(false), backends: async () => openBackends() };
  const code = await commandLine(["explore", ...args], around);
  return { code, out: around.printed.join(""), err: around.complained.join("") };
}

test("lists every scope in a line", async () => {
  const { code, out } = await run("--list");
  assert.equal(code, 0);
  assert.lengthOf(out.trimEnd().split("\n"), scopes.length);
});

test("refuses what is no scope", async () => {
  const unknown = await run("tow-takers");
  assert.deepEqual([unknown.code, unknown.err.split("\n").length], [2, 2]);
  assert.match(unknown.err, /^There is no scope "tow-takers"\. One of: .*two-takers/);
  assert.match((await run()).err, /^Say which scope/);
  assert.equal((await run("panel", "--states", "0")).code, 2);
});

test("ends with 2 where a bound is met first, and says how far it came", async () => {
  const told = await run("panel", "--states", "500");
  assert.equal(told.code, 2);
  assert.match(told.out, /^not complete: a bound was met \d+ moves on/m);
  const { code, out } = await run("panel", "--states", "500", "--json");
  assert.equal(code, 2);
  const figures = JSON.parse(out);
  assert.deepInclude(figures, { scope: "panel", complete: false, found: null });
  for (const figure of ["states", "transitions", "depth", "steps", "memory_mib", "seconds"])
    assert.isNumber(figures[figure]);
});
