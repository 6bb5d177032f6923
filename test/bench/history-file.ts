/**
 * The file that holds a history: a run is appended to it, and the newest are read. Nothing in it is ever changed or
 * taken out; a line that does not decode is named and skipped.
 */
import { spawnSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { cpus } from "node:os";
import type { HistoryRun } from "./history.ts";
import { decodeRun, encodeRun } from "./history.ts";

/** Runs that are read, the newest. One a day for three years; a plot has fewer columns. */
export const RUNS_MAX = 1_000;
/** Bytes of a line: all cases together take 40,000. */
export const LINE_BYTES_MAX = 256 * 1_024;
const CHUNK_BYTES = 64 * 1_024;
const LINE_FEED = 10;

export interface History {
  readonly runs: readonly HistoryRun[];
  /** Lines that were skipped, by their number in the file, and why. */
  readonly damaged: readonly { readonly line: number; readonly reason: string }[];
  /** Lines before those that were read. */
  readonly older: number;
}

/** What Node, this machine and its repository are: the terms of a run beside its figures. */
export function surroundings(root: string): Pick<HistoryRun, "commit" | "changed" | "node" | "cpuModel"> {
  const git = (...args: readonly string[]) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.trim();
  const commit = git("rev-parse", "--verify", "HEAD");
  const known = commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit);
  return {
    ...{ commit: known ? commit : null, changed: known && git("status", "--porcelain") !== "" },
    ...{ node: process.version, cpuModel: cpus()[0]?.model.trim() ?? "unknown" },
  };
}

/** Why nothing can be appended to a file, or nothing: asked before minutes are spent on what would be appended. */
export function complaintOf(file: string): string | undefined {
  try {
    closeSync(openSync(file, "a"));
    return undefined;
  } catch (error) {
    return `The history ${file} cannot be written: ${reasonOf(error)}.`;
  }
}

/** Appends a run, on a line of its own even where the line before was cut short. */
export function appendRun(file: string, run: HistoryRun): void {
  const handle = openSync(file, "a+");
  try {
    const { size } = fstatSync(handle);
    const last = Buffer.alloc(1, LINE_FEED);
    if (size > 0) readSync(handle, last, 0, 1, size - 1);
    writeSync(handle, `${last[0] === LINE_FEED ? "" : "\n"}${encodeRun(run)}`);
  } finally {
    closeSync(handle);
  }
}

/** The newest runs of a file, or why it cannot be read. */
export function readHistory(file: string): History | string {
  let handle: number;
  try {
    handle = openSync(file, "r");
    // A folder opens, and tells so only when it is read.
    readSync(handle, Buffer.alloc(1), 0, 1, 0);
  } catch (error) {
    return `The history ${file} cannot be read: ${reasonOf(error)}.`;
  }
  try {
    return decoded(handle);
  } finally {
    closeSync(handle);
  }
}

function decoded(handle: number): History {
  const runs: HistoryRun[] = [];
  const damaged: { readonly line: number; readonly reason: string }[] = [];
  const { lines, count } = newestLines(handle);
  for (const [place, text] of lines.entries()) {
    const run = text === undefined ? `it is longer than ${LINE_BYTES_MAX} bytes` : decodeRun(text);
    if (typeof run !== "string") runs.push(run);
    else damaged.push({ line: count - lines.length + place + 1, reason: run });
  }
  return { runs, damaged, older: count - lines.length };
}

/** The last lines of a file and how many it has, whatever its size; nothing in the place of one that is too long. */
function newestLines(handle: number): { readonly lines: readonly (string | undefined)[]; readonly count: number } {
  const lines: (string | undefined)[] = [];
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let [count, parts, size] = [0, [] as Buffer[], 0];
  const endLine = () => {
    count += 1;
    lines.push(size > LINE_BYTES_MAX ? undefined : Buffer.concat(parts).toString("utf8"));
    if (lines.length > RUNS_MAX) lines.shift();
    [parts, size] = [[], 0];
  };
  for (let at = 0, read = -1; read !== 0; at += read) {
    read = readSync(handle, chunk, 0, CHUNK_BYTES, at);
    for (let from = 0; from < read; ) {
      const found = chunk.indexOf(LINE_FEED, from);
      const end = found < 0 || found >= read ? read : found;
      size += end - from;
      if (size <= LINE_BYTES_MAX) parts.push(Buffer.from(chunk.subarray(from, end)));
      if (end < read) endLine();
      from = end + 1;
    }
  }
  if (size > 0) endLine();
  return { lines, count };
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "there is no such file or folder";
  if (code === "EISDIR") return "it is a folder";
  if (code === "EACCES") return "this user may not";
  if (code === "ENOTDIR") return "a part of its path is no folder";
  return (error as Error).message;
}
