/**
 * The kinds of files that runs are kept in, by what each begins with in every version, and which command takes one:
 * whoever gives it to another is told. Source: DESIGN section 6.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { UsageError } from "./usage.ts";

/** Commands that take such files. */
export type Taking = "at" | "replay" | "resume" | "shrink";

const KINDS: readonly (readonly [begins: string, commands: readonly Taking[], is: string])[] = [
  ["ofs-travel/", ["at"], "a recording of a run: `ofs-sim at` and `why` look into it"],
  ["ofs-record/", ["replay"], "what a node recorded: `ofs-sim replay` plays it, with --identity"],
  ["ofs-run/", ["resume"], "a held run: `ofs-sim resume` goes on with it"],
  ["ofs-network/", [], "the state of a served network: `ofs-sim serve --state` goes on with it"],
];
const HEAD_BYTES = 16;

/** Refuses a file that another command takes. What cannot be read is for the command itself to say. */
export function checkKind(file: string, command: Taking): void {
  const head = headOf(file);
  const found = KINDS.find(([begins]) => head.startsWith(begins));
  if (found === undefined || found[1].includes(command)) return;
  throw new UsageError(`${file} is ${found[2]}.`);
}

/** Nothing is taken from a pipe. */
function headOf(file: string): string {
  let descriptor: number | undefined;
  try {
    if (!statSync(file).isFile()) return "";
    descriptor = openSync(file, "r");
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString("latin1", 0, readSync(descriptor, bytes));
  } catch {
    return "";
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
