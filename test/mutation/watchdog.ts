/**
 * Ends a process of tests that hangs, and tells so. Stryker's own limit is the wall clock, by which a busy machine
 * makes survivors look like mutants that hang. What counts here is work: a process that has computed far more than its
 * tests need is in a loop, and one that has computed next to nothing for long waits for what never comes.
 */
import { join } from "node:path";
import { Worker } from "node:worker_threads";

/** What a run of tests may take. */
export interface WatchdogLimits {
  /** Milliseconds of processor time. */
  readonly workMs: number;
  /** Milliseconds without work, by the wall clock. */
  readonly idleMs: number;
  /** The file that says afterwards that it was the watchdog that ended the process, and why. */
  readonly marker: string;
}

/** Watches this process until it ends; a thread of its own looks, since a loop lets nothing else run. */
export function watch(limits: WatchdogLimits): void {
  new Worker(join(import.meta.dirname, "watchdog-thread.mjs"), { workerData: limits, execArgv: [] }).unref();
}
