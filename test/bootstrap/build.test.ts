// Goal: what an installed package needs at run time is shipped, and its sources are not shipped twice.
// Method: one path for each kind of file that stands beside the sources.
import { assert, test } from "vitest";
import { isAsset } from "../../node/bootstrap/build.mjs";

test.each([
  ["adapters/chain/program/escrow.so", true],
  ["adapters/chain/staking-program/staking.so", true],
  ["adapters/sqlite/schema.sql", true],
  ["sim/report/page.html", true],
  ["core/engine/step.ts", false],
  ["core/globals.d.ts", false],
  ["core/README.md", false],
  ["core/tsconfig.json", false],
  ["adapters/chain/program/escrow.c", false],
  ["node/bin/ofs-sim.mjs", false],
  ["node/bootstrap/run.mjs", false],
])("%s: shipped beside the JavaScript is %s", (path, shipped) => {
  assert.equal(isAsset(path), shipped);
});
