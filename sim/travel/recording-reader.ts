/**
 * Reads a recording: events, and the state of any node at any event. Files come from anywhere: what is damaged gives
 * one line, at the latest when somebody looks at what it is about. Runs in browsers too.
 * Source: DESIGN section 6 (`run --record`).
 */
import type { EventKind, RecordingIndex, RunNotes, SegmentRow } from "./format.ts";
import {
  CHUNK_BYTES,
  CRASHED,
  END_BYTES,
  END_MAGIC,
  eventKinds,
  FIRST_TABLE,
  MAGIC,
  MAGIC_OF_ANY,
  numbersIn,
  RecordingDefect,
  SHARED_DEPTH,
  segmentKinds,
} from "./format.ts";

/** Chunks that are remembered, the last ones asked for. Source: DESIGN L10. */
const CHUNKS_KEPT = 1 << 11;
/** Texts that are remembered. Source: DESIGN L10. */
const TEXTS_KEPT = 1 << 16;
/** Bytes of an index at most. Source: DESIGN L10. */
const INDEX_BYTES = 1 << 29;

/** Where a recording comes from. */
export interface RecordingSource {
  readonly size: number;
  /** Exactly so many bytes. */
  read(at: number, length: number): Uint8Array;
  /** Checks bytes as they are read; without it they are believed. */
  readonly crc32?: (bytes: Uint8Array) => number;
}

/** An event of the run. */
export interface SeenEvent {
  readonly event: number;
  readonly time: number;
  readonly node: number;
  readonly kind: EventKind;
  /** The event that led to it; 0 where none did that is known. */
  readonly cause: number;
  /** Where its label lies. */
  readonly label: number;
  readonly changed: number;
}

/** A row as it was from an event on; nothing in it where it was removed. */
export interface SeenChange {
  readonly event: number;
  readonly table: string;
  readonly key: number;
  readonly text: number | undefined;
}

/** A row of a node: places of its key and of its text. */
export interface SeenRow {
  readonly table: string;
  readonly key: number;
  readonly text: number;
  /** The event that wrote it, where changes since the checkpoint tell. */
  readonly event: number | undefined;
}

/** A node after an event. Rows by table and place of the key. */
export interface SeenState {
  readonly up: boolean;
  readonly rows: ReadonlyMap<string, SeenRow>;
}

export interface TravelRecording {
  readonly notes: RunNotes;
  readonly tables: readonly string[];
  readonly from: number;
  readonly events: number;
  /** The text at a place. */
  text(place: number): string;
  /** Events from one to another, both included. */
  eventsFrom(first: number, last: number): Generator<SeenEvent>;
  /** What changed at a node within events, oldest first; `forgotten` where its memory ended. */
  changesOf(node: number, first: number, last: number): Generator<SeenChange | Forgotten>;
  stateAt(node: number, event: number): SeenState;
}

/** A node's memory ended. */
export interface Forgotten {
  readonly event: number;
  readonly forgotten: "crashed" | "anew";
}

interface Reading {
  readonly source: RecordingSource;
  readonly index: RecordingIndex;
  /** Where what is recorded ends and the index begins. */
  readonly end: number;
  readonly chunks: Map<number, Uint8Array>;
  readonly texts: Map<number, string>;
  /** Segments of each node, and those of events under -1, in their order. */
  readonly segments: ReadonlyMap<number, readonly SegmentRow[]>;
}

const utf8 = new TextDecoder();
const [EVENTS, CHANGES, CHECKPOINT] = segmentKinds.map((_, place) => place);

/** Opens a recording. Throws `RecordingDefect`, one line, where it is none or damaged. */
export function openTravelRecording(source: RecordingSource): TravelRecording {
  const { index, end } = indexOf(source);
  const segments = new Map<number, SegmentRow[]>();
  for (const row of index.segments) {
    const rows = segments.get(row[1]) ?? [];
    segments.set(row[1], rows);
    rows.push(row);
  }
  const reading: Reading = { source, index, end, chunks: new Map(), texts: new Map(), segments };
  const { notes, tables, from, events } = index;
  return {
    ...{ notes, tables, from, events },
    text: (place) => textAt(reading, place),
    eventsFrom: (first, last) => eventsFrom(reading, first, last),
    changesOf: (node, first, last) => changesOf(reading, { node, first, last }),
    stateAt: (node, event) => stateAt(reading, node, event),
  };
}

function indexOf(source: RecordingSource): { readonly index: RecordingIndex; readonly end: number } {
  const { size } = source;
  const begins = size < MAGIC.length ? "" : utf8.decode(source.read(0, MAGIC.length));
  if (begins !== MAGIC)
    throw new RecordingDefect(
      begins.startsWith(MAGIC_OF_ANY) ? "it was recorded by another version" : "it is no recording of a run",
    );
  const end = size < MAGIC.length + END_BYTES ? undefined : source.read(size - END_BYTES, END_BYTES);
  if (end === undefined || utf8.decode(end.subarray(0, END_MAGIC.length)) !== END_MAGIC)
    throw new RecordingDefect("it has no end: the run that wrote it was broken off, or the file is cut");
  const view = new DataView(end.buffer, end.byteOffset + END_MAGIC.length);
  const at = view.getUint16(0) * 2 ** 32 + view.getUint32(2);
  const length = view.getUint32(6);
  if (length > INDEX_BYTES || at + length + END_BYTES !== size) throw new RecordingDefect("its end is damaged");
  const bytes = source.read(at, length);
  if (source.crc32 !== undefined && source.crc32(bytes) !== view.getUint32(10))
    throw new RecordingDefect("its index is damaged");
  try {
    return { index: JSON.parse(utf8.decode(bytes)) as RecordingIndex, end: at };
  } catch {
    throw new RecordingDefect("its index is damaged");
  }
}

function chunkAt({ source, index, end, chunks }: Reading, number: number): Uint8Array {
  const known = chunks.get(number);
  if (known !== undefined) return known;
  const at = number * CHUNK_BYTES;
  const sum = index.chunks[number];
  if (sum === undefined || at >= end) throw new RecordingDefect(`it has no byte ${at}`);
  const bytes = source.read(at, Math.min(CHUNK_BYTES, end - at));
  if (source.crc32 !== undefined && source.crc32(bytes) !== sum)
    throw new RecordingDefect(`it is damaged between byte ${at} and ${at + bytes.length}`);
  const [oldest] = chunks.keys();
  if (oldest !== undefined && chunks.size >= CHUNKS_KEPT) chunks.delete(oldest);
  chunks.set(number, bytes);
  return bytes;
}

function bytesAt(reading: Reading, at: number, length: number): Uint8Array {
  if (at + length > reading.end) throw new RecordingDefect(`it ends before byte ${at + length}`);
  const first = Math.floor(at / CHUNK_BYTES);
  const within = at - first * CHUNK_BYTES;
  const chunk = chunkAt(reading, first);
  if (within + length <= chunk.length) return chunk.subarray(within, within + length);
  const bytes = new Uint8Array(length);
  let done = 0;
  for (let number = first; done < length; number++) {
    const here = chunkAt(reading, number);
    const part = here.subarray(number === first ? within : 0, number === first ? undefined : length - done);
    if (part.length === 0) throw new RecordingDefect("it ends early");
    bytes.set(part.subarray(0, length - done), done);
    done += part.length;
  }
  return bytes;
}

/** Bytes of the numbers before a text at most. */
const HEAD_BYTES = 32;

function textAt(reading: Reading, place: number): string {
  const known = reading.texts.get(place);
  if (known !== undefined) return known;
  const text = utf8.decode(itemAt(reading, place, 0));
  if (reading.texts.size >= TEXTS_KEPT) reading.texts.clear();
  reading.texts.set(place, text);
  return text;
}

function itemAt(reading: Reading, place: number, depth: number): Uint8Array {
  if (place >= reading.end || depth > SHARED_DEPTH) throw new RecordingDefect(`it has no text at byte ${place}`);
  const numbers = numbersIn(bytesAt(reading, place, Math.min(HEAD_BYTES, reading.end - place)));
  const told = numbers.next();
  const length = Math.floor(told / 2);
  if (told % 2 === 0) return bytesAt(reading, place + numbers.at(), length);
  const [like, first, last] = [numbers.next(), numbers.next(), numbers.next()];
  const base = itemAt(reading, like, depth + 1);
  if (first + last > base.length) throw new RecordingDefect(`its text at byte ${place} shares more than there is`);
  const bytes = new Uint8Array(first + length + last);
  bytes.set(base.subarray(0, first));
  bytes.set(bytesAt(reading, place + numbers.at(), length), first);
  bytes.set(base.subarray(base.length - last), first + length);
  return bytes;
}

/** The place of the first segment of a list that ends at an event or later; lists are in order of events. */
function firstEnding(rows: readonly SegmentRow[], event: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as SegmentRow)[3] < event) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* eventsFrom(reading: Reading, first: number, last: number): Generator<SeenEvent> {
  const rows = reading.segments.get(-1) ?? [];
  for (let place = firstEnding(rows, first); place < rows.length; place++) {
    const [kind, , begins, , at, length, count] = rows[place] as SegmentRow;
    if (begins > last) return;
    if (kind !== EVENTS) continue;
    const numbers = numbersIn(bytesAt(reading, at, length));
    let [event, time] = [begins, 0];
    for (let n = 0; n < count; n++) {
      event += numbers.next();
      time += numbers.next();
      const [node, fact, back] = [numbers.next(), numbers.next(), numbers.next()];
      const [label, changed] = [numbers.next(), numbers.next()];
      if (event > last) return;
      if (event < first) continue;
      const told = eventKinds[fact];
      if (told === undefined) throw new RecordingDefect(`event ${event} is of no kind that there is`);
      yield { event, time, node, kind: told, cause: back === 0 ? 0 : event - back + 1, label, changed };
    }
  }
}

/** What of a node's changes is asked for: those of events, or those after a segment in its list. */
interface Span {
  readonly node: number;
  readonly first: number;
  readonly last: number;
  readonly after?: number;
}

function* changesOf(reading: Reading, { node, first, last, after }: Span): Generator<SeenChange | Forgotten> {
  const rows = reading.segments.get(node) ?? [];
  for (let place = after === undefined ? firstEnding(rows, first) : after + 1; place < rows.length; place++) {
    const [kind, , begins, , at, length, count] = rows[place] as SegmentRow;
    if (begins > last) return;
    if (kind !== CHANGES) continue;
    const numbers = numbersIn(bytesAt(reading, at, length));
    let event = begins;
    for (let n = 0; n < count; n++) {
      event += numbers.next();
      const table = numbers.next();
      const forgotten = table < FIRST_TABLE;
      const [key, text] = forgotten ? [0, 0] : [numbers.next(), numbers.next()];
      if (event > last) return;
      if (event < first) continue;
      if (forgotten) yield { event, forgotten: table === CRASHED ? "crashed" : "anew" };
      else yield { event, table: tableAt(reading, table), key, text: text === 0 ? undefined : text };
    }
  }
}

function tableAt({ index }: Reading, number: number): string {
  const table = index.tables[number - FIRST_TABLE];
  if (table === undefined) throw new RecordingDefect(`it has no table ${number}`);
  return table;
}

function stateAt(reading: Reading, node: number, event: number): SeenState {
  const rows = new Map<string, SeenRow>();
  const segments = reading.segments.get(node) ?? [];
  const after = lastCheckpoint(segments, event);
  const checkpoint = segments[after];
  if (checkpoint !== undefined) {
    const [, , , , at, length, count] = checkpoint;
    const numbers = numbersIn(bytesAt(reading, at, length));
    for (let n = 0; n < count; n++) {
      const table = tableAt(reading, numbers.next());
      const [key, text] = [numbers.next(), numbers.next()];
      rows.set(rowName(table, key), { table, key, text, event: undefined });
    }
  }
  let up = checkpoint !== undefined;
  for (const change of changesOf(reading, { node, first: 0, last: event, after })) {
    if ("forgotten" in change) rows.clear();
    else if (change.text === undefined) rows.delete(rowName(change.table, change.key));
    else {
      const { table, key, text } = change;
      rows.set(rowName(table, key), { table, key, text, event: change.event });
    }
    up = !("forgotten" in change && change.forgotten === "crashed");
  }
  return { up, rows };
}

/** A row by its table and where its key lies. */
export function rowName(table: string, key: number): string {
  return `${table} ${key}`;
}

/** The place of a node's last checkpoint up to an event; -1 where it has none. */
function lastCheckpoint(rows: readonly SegmentRow[], event: number): number {
  for (let place = Math.min(firstEnding(rows, event + 1), rows.length - 1); place >= 0; place--) {
    const row = rows[place] as SegmentRow;
    if (row[0] === CHECKPOINT && row[2] <= event) return place;
  }
  return -1;
}
