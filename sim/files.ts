/**
 * Snapshot files in the simulated world: each node keeps its newest one where the others fetch it, in virtual time.
 * Files outlive their node's process, and are served while it runs. What is kept is the archive itself: compression
 * differs between machines, and nothing that differs may enter a trace. Source: protocol 05 §6.5, §6.12; DESIGN
 * section 5.
 */
import type { SnapshotFailure, SnapshotFetched, SnapshotWritten } from "../core/index.ts";
import type { SnapshotEvents, SnapshotPort } from "../core/ports/snapshots.ts";
import { FILE_BYTES_MAX } from "../core/ports/snapshots.ts";
import type { Clock, Part } from "./clock.ts";
import type { Distribution } from "./distributions.ts";
import { sample } from "./distributions.ts";
import type { FaultLedger } from "./faults.ts";
import type { Stream } from "./random.ts";
import { below, chance, openStream } from "./random.ts";

/** How files behave. Chances are millionths of an operation. */
export interface FileConditions {
  readonly write: Distribution;
  readonly fetch: Distribution;
  /** A file finds the disk full. */
  readonly full: number;
  /** A file cannot be fetched. */
  readonly unreachable: number;
  /** A file ends early. */
  readonly cut: number;
  /** One byte of a file is another. */
  readonly damaged: number;
}

/** A directory and a line that do what they should. Source: DESIGN "Simulated world". */
export const healthyFiles: FileConditions = {
  write: { type: "uniform", least: 5, most: 50 },
  fetch: { type: "uniform", least: 50, most: 2_000 },
  full: 0,
  unreachable: 0,
  cut: 0,
  damaged: 0,
};

/** A node's snapshot directory, and whether its process serves it. */
interface Shelf {
  readonly files: Map<string, Uint8Array>;
  serving: boolean;
}
/** Everyone's directories, by the base of their addresses. */
export type Shelves = Map<string, Shelf>;

export interface NodeFiles {
  /** The base address under which this node's files are fetched. */
  readonly base: string;
  /** The port of a new process of the node. */
  open(events: SnapshotEvents): SnapshotPort;
  /** The port of the process that a held world had. */
  reopen(events: SnapshotEvents): SnapshotPort;
  setConditions(conditions: FileConditions): void;
  /** A file of its own that it serves now: the archive, not compressed. */
  served(id: string): Uint8Array | undefined;
}

export interface NodeFilesOptions {
  readonly node: number;
  readonly seed: bigint;
  readonly clock: Clock;
  readonly faults: FaultLedger;
  readonly shelves: Shelves;
  readonly base: string;
}

/** The kinds of decision about one operation; each has its own number, so none shifts another. */
const KINDS = 5;
const DURATION = 0;
const FULL = 1;
const UNREACHABLE = 1;
const CUT = 2;
const DAMAGED = 3;
const WHERE = 4;

/** What is due: a file is written or fetched, for a process of the node, or its port has closed. */
type FilesDue =
  | {
      readonly kind: "written";
      readonly life: number;
      readonly n: number;
      readonly id: string;
      readonly archive: Uint8Array;
    }
  | {
      readonly kind: "fetched";
      readonly life: number;
      readonly n: number;
      readonly id: string;
      readonly location: string;
      readonly sizeBytes: bigint;
    }
  | { readonly kind: "closed"; readonly life: number };

interface HeldFiles {
  readonly own: Shelf;
  conditions: FileConditions;
  operations: number;
  /** Processes that opened a port, and whether the last of these ports is open. */
  life: number;
  open: boolean;
  /** When the last write and the last fetch are over: an operation begins when the one before it is over. */
  free: { written: number; fetched: number };
}

interface Files {
  readonly options: NodeFilesOptions;
  readonly part: Part<HeldFiles, FilesDue>;
  readonly stream: Stream;
  events: SnapshotEvents | undefined;
  readonly closings: Map<number, () => void>;
}

/** The snapshot files of a node, in its directory and those of the others. */
export function openNodeFiles(options: NodeFilesOptions): NodeFiles {
  const { clock, shelves, base, node, seed } = options;
  const name = `node/${node}/files`;
  const part = clock.part(name, freshFiles, (due: FilesDue) => carryOut(files, due));
  const files: Files = { options, part, stream: openStream(seed, name), events: undefined, closings: new Map() };
  const { held } = part;
  shelves.set(base, held.own);
  return {
    base,
    open(events) {
      held.life += 1;
      held.free = { written: 0, fetched: 0 };
      held.own.serving = true;
      held.open = true;
      return portOf(files, events);
    },
    reopen: (events) => portOf(files, events),
    setConditions(conditions) {
      held.conditions = conditions;
    },
    served: (id) => (held.own.serving ? held.own.files.get(id) : undefined),
  };
}

function freshFiles(): HeldFiles {
  const own: Shelf = { files: new Map(), serving: false };
  const free = { written: 0, fetched: 0 };
  return { own, conditions: healthyFiles, operations: 0, life: 0, open: false, free };
}

function portOf(files: Files, events: SnapshotEvents): SnapshotPort {
  const { held, at, after } = files.part;
  const { life } = held;
  files.events = events;
  const begin = (what: "written" | "fetched", takes: Distribution) => {
    const n = KINDS * held.operations++;
    const begins = Math.max(held.free[what], files.options.clock.now());
    held.free[what] = begins + sample(takes, files.stream, n + DURATION);
    return n;
  };
  return {
    write(id, archive) {
      const n = begin("written", held.conditions.write);
      at(held.free.written, { kind: "written", life, n, id, archive });
    },
    fetch(id, location, sizeBytes) {
      const n = begin("fetched", held.conditions.fetch);
      at(held.free.fetched, { kind: "fetched", life, n, id, location, sizeBytes });
    },
    close(done) {
      if (held.life === life) {
        held.open = false;
        held.own.serving = false;
      }
      files.closings.set(life, done);
      after(0, { kind: "closed", life });
    },
  };
}

function carryOut(files: Files, due: FilesDue): void {
  if (due.kind === "closed") return files.closings.get(due.life)?.();
  const { held } = files.part;
  if (!held.open || held.life !== due.life) return;
  const { id, n } = due;
  if (due.kind === "written") return files.events?.written(id, writeFile(files, n, id, due.archive));
  files.events?.fetched(id, due.location, fetchFile(files, n, due.location, due.sizeBytes));
}

/** One file is kept: the newest. */
function writeFile(files: Files, n: number, id: string, archive: Uint8Array): SnapshotWritten {
  const { options, stream } = files;
  const { own, conditions } = files.part.held;
  if (own.files.has(id)) return failed("RESOURCE_ALREADY_EXISTS", "the file exists");
  if (archive.length > FILE_BYTES_MAX) return failed("SNAPSHOT_VERIFICATION_FAILED", "larger than a file may be");
  if (chance(stream, n + FULL, conditions.full)) {
    options.faults.count("file-unwritten", true);
    return failed("DATABASE_ERROR", "the disk is full");
  }
  own.files.clear();
  own.files.set(id, archive.slice());
  return { ok: true, sizeBytes: archive.length };
}

function fetchFile(files: Files, n: number, location: string, sizeBytes: bigint): SnapshotFetched {
  const { options, stream } = files;
  const { conditions } = files.part.held;
  const [base = "", id = ""] = location.split("/snapshot/");
  const shelf = options.shelves.get(base);
  const found = shelf?.serving === true ? shelf.files.get(id) : undefined;
  if (found === undefined) return failed("NETWORK_ERROR", "no such snapshot");
  if (chance(stream, n + UNREACHABLE, conditions.unreachable)) {
    options.faults.count("file-unreachable", true);
    return failed("NETWORK_ERROR", "the connection failed");
  }
  if (BigInt(found.length) > sizeBytes) return failed("SNAPSHOT_VERIFICATION_FAILED", "longer than announced");
  const whole = chance(stream, n + CUT, conditions.cut) ? cutShort(files, n, found) : found;
  const archive = chance(stream, n + DAMAGED, conditions.damaged) ? withAnotherByte(files, n, whole) : whole;
  return { ok: true, sizeBytes: archive.length, archive: archive.slice() };
}

function cutShort({ options, stream }: Files, n: number, archive: Uint8Array): Uint8Array {
  options.faults.count("file-damaged", true);
  return archive.subarray(0, below(stream, n + WHERE, archive.length));
}

function withAnotherByte({ options, stream }: Files, n: number, archive: Uint8Array): Uint8Array {
  options.faults.count("file-damaged", archive.length > 0);
  const damaged = archive.slice();
  const at = below(stream, n + WHERE, Math.max(1, damaged.length));
  damaged[at] = (damaged[at] ?? 0) ^ 0xff;
  return damaged;
}

function failed(code: SnapshotFailure, reason: string) {
  return { ok: false, code, reason } as const;
}
