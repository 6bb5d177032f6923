/**
 * Snapshot files in the simulated world: each node keeps its newest one where the others fetch it, in virtual time.
 * Files outlive their node's process, and are served while it runs. What is kept is the archive itself: compression
 * differs between machines, and nothing that differs may enter a trace. Source: protocol 05 §6.5, §6.12; DESIGN
 * section 5.
 */
import type { SnapshotFailure, SnapshotFetched, SnapshotWritten } from "../core/index.ts";
import type { SnapshotEvents, SnapshotPort } from "../core/ports/snapshots.ts";
import { FILE_BYTES_MAX } from "../core/ports/snapshots.ts";
import type { Clock } from "./clock.ts";
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
  /** The port of a process of the node. */
  open(events: SnapshotEvents): SnapshotPort;
  setConditions(conditions: FileConditions): void;
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

interface Files {
  readonly options: NodeFilesOptions;
  readonly own: Shelf;
  readonly stream: Stream;
  conditions: FileConditions;
  operations: number;
}

export function openNodeFiles(options: NodeFilesOptions): NodeFiles {
  const own: Shelf = { files: new Map(), serving: false };
  options.shelves.set(options.base, own);
  const stream = openStream(options.seed, `node/${options.node}/files`);
  const files: Files = { options, own, stream, conditions: healthyFiles, operations: 0 };
  return {
    base: options.base,
    open: (events) => openPort(files, events),
    setConditions(conditions) {
      files.conditions = conditions;
    },
  };
}

function openPort(files: Files, events: SnapshotEvents): SnapshotPort {
  const { clock } = files.options;
  let open = true;
  files.own.serving = true;
  /** One after another: an operation begins when the one before it is over. */
  const inTurn = () => {
    let free = 0;
    return (takes: Distribution, act: (n: number) => void) => {
      const n = KINDS * files.operations++;
      free = Math.max(free, clock.now()) + sample(takes, files.stream, n + DURATION);
      clock.at(free, () => {
        if (open) act(n);
      });
    };
  };
  const [write, fetch] = [inTurn(), inTurn()];
  return {
    write(id, archive) {
      write(files.conditions.write, (n) => events.written(id, writeFile(files, n, id, archive)));
    },
    fetch(id, location, sizeBytes) {
      fetch(files.conditions.fetch, (n) => events.fetched(id, location, fetchFile(files, n, location, sizeBytes)));
    },
    close(done) {
      open = false;
      files.own.serving = false;
      clock.after(0, done);
    },
  };
}

/** One file is kept: the newest. */
function writeFile(files: Files, n: number, id: string, archive: Uint8Array): SnapshotWritten {
  const { own, conditions, options, stream } = files;
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
  const { conditions, options, stream } = files;
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
