/**
 * `ofs-sim`: wires the command line to this process, to the scenarios and to the usual parts of a world.
 * Exit codes: README.md.
 */
import { wallMs } from "../sim/wall-clock.ts";
import { commandLine } from "./sim/command-line.ts";
import { printable } from "./sim/printable.ts";

/** Takes the cursor of a terminal to the start of its line, and clears what stands there. */
const CLEARED = "\r\u001b[K";
/** A defect of ours, not of what was asked for: EX_SOFTWARE of sysexits.h. */
const DEFECT = 70;
/** Nobody reads on: what a shell shows where SIGPIPE ended a command. */
const BROKEN_PIPE = 141;
/** What was asked for cannot be done here. */
const UNUSABLE = 2;

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(BROKEN_PIPE);
    // Thrown, it would end the process with 1, which is for violations.
    if (stream === process.stdout)
      process.stderr.write(`ofs-sim: what it prints cannot be written: ${error.message}.\n`);
    process.exit(UNUSABLE);
  });
}

/** Asked once, the command ends in good order; asked again, it ends. */
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(signal));

/** Whoever holds the other end of it need not be there: it does not keep this process. */
function inputEnds(): Promise<void> {
  const input: NodeJS.ReadableStream & { unref?: () => void } = process.stdin;
  const ended = new Promise<void>((resolve) => {
    for (const how of ["end", "close", "error"]) input.once(how, () => resolve());
  });
  input.resume();
  input.unref?.();
  return ended;
}

try {
  process.exitCode = await commandLine(process.argv.slice(2), {
    out: (text) => process.stdout.write(printable(text)),
    err: (text) => process.stderr.write(printable(text)),
    overwrite:
      process.stderr.isTTY === true ? (text) => process.stderr.write(`${CLEARED}${printable(text)}`) : undefined,
    wallMs,
    scenarios: async () => (await import("../scenarios/index.ts")).scenarios,
    backends: async () => (await import("../sim/backends.ts")).openBackends(),
    launcher: process.argv[1] ?? "",
    stop: stop.signal,
    inputEnds,
  });
} catch (error) {
  process.stderr.write(
    `ofs-sim: a defect: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = DEFECT;
}
