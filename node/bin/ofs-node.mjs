#!/usr/bin/env node
/**
 * Launcher of `ofs-node`: in the repository it runs node/ofs-node.ts, in an installed package what was built from it.
 */
import { existsSync } from "node:fs";

if (existsSync(new URL("../bootstrap/typescript.mjs", import.meta.url))) {
  await import("../bootstrap/typescript.mjs");
  await import("../ofs-node.ts");
} else {
  await import("../../dist/node/ofs-node.js");
}
