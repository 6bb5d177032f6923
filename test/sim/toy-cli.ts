/**
 * The command line of `ofs-sim` with toys for nodes, of which some are not deterministic.
 */
import { commandLine } from "../../node/sim/command-line.ts";
import { toySurroundings } from "./toy-surroundings.ts";

process.exitCode = await commandLine(process.argv.slice(2), {
  ...toySurroundings(),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
