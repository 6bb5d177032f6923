// Goal: what broke a law once breaks none any more. Method: every run of test/repros is played again.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, test } from "vitest";
import { openBackends } from "../../sim/backends.ts";
import { reproOf } from "../../sim/repro.ts";
import { runScenario } from "../../sim/run.ts";

const folder = join(import.meta.dirname, "../repros");
const files = readdirSync(folder).filter((name) => name.endsWith(".repro.json"));

test.each(files)("%s breaks nothing", async (name) => {
  const read = reproOf(readFileSync(join(folder, name), "utf8"));
  assert.ok(read.ok, read.ok ? "" : read.error);
  const { scenario, seed, store } = read.value;
  const { report } = await runScenario(scenario, { seed, store }, openBackends());
  assert.deepEqual(report.violations, []);
});
