#!/usr/bin/env node
/**
 * Launcher of `ofs-sim`: in the repository it runs node/ofs-sim.ts, in an installed package what was built from it.
 * With OFS_COMPILED in its environment it runs that in the repository too: benchmarks measure what operators have.
 */
import { existsSync } from "node:fs";

const isRepository = existsSync(new URL("../bootstrap/typescript.mjs", import.meta.url));
if (isRepository && !process.env.OFS_COMPILED) {
  await import("../bootstrap/typescript.mjs");
  await import("../ofs-sim.ts");
} else {
  await import("../../dist/node/ofs-sim.js");
}
