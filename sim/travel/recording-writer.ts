/**
 * Writes a recording while a run goes on: texts once, changes as references to them, and of every node a checkpoint
 * whenever it has changed as often as it has rows, so that its state at any event is a checkpoint and no more changes
 * than that one has rows. What is held meanwhile is bounded by what the nodes themselves hold.
 * Source: DESIGN section 6 (`run --record`), L10.
 */
import type { Bytes, EventKind, RunNotes, SegmentKind, SegmentRow } from "./format.ts";
import {
  CHUNK_BYTES,
  CRASHED,
  END_MAGIC,
  eventKinds,
  FIRST_TABLE,
  FORGOTTEN,
  growingBytes,
  MAGIC,
  SHARED_DEPTH,
  segmentKinds,
} from "./format.ts";

/** Bytes of entries of one node that are gathered before they are written. Source: DESIGN "Work at once". */
const SEGMENT_BYTES = 1 << 14;
/** Changes of a node between checkpoints at least. Source: DESIGN "Work at once". */
const CHECKPOINT_CHANGES = 1_024;
/** Texts whose places are remembered, and their characters; the oldest go first. Source: DESIGN L10. */
const TEXTS = 1 << 17;
const TEXT_CHARACTERS = 1 << 25;
/** Bytes that a text shares with the one before it of its row, from which on it is told by what differs. */
const SHARED_BYTES = 24;

/** Where a recording goes. */
export interface RecordingSink {
  write(bytes: Uint8Array): void;
  readonly crc32: (bytes: Uint8Array) => number;
}

/** An event as it is written. */
export interface WrittenEvent {
  readonly event: number;
  readonly time: number;
  readonly node: number;
  readonly kind: EventKind;
  /** The event that led to it; 0 where none did that is known. */
  readonly cause: number;
  readonly label: string;
  /** Rows that it changed. */
  readonly changed: number;
}

/** A row that an event wrote; without a record, removed. */
export interface WrittenChange {
  readonly table: string;
  readonly key: string;
  readonly text: string | undefined;
}

export interface RecordingWriter {
  event(written: WrittenEvent): void;
  changes(node: number, event: number, written: readonly WrittenChange[]): void;
  /** A node's memory is gone, with its process or to be built anew. */
  forgotten(node: number, event: number, how: "crashed" | "anew"): void;
  /** The last thing that is written. */
  close(notes: RunNotes, events: number): void;
  /** Bytes so far. */
  size(): number;
}

/** A row of a node: where its key and its text lie. */
interface HeldRow {
  readonly table: number;
  readonly key: number;
  readonly text: number;
}

interface HeldNode {
  readonly rows: Map<string, HeldRow>;
  readonly open: OpenSegment;
  /** Changes since the last checkpoint. */
  changed: number;
}

/** Entries that are not written yet. */
interface OpenSegment {
  readonly bytes: Bytes;
  first: number;
  last: number;
  count: number;
}

interface Writing {
  readonly sink: RecordingSink;
  readonly out: Bytes;
  readonly chunks: number[];
  readonly segments: SegmentRow[];
  readonly tables: string[];
  readonly texts: Map<string, number>;
  /** The same by their places, with the items that each goes back over. */
  readonly places: Map<number, { readonly text: string; readonly depth: number }>;
  characters: number;
  readonly nodes: Map<number, HeldNode>;
  readonly events: OpenSegment & { time: number };
  /** Bytes given to the sink. */
  written: number;
}

const utf8 = new TextEncoder();

/** A recording that begins; `from` is the first event that it will hold. */
export function createRecordingWriter(sink: RecordingSink, from = 1): RecordingWriter {
  const writing: Writing = {
    ...{ sink, out: growingBytes(4 * CHUNK_BYTES), chunks: [], segments: [], tables: [] },
    ...{ texts: new Map(), places: new Map() },
    ...{ characters: 0, nodes: new Map(), events: { ...openSegment(), time: 0 }, written: 0 },
  };
  writing.out.raw(utf8.encode(MAGIC));
  return {
    event: (event) => putEvent(writing, event),
    changes(node, event, written) {
      if (written.length === 0) return;
      const held = nodeOf(writing, node);
      for (const change of written) putChange(writing, held, event, change);
      settle(writing, node, held, event);
    },
    forgotten(node, event, how) {
      const held = nodeOf(writing, node);
      enter(held.open, event);
      held.open.bytes.put(how === "crashed" ? CRASHED : FORGOTTEN);
      held.rows.clear();
      settle(writing, node, held, event);
    },
    close: (notes, events) => finish(writing, notes, from, events),
    size: () => writing.written + writing.out.length(),
  };
}

function openSegment(): OpenSegment {
  return { bytes: growingBytes(256), first: 0, last: 0, count: 0 };
}

function nodeOf({ nodes }: Writing, node: number): HeldNode {
  const found = nodes.get(node) ?? { rows: new Map(), open: openSegment(), changed: 0 };
  nodes.set(node, found);
  return found;
}

/** Where a text lies; it is written unless that is remembered, by what differs from another where that is less. */
function placeOf(writing: Writing, text: string, like = 0): number {
  const { texts, places, out } = writing;
  const known = texts.get(text);
  if (known !== undefined) return known;
  const at = writing.written + out.length();
  const bytes = utf8.encode(text);
  const base = places.get(like);
  const shared =
    base === undefined || base.depth >= SHARED_DEPTH ? undefined : sharedBytes(utf8.encode(base.text), bytes);
  if (shared === undefined) {
    out.put(2 * bytes.length);
    out.raw(bytes);
  } else {
    const own = bytes.subarray(shared.first, bytes.length - shared.last);
    for (const value of [2 * own.length + 1, like, shared.first, shared.last]) out.put(value);
    out.raw(own);
  }
  flush(writing, false);
  texts.set(text, at);
  places.set(at, { text, depth: shared === undefined ? 0 : (base?.depth ?? 0) + 1 });
  writing.characters += text.length;
  for (const [oldest, place] of texts) {
    if (texts.size <= TEXTS && writing.characters <= TEXT_CHARACTERS) break;
    texts.delete(oldest);
    places.delete(place);
    writing.characters -= oldest.length;
  }
  return at;
}

/** How many bytes two texts begin and end with in common, where it is worth it. */
function sharedBytes(
  base: Uint8Array,
  bytes: Uint8Array,
): { readonly first: number; readonly last: number } | undefined {
  const most = Math.min(base.length, bytes.length);
  let first = 0;
  while (first < most && base[first] === bytes[first]) first += 1;
  let last = 0;
  while (last < most - first && base[base.length - 1 - last] === bytes[bytes.length - 1 - last]) last += 1;
  return first + last < SHARED_BYTES ? undefined : { first, last };
}

/** An entry's event, after the one before it in the segment. */
function enter(segment: OpenSegment, event: number): void {
  if (segment.count === 0) {
    segment.first = event;
    segment.last = event;
  }
  segment.bytes.put(event - segment.last);
  segment.last = event;
  segment.count += 1;
}

function putEvent(writing: Writing, written: WrittenEvent): void {
  const { events } = writing;
  const { event, time, node, kind, cause, label, changed } = written;
  const place = placeOf(writing, label);
  if (events.count === 0) events.time = 0;
  enter(events, event);
  for (const value of [time - events.time, node, eventKinds.indexOf(kind), cause === 0 ? 0 : event - cause + 1])
    events.bytes.put(value);
  events.bytes.put(place);
  events.bytes.put(changed);
  events.time = time;
  if (events.bytes.length() >= SEGMENT_BYTES) putSegment(writing, "events", -1, events);
}

function putChange(writing: Writing, held: HeldNode, event: number, { table, key, text }: WrittenChange): void {
  const number = tableOf(writing, table);
  const row = `${number} ${key}`;
  const before = held.rows.get(row);
  const keyAt = before?.key ?? placeOf(writing, key);
  const textAt = text === undefined ? 0 : placeOf(writing, text, before?.text);
  enter(held.open, event);
  held.open.bytes.put(number + FIRST_TABLE);
  held.open.bytes.put(keyAt);
  held.open.bytes.put(textAt);
  if (text === undefined) held.rows.delete(row);
  else held.rows.set(row, { table: number, key: keyAt, text: textAt });
  held.changed += 1;
}

function tableOf({ tables }: Writing, table: string): number {
  const known = tables.indexOf(table);
  return known >= 0 ? known : tables.push(table) - 1;
}

/** Writes what has gathered of a node, and its whole memory when that is due. */
function settle(writing: Writing, node: number, held: HeldNode, event: number): void {
  const isDue = held.changed >= Math.max(CHECKPOINT_CHANGES, held.rows.size);
  if (isDue || held.open.bytes.length() >= SEGMENT_BYTES) putSegment(writing, "changes", node, held.open);
  if (!isDue) return;
  held.changed = 0;
  const checkpoint = openSegment();
  checkpoint.first = event;
  checkpoint.last = event;
  for (const { table, key, text } of held.rows.values()) {
    for (const value of [table + FIRST_TABLE, key, text]) checkpoint.bytes.put(value);
    checkpoint.count += 1;
  }
  putSegment(writing, "checkpoint", node, checkpoint);
}

function putSegment(writing: Writing, kind: SegmentKind, node: number, segment: OpenSegment): void {
  const { first, last, count } = segment;
  const at = writing.written + writing.out.length();
  const bytes = segment.bytes.take();
  segment.count = 0;
  writing.segments.push([segmentKinds.indexOf(kind), node, first, last, at, bytes.length, count]);
  writing.out.raw(bytes);
  flush(writing, false);
}

/** Gives whole chunks to the sink, and at the end what is left. */
function flush(writing: Writing, all: boolean): void {
  const { out, sink, chunks } = writing;
  if (!all && out.length() < CHUNK_BYTES) return;
  const bytes = out.take();
  let at = 0;
  for (; at + CHUNK_BYTES <= bytes.length || (all && at < bytes.length); at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, Math.min(at + CHUNK_BYTES, bytes.length));
    chunks.push(sink.crc32(chunk));
    sink.write(chunk);
    writing.written += chunk.length;
  }
  if (at < bytes.length) out.raw(bytes.subarray(at));
}

function finish(writing: Writing, notes: RunNotes, from: number, events: number): void {
  const { sink, nodes, segments, tables, chunks } = writing;
  if (writing.events.count > 0) putSegment(writing, "events", -1, writing.events);
  for (const [node, { open }] of nodes) if (open.count > 0) putSegment(writing, "changes", node, open);
  flush(writing, true);
  const index = utf8.encode(JSON.stringify({ notes, tables, from, events, segments, chunks }));
  const end = new DataView(new ArrayBuffer(14));
  end.setUint16(0, Math.floor(writing.written / 2 ** 32));
  end.setUint32(2, writing.written % 2 ** 32);
  end.setUint32(6, index.length);
  end.setUint32(10, sink.crc32(index));
  for (const bytes of [index, utf8.encode(END_MAGIC), new Uint8Array(end.buffer)]) sink.write(bytes);
  writing.written += index.length;
}
