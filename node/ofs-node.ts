/**
 * `ofs-node`: wires the command line to this process.
 */
import { commandLine } from "./production/command-line.ts";

process.exitCode = await commandLine(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
