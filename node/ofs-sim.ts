/**
 * `ofs-sim`: wires the command line to this process, to the scenarios and to the usual parts of a world.
 */
import { fileURLToPath } from "node:url";
import { commandLine } from "./sim/command-line.ts";

process.exitCode = await commandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  terminal: process.stderr.isTTY === true,
  scenarios: async () => (await import("../scenarios/index.ts")).scenarios,
  backends: async () => (await import("../sim/backends.ts")).openBackends(),
  launcher: fileURLToPath(new URL("./bin/ofs-sim.mjs", import.meta.url)),
});
