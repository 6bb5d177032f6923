#!/usr/bin/env node
/**
 * Launcher of `ofs-sim`: in the repository it runs node/ofs-sim.ts, in an installed package what was built from it.
 */
import { existsSync } from "node:fs";

if (existsSync(new URL("../bootstrap/typescript.mjs", import.meta.url))) {
  await import("../bootstrap/typescript.mjs");
  await import("../ofs-sim.ts");
} else {
  await import("../../dist/node/ofs-sim.js");
}
