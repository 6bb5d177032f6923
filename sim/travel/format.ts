/**
 * The bytes of a recording: whole numbers, and what the file of one begins and ends with. Only what browsers have too
 * is used here, since a page reads recordings as a command does.
 *
 *   file     = "ofs-travel/1\n" ‖ items and segments in the order in which they were written ‖ index ‖ end
 *   item     = 2 × length ‖ a text in UTF-8, or
 *              2 × length + 1 ‖ where another item begins ‖ how many of its first and of its last bytes are shared ‖
 *              what stands between them in this one; whatever names an item says at which byte it begins
 *   segment  = entries of one kind in a row, of one node or of all; the index says where, and which events
 *   index    = JSON: what run it is, its segments, and the CRC-32 of every 64 KiB before it
 *   end      = "ofs-end\n" ‖ where the index begins, u48 BE ‖ its length, u32 BE ‖ its CRC-32, u32 BE
 *   number   = seven bits a byte, the lowest first, the highest bit where more follow
 *
 * Source: DESIGN section 6 (`run --record`).
 */

/** What a recording begins with; the number grows when what follows changes. */
export const MAGIC = "ofs-travel/1\n";
/** What every version of it begins with. */
export const MAGIC_OF_ANY = "ofs-travel/";
export const END_MAGIC = "ofs-end\n";
/** Bytes of the end. */
export const END_BYTES = END_MAGIC.length + 14;
/** Bytes that one CRC-32 is about, and that are read at once. Source: DESIGN "Work at once". */
export const CHUNK_BYTES = 1 << 16;

/** How many items one may go back over at most: each costs a read. Source: DESIGN "Work at once". */
export const SHARED_DEPTH = 16;

/** Kinds of events: the facts that nodes are told, ends of processes, and what peers of a lone node sent it. */
export const eventKinds = [
  "started",
  "store.loaded",
  "rpc.called",
  "message.received",
  "message.answered",
  "message.failed",
  "peer.connected",
  "peer.disconnected",
  "peer.unreachable",
  "peer.measured",
  "peer.observed",
  "chain.observed",
  "notification.delivered",
  "snapshot.written",
  "snapshot.fetched",
  "timer.fired",
  "crashed",
  "peer.sent",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** What stands in the place of a table where a memory ended: with its process, or because it is built anew. */
export const CRASHED = 0;
export const FORGOTTEN = 1;
/** The first number of a table. */
export const FIRST_TABLE = 2;

/** Entries of events, of a node's changes, and a node's whole memory. */
export const segmentKinds = ["events", "changes", "checkpoint"] as const;
export type SegmentKind = (typeof segmentKinds)[number];

/** Where entries lie: of which node (-1: of all), from which event to which, at which byte, how many there are. */
export type SegmentRow = readonly [
  kind: number,
  node: number,
  first: number,
  last: number,
  at: number,
  length: number,
  count: number,
];

/** What a recording says of its run. */
export interface RunNotes {
  readonly title: string;
  readonly description: string;
  /** What is said where nothing was broken. */
  readonly verdict?: string;
  /** Absent where it is a node's life. */
  readonly seed?: string;
  readonly traceHash?: string;
  /** Nodes by their numbers: what each is called, and whether it hears of the chain from its peers alone. */
  readonly nodes: readonly { readonly name: string; readonly gossipOnly: boolean }[];
  readonly faults: readonly FaultNote[];
  readonly violations: readonly ViolationNote[];
  readonly story: readonly { readonly time: number; readonly text: string }[];
  readonly figures: readonly (readonly [name: string, value: string])[];
  /** Columns and rows of what nodes came to. */
  readonly ending: { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };
  readonly faultCounts: readonly { readonly kind: string; readonly injected: number; readonly effective: number }[];
}

/** A fault as it was planned; of an instant where both ends are one. */
export interface FaultNote {
  readonly kind: string;
  readonly text: string;
  readonly from: number;
  readonly until: number;
  /** Nodes that it keeps apart. */
  readonly groups: readonly (readonly number[])[];
}

export interface ViolationNote {
  readonly check: string;
  /** The law in words, where there are any. */
  readonly law?: string | undefined;
  readonly message: string;
  readonly time: number;
  readonly event: number;
}

/** The index of a recording. */
export interface RecordingIndex {
  readonly notes: RunNotes;
  readonly tables: readonly string[];
  /** Events of the run; those below `from` are not in this recording. */
  readonly from: number;
  readonly events: number;
  readonly segments: readonly SegmentRow[];
  readonly chunks: readonly number[];
}

/** Why a recording is not one, or not whole: one line. */
export class RecordingDefect extends Error {
  override readonly name = "RecordingDefect";
}

/** Bytes that grow; `take` empties them. */
export interface Bytes {
  put(value: number): void;
  raw(bytes: Uint8Array): void;
  length(): number;
  take(): Uint8Array;
}

export function growingBytes(capacity: number): Bytes {
  let buffer = new Uint8Array(capacity);
  let length = 0;
  const reserve = (more: number): void => {
    if (length + more <= buffer.length) return;
    const larger = new Uint8Array(Math.max(buffer.length * 2, length + more));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  };
  return {
    put(value) {
      if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no count`);
      reserve(8);
      let rest = value;
      while (rest > 0x7f) {
        buffer[length++] = (rest % 0x80) | 0x80;
        rest = Math.floor(rest / 0x80);
      }
      buffer[length++] = rest;
    },
    raw(bytes) {
      reserve(bytes.length);
      buffer.set(bytes, length);
      length += bytes.length;
    },
    length: () => length,
    take() {
      const taken = buffer.slice(0, length);
      length = 0;
      return taken;
    },
  };
}

/** Reads numbers one after the other. Throws `RecordingDefect` where bytes end early. */
export interface Numbers {
  next(): number;
  at(): number;
}

export function numbersIn(bytes: Uint8Array, start = 0): Numbers {
  let at = start;
  return {
    next() {
      let value = 0;
      for (let scale = 1; scale < 2 ** 53; scale *= 0x80) {
        const byte = bytes[at++];
        if (byte === undefined) throw new RecordingDefect("its entries end early");
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
      }
      throw new RecordingDefect("a number in it has no end");
    },
    at: () => at,
  };
}
