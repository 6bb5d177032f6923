/**
 * `ofs-node`: wires the command line to this process.
 */
import { commandLine } from "./production/command-line.ts";

const args = process.argv.slice(2);

/** A node goes on without its log; a command whose result cannot be written has failed. */
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: Error) => {
    if (args[0] === "start") return;
    process.exitCode = 1;
    if (stream === process.stdout) process.stderr.write(`what it prints cannot be written: ${error.message}\n`);
  });

const code = await commandLine(args, {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
if (code !== 0) process.exitCode = code;
