/**
 * How long a process was ready to run and no processor was free, as the kernel counts it for its main thread. What a
 * request took less that is what its server and its client had to do with it, and not who else ran on the machine.
 */
import { openSync, readSync } from "node:fs";

/** Bytes of the kernel's line at most: three numbers of 64 bits. */
const LINE_BYTES = 64;
const NS_PER_MS = 1e6;

/** Milliseconds that a process has waited for a processor so far; 0 where the kernel does not tell. */
export function runDelayOf(pid: number): () => number {
  const line = Buffer.alloc(LINE_BYTES);
  try {
    const file = openSync(`/proc/${pid}/schedstat`, "r");
    return () => Number(line.toString("latin1", 0, readSync(file, line, 0, LINE_BYTES, 0)).split(" ")[1]) / NS_PER_MS;
  } catch {
    return () => 0;
  }
}
