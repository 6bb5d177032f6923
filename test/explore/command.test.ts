// Goal: `ofs-sim explore` lists, refuses, ends and writes as it says.
// Method: the command line in this process, over the usual parts of a world, with bounds that are met at once.
import { assert, test } from "vitest";
import { commandLine } from "../../node/sim/command-line.ts";
import type { Surroundings } from "../../node/sim/surroundings.ts";
import { openBackends } from "../../sim/backends.ts";
import { scopes } from "../../sim/explore/scopes/index.ts";
import { toySurroundings } from "../sim/toy-surroundings.ts";

const run = (...args: readonly string[]) => runOn({}, ...args);

async function runOn(more: Partial<Surroundings>, ...args: readonly string[]) {
  const around = { ...toySurroundings(false), backends: async () => openBackends(), ...more };
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

test("ends with 130 where somebody asks it to, with what it has", async () => {
  const clock = { ms: 0 };
  const stop = new AbortController();
  // A signal is heard when the walk lets others have their turn, and not before.
  const wallMs = () => {
    clock.ms += 50;
    if (clock.ms === 5_000) setImmediate(() => stop.abort());
    return clock.ms;
  };
  const { code, out } = await runOn({ wallMs, stop: stop.signal }, "panel", "--states", "5000");
  assert.equal(code, 130);
  assert.match(out, /^not complete: interrupted \d+ moves on; no law is broken in any state that was met$/m);
});

test("tells a terminal once a second how far it is, and nobody else", async () => {
  const clock = { ms: 0 };
  const wallMs = () => {
    clock.ms += 50;
    return clock.ms;
  };
  const shown: { readonly at: number; readonly text: string }[] = [];
  // Between the look at the clock that lets a line be shown and the line there is one more.
  const overwrite = (text: string) => void shown.push({ at: clock.ms - 50, text });
  await runOn({ overwrite, wallMs }, "panel", "--states", "500");
  const [cleared, lines] = [shown.pop(), shown];
  assert.equal(cleared?.text, "");
  assert.isAtLeast(lines.length, 5);
  const line = /^(\d+) states, (\d+) moves deep, (\d+) states a second, \d+ MiB, (\d+) s$/;
  let before = { at: 100, states: 0 };
  for (const { at, text } of lines) {
    const [, states = "", , rate = "", seconds] = line.exec(text) ?? assert.fail(text);
    const passed = at - before.at;
    assert.isAtLeast(passed, 1_000);
    assert.isAtMost(passed, 1_100);
    assert.equal(Number(seconds), Math.round(at / 1_000), text);
    assert.closeTo(Number(rate), (Number(states) - before.states) / (passed / 1_000), 1, text);
    before = { at, states: Number(states) };
  }
  assert.equal((await runOn({ wallMs }, "panel", "--states", "500")).err, "");
});
