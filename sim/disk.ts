/**
 * A node's disk in virtual time: syncs take as long as they take, may fail or lie, and a loss of power takes back what
 * was not safe. The rows live in the memory store's disk, which outlasts the node's processes.
 * Source: DESIGN section 5 "Faults".
 */

import type { DiskOutcome, HeldDisk, HeldRow, HeldRows, MemoryDisk } from "../adapters/memory/store.ts";
import {
  bytesOfRow,
  emptyDisk,
  heldRow,
  openMemoryDisk,
  openMemoryRows,
  openMemoryStore,
} from "../adapters/memory/store.ts";
import type { Rows, StoreOperation } from "../adapters/store/row-store.ts";
import type { StoreFailure, StorePort, StoreWrite } from "../core/ports/store.ts";
import type { Clock, Packing } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import type { FaultKind, FaultLedger, Injection } from "./faults.ts";
import type { Stream } from "./random.ts";
import { below, chance, openStream } from "./random.ts";
import type { HeldWear, RowPlace } from "./worn-rows.ts";
import { noWear, openWornRows } from "./worn-rows.ts";

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
  | { readonly type: "failed" }
  /** Rows are not what the node wrote from now on, though nobody has noticed. */
  | { readonly type: "worn"; readonly rows: readonly RowPlace[] };

export interface NodeDisk {
  /**
   * Opens the store on what the disk holds. Everything the store reports goes through `guard`. What a held world had
   * asked of its store and not been told is asked again, and ends when it was going to.
   */
  open(guard: (act: () => void) => void): StorePort;
  /**
   * The node's process ends. With `power`, so does the machine's, and what was not safe may be gone. Answers how many
   * commits are lost that the disk had lied about.
   */
  crash(power: boolean): number;
  /** Calls back with the end of every commit, before the node hears of it. */
  onCommit(listener: (report: DiskReport) => void): void;
  setConditions(conditions: DiskConditions): void;
  /** So many of the rows that it holds change by themselves; the fault bites when one of them is read. */
  rot(rows: number, injection: Injection): void;
  /** A row of the next commit lands in another one's place, or nowhere any more. Bites when that is read. */
  misdirect(injection: Injection | undefined): void;
  /** Whether rows do not match their checksums. */
  isDamaged(): boolean;
  /** Takes the damaged rows away. */
  repair(): void;
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

/** What a disk remembers; its rows too, when they are in maps. */
interface HeldNodeDisk {
  readonly disk: HeldDisk;
  readonly rows: HeldRows;
  conditions: DiskConditions;
  /** Operations that were decided about, and the one that is under way. */
  operations: number;
  operation: StoreOperation | undefined;
  /** Deaths of the node's process. */
  crashed: number;
  /** A commit is being written, of which nothing was said yet. */
  writing: boolean;
  lies: Injection[];
  readonly wear: HeldWear;
}

/** An operation ends. */
interface CarriedOut {
  readonly kind: "carried-out";
  /** The process that asked for it, counted by the deaths before it. */
  readonly life: number;
  readonly outcome: DiskOutcome;
}

interface State {
  readonly options: NodeDiskOptions;
  readonly held: HeldNodeDisk;
  readonly disk: MemoryDisk;
  readonly stream: Stream;
  readonly crashes: Stream;
  onReport: (report: DiskReport) => void;
  /** Carries out what is under way, once it is known how that ends. */
  end: ((outcome: DiskOutcome) => void) | undefined;
}

/** The disk of a node. It outlives the node's processes. */
export function openNodeDisk(options: NodeDiskOptions): NodeDisk {
  const { clock, seed, rows } = options;
  const name = `node/${options.node}/disk`;
  const carriedOut = ({ life, outcome }: CarriedOut) => {
    if (life !== part.held.crashed) return;
    reported(state, outcome);
    const { end } = state;
    // It holds what was written, and the next operation may be long in coming.
    state.end = undefined;
    end?.(outcome);
  };
  const part = clock.part(name, () => freshDisk(options.conditions), carriedOut, rows && packing(rows));
  const { held } = part;
  const wornRows = openWornRows({
    rows: rows ?? openMemoryRows(held.rows),
    ...{ held: held.wear, stream: openStream(seed, `${name}/wear`), faults: options.faults },
    worn: (places) => state.onReport({ type: "worn", rows: places }),
  });
  const state: State = {
    options,
    held,
    onReport: () => undefined,
    end: undefined,
    disk: openMemoryDisk(wornRows, held.disk),
    stream: openStream(seed, name),
    crashes: openStream(seed, `${name}/crash`),
  };
  return {
    open: (guard) =>
      openMemoryStore(state.disk, {
        schedule(operation, end) {
          state.end = (outcome) => guard(() => end(outcome));
          // What is under way in a held world was decided about before it was held.
          if (held.operation !== undefined) return;
          const { after, outcome } = decide(state, operation);
          held.operation = operation;
          if (operation.type === "commit") held.writing = true;
          part.after(after, { kind: "carried-out", life: held.crashed, outcome });
        },
      }),
    crash: (power) => crash(state, power),
    onCommit(listener) {
      state.onReport = listener;
    },
    setConditions(next) {
      held.conditions = next;
    },
    rot: wornRows.rot,
    misdirect(injection) {
      held.wear.astray = injection;
    },
    isDamaged: () => held.wear.damaged.size > 0,
    repair: () => void wornRows.repair(),
  };
}

function freshDisk(conditions: DiskConditions): HeldNodeDisk {
  const counts = { operations: 0, operation: undefined, crashed: 0, writing: false };
  return { disk: emptyDisk(), rows: new Map(), conditions, ...counts, lies: [], wear: noWear() };
}

/** Rows that are kept elsewhere are held as maps, and written there again. */
function packing(rows: Rows): Packing<HeldNodeDisk> {
  return {
    pack(held) {
      const tables: HeldRows = new Map();
      for (const page of pagesOf(rows)) {
        if (!page.ok) throw new Error(`bug: a simulated disk cannot be read: ${page.error.code}`);
        for (const { table, key, bytes } of page.value.rows) {
          tables.set(table, (tables.get(table) ?? new Map<string, HeldRow>()).set(key, heldRow(bytes)));
        }
      }
      return { ...held, rows: tables };
    },
    unpack(packed) {
      const held = packed as HeldNodeDisk;
      const writes = [...held.rows].flatMap(([table, byKey]) =>
        [...byKey].map(([key, row]) => ({ table, key, bytes: bytesOfRow(row) })),
      );
      rows.commit(writes);
      held.rows.clear();
      return held;
    },
  };
}

function* pagesOf(rows: Rows) {
  const pages = rows.pages();
  for (let page = pages.next(); page.done !== true; page = pages.next()) yield page.value;
}

function crash({ held, disk, crashes, options }: State, power: boolean): number {
  const survivors = power ? below(crashes, held.crashed, disk.atRisk + 1) : disk.atRisk;
  held.crashed += 1;
  // The newest commit at risk is the one being written, of which nothing was said yet.
  const lost = disk.crash(survivors) - (held.writing ? 1 : 0);
  const bitten = lost > 0 ? held.lies.slice(-lost) : [];
  for (const lie of bitten) options.faults.bite(lie);
  held.lies = [];
  held.writing = false;
  held.operation = undefined;
  return bitten.length;
}

function decide(state: State, operation: StoreOperation): { readonly after: number; readonly outcome: DiskOutcome } {
  const { held, stream, options } = state;
  const { conditions } = held;
  const n = KINDS * held.operations++;
  if (operation.type === "load") return readOf(conditions, options.faults, stream, n);
  const after = sample(conditions.sync, stream, n + DURATION);
  if (operation.type !== "commit") return { after, outcome: { type: "done" } };
  if (chance(stream, n + FULL, conditions.full)) {
    return { after, outcome: failed(options.faults, "disk-full", { code: "full" }) };
  }
  if (chance(stream, n + TORN, conditions.torn)) {
    return { after, outcome: failed(options.faults, "disk-torn-write", { code: "broken", reason: "torn write" }) };
  }
  const lies = operation.writes.length > 0 && chance(stream, n + LIE, conditions.lie);
  return { after, outcome: { type: lies ? "unsynced" : "done" } };
}

/** A lie is told when the commit is reported; a real sync makes safe what was only said to be. */
function reported({ held, options, onReport }: State, outcome: DiskOutcome): void {
  const { operation } = held;
  held.operation = undefined;
  if (operation?.type !== "commit") return;
  held.writing = false;
  // Whoever asks whether commits are taken loses nothing when they are not.
  if (outcome.type === "failed" && operation.writes.length === 0) return;
  if (outcome.type === "unsynced") held.lies.push(options.faults.inject("disk-lost-writes"));
  else if (outcome.type === "done") held.lies = [];
  if (outcome.type === "failed") onReport({ type: "failed" });
  else onReport({ type: "kept", writes: operation.writes, safe: outcome.type === "done" });
}

function failed(faults: FaultLedger, kind: FaultKind, failure: StoreFailure): DiskOutcome {
  faults.count(kind, true);
  return { type: "failed", failure };
}

function readOf(conditions: DiskConditions, faults: FaultLedger, stream: Stream, n: number) {
  const after = sample(conditions.read, stream, n + DURATION);
  const unreadable = chance(stream, n + FULL, conditions.unreadable);
  if (unreadable) faults.count("disk-read-error", true);
  const failure: StoreFailure = { code: "broken", reason: "unreadable sector" };
  const outcome: DiskOutcome = unreadable ? { type: "failed", failure } : { type: "done" };
  return { after, outcome };
}
