/**
 * The recording that the page holds, and its events as columns, so that a hundred thousand of them are looked through
 * at every key: rows of objects would take ten times the memory.
 */
import { eventKinds } from "../format.ts";
import type { TravelRecording } from "../recording-reader.ts";
import { openTravelRecording } from "../recording-reader.ts";

/** The run: its recording, and its events by their places in it. */
export interface Run {
  readonly recording: TravelRecording;
  readonly count: number;
  readonly event: Int32Array;
  readonly time: Float64Array;
  readonly node: Int32Array;
  readonly kind: Uint8Array;
  /** The place of the event that led to each; -1 where none did that is here. */
  readonly cause: Int32Array;
  readonly label: Int32Array;
  readonly changed: Int32Array;
}

/** Inflates what stands in the page. */
export async function readRun(base64: string): Promise<Run> {
  const packed = Uint8Array.from(atob(base64.trim()), (unit) => unit.charCodeAt(0));
  const inflated = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer());
  return runOf(openTravelRecording({ size: bytes.length, read: (at, length) => bytes.subarray(at, at + length) }));
}

function runOf(recording: TravelRecording): Run {
  const seen = [...recording.eventsFrom(recording.from, recording.events)];
  const count = seen.length;
  const run: Run = {
    ...{ recording, count, event: new Int32Array(count), time: new Float64Array(count), node: new Int32Array(count) },
    ...{ kind: new Uint8Array(count), cause: new Int32Array(count).fill(-1), label: new Int32Array(count) },
    changed: new Int32Array(count),
  };
  for (const [place, each] of seen.entries()) {
    run.event[place] = each.event;
    run.time[place] = each.time;
    run.node[place] = each.node;
    run.kind[place] = eventKinds.indexOf(each.kind);
    run.label[place] = each.label;
    run.changed[place] = each.changed;
  }
  for (const [place, { cause }] of seen.entries()) if (cause > 0) run.cause[place] = placeOf(run, cause);
  return run;
}

/** The place of an event; -1 where it is not here. */
export function placeOf({ event, count }: Run, number: number): number {
  const place = firstFrom(event, count, number);
  return place < count && event[place] === number ? place : -1;
}

/** The first place of which a column is at least so much; columns of events and times ascend. */
export function firstFrom(column: Int32Array | Float64Array, count: number, least: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What an event was, in a line. */
export function labelAt({ recording, label }: Run, place: number): string {
  return recording.text(label[place] as number);
}
