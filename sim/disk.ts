/**
 * A node's disk in virtual time: syncs take as long as they take, may fail or lie, and a loss of power takes back what
 * was not safe. The rows live in the memory store's disk, which outlasts the node's processes.
 * Source: DESIGN section 5 "Faults".
 */

import type { DiskOutcome, MemoryDisk } from "../adapters/memory/store.ts";
import { openMemoryDisk, openMemoryStore } from "../adapters/memory/store.ts";
import type { Rows, StoreOperation } from "../adapters/store/row-store.ts";
import type { StoreFailure, StorePort, StoreWrite } from "../core/ports/store.ts";
import type { Clock } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import type { FaultKind, FaultLedger, Injection } from "./faults.ts";
import type { Stream } from "./random.ts";
import { below, chance, openStream } from "./random.ts";

/** How a disk behaves. Chances are millionths of an operation. */
export interface DiskConditions {
  /** How long a commit takes to become durable. */
  readonly sync: Distribution;
  /** How long a page takes to read. */
  readonly read: Distribution;
  /** A commit is reported durable and is not. */
  readonly lie: number;
  /** A commit finds the disk full; nothing of it is kept. */
  readonly full: number;
  /** A commit fails half way; the log's checksums discard it whole. */
  readonly torn: number;
  /** A page cannot be read. */
  readonly unreadable: number;
}

/** A solid-state disk that does what it says. Source: DESIGN "Simulated world". */
export const healthyDisk: DiskConditions = {
  sync: { type: "uniform", least: 1, most: 3 },
  read: { type: "constant", ms: 1 },
  lie: 0,
  full: 0,
  torn: 0,
  unreadable: 0,
};

/** How a commit ended, as its node is about to hear. */
export type DiskReport =
  | {
      readonly type: "kept";
      readonly writes: readonly StoreWrite[];
      /** Not so when the disk lies: a loss of power may take these writes back until the next true sync. */
      readonly safe: boolean;
    }
  /** Nothing of the commit was kept. */
  | { readonly type: "failed" };

export interface NodeDisk {
  /** Opens the store on what the disk holds. Everything the store reports goes through `guard`. */
  open(guard: (act: () => void) => void): StorePort;
  /**
   * The node's process ends. With `power`, so does the machine's, and what was not safe may be gone. Answers how many
   * commits are lost that the disk had lied about.
   */
  crash(power: boolean): number;
  /** Calls back with the end of every commit, before the node hears of it. */
  onCommit(listener: (report: DiskReport) => void): void;
  setConditions(conditions: DiskConditions): void;
}

export interface NodeDiskOptions {
  readonly node: number;
  readonly seed: bigint;
  readonly clock: Clock;
  readonly faults: FaultLedger;
  readonly conditions: DiskConditions;
  /** Where rows are kept; maps when absent. */
  readonly rows?: Rows;
}

/** The kinds of decision about one operation; each has its own number, so none shifts another. */
const KINDS = 4;
const DURATION = 0;
const LIE = 1;
const FULL = 2;
const TORN = 3;

export function openNodeDisk(options: NodeDiskOptions): NodeDisk {
  const disk: MemoryDisk = openMemoryDisk(options.rows);
  const name = `node/${options.node}/disk`;
  const stream = openStream(options.seed, name);
  const crashes = openStream(options.seed, `${name}/crash`);
  let conditions = options.conditions;
  let operations = 0;
  let crashed = 0;
  let writing = false;
  let lies: Injection[] = [];
  let onReport: (report: DiskReport) => void = () => undefined;

  function decide(operation: StoreOperation): { readonly after: number; readonly outcome: DiskOutcome } {
    const n = KINDS * operations++;
    if (operation.type === "load") return readOf(conditions, options.faults, stream, n);
    const after = sample(conditions.sync, stream, n + DURATION);
    if (operation.type !== "commit") return { after, outcome: { type: "done" } };
    if (chance(stream, n + FULL, conditions.full)) return { after, outcome: failed("disk-full", { code: "full" }) };
    if (chance(stream, n + TORN, conditions.torn)) {
      return { after, outcome: failed("disk-torn-write", { code: "broken", reason: "torn write" }) };
    }
    return { after, outcome: { type: chance(stream, n + LIE, conditions.lie) ? "unsynced" : "done" } };
  }

  /** A lie is told when the commit is reported; a real sync makes safe what was only said to be. */
  function reported(operation: StoreOperation, outcome: DiskOutcome): void {
    if (operation.type !== "commit") return;
    writing = false;
    if (outcome.type === "unsynced") lies.push(options.faults.inject("disk-lost-writes"));
    else if (outcome.type === "done") lies = [];
    if (outcome.type === "failed") onReport({ type: "failed" });
    else onReport({ type: "kept", writes: operation.writes, safe: outcome.type === "done" });
  }

  function failed(kind: FaultKind, failure: StoreFailure): DiskOutcome {
    options.faults.count(kind, true);
    return { type: "failed", failure };
  }

  return {
    open: (guard) =>
      openMemoryStore(disk, {
        schedule(operation, end) {
          const { after, outcome } = decide(operation);
          const life = crashed;
          if (operation.type === "commit") writing = true;
          options.clock.after(after, () => {
            if (life !== crashed) return;
            reported(operation, outcome);
            guard(() => end(outcome));
          });
        },
      }),
    crash(power) {
      const survivors = power ? below(crashes, crashed, disk.atRisk + 1) : disk.atRisk;
      crashed += 1;
      // The newest commit at risk is the one being written, of which nothing was said yet.
      const lost = disk.crash(survivors) - (writing ? 1 : 0);
      const bitten = lost > 0 ? lies.slice(-lost) : [];
      for (const lie of bitten) lie.bite();
      lies = [];
      writing = false;
      return bitten.length;
    },
    onCommit(listener) {
      onReport = listener;
    },
    setConditions(next) {
      conditions = next;
    },
  };
}

function readOf(conditions: DiskConditions, faults: FaultLedger, stream: Stream, n: number) {
  const after = sample(conditions.read, stream, n + DURATION);
  const unreadable = chance(stream, n + FULL, conditions.unreadable);
  if (unreadable) faults.count("disk-read-error", true);
  const failure: StoreFailure = { code: "broken", reason: "unreadable sector" };
  const outcome: DiskOutcome = unreadable ? { type: "failed", failure } : { type: "done" };
  return { after, outcome };
}
