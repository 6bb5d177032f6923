/**
 * The trace of a run: a hash chain over everything that every node was told and did.
 *
 *   H(0)    = SHA-256("ofs-trace/2" ‖ 0x00 ‖ label)
 *   H(k+1)  = SHA-256(H(k) ‖ E(kN+1) ‖ … ‖ E(kN+N))      a checkpoint after every N events
 *   head    = H(k), or SHA-256(H(k) ‖ E(kN+1) ‖ … ‖ E(m)) while the batch after checkpoint k is open
 *   E       = length of the rest, u32 BE ‖ the step's bytes (trace-encoding.ts)
 *
 * What the run came to (its fault counts) follows the last event.
 *
 * Chaining batches instead of single events costs one hash per N events and names every event just as firmly. Two
 * runs that differ part at one checkpoint; running both again with that stretch captured names the first event.
 * Source: DESIGN section 5 "Trace".
 */

import type { Hash } from "node:crypto";
import { createHash } from "node:crypto";
import { createByteSink, putAny, setLength } from "./byte-sink.ts";
import { describeStep } from "./step-text.ts";
import type { TracedStep } from "./trace-encoding.ts";
import { putStep } from "./trace-encoding.ts";

/** Events between checkpoints. Source: DESIGN "Simulated world". */
export const CHECKPOINT_EVENTS = 4096;
/** Bytes held before they are hashed. */
const FLUSH_BYTES = 1 << 18;

/** The hash of a trace so far. */
export interface Checkpoint {
  /** Events so far. */
  readonly events: number;
  /** Virtual milliseconds. */
  readonly time: number;
  /** 64 hexadecimal digits. */
  readonly hash: string;
}

/** A stretch of events, the first counted 1, both ends included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** An event of a stretch that was asked to be kept. */
export interface CapturedEvent {
  readonly event: number;
  readonly time: number;
  readonly node: number;
  readonly hash: string;
  readonly text: string;
}

export interface Trace {
  record(step: TracedStep): void;
  /** What the run came to, such as its fault counts; the last thing that a trace holds. */
  close(summary: unknown): void;
  events(): number;
  /** The hash of everything so far, 64 hexadecimal digits. */
  head(): string;
  checkpoints(): readonly Checkpoint[];
  /** The events of the stretch that was asked for. */
  captured(): readonly CapturedEvent[];
}

export interface TraceOptions {
  /** What run this is: scenario, options and seed. */
  readonly label: string;
  readonly capture?: Stretch;
  readonly checkpointEvents?: number;
}

export function createTrace(options: TraceOptions): Trace {
  const every = options.checkpointEvents ?? CHECKPOINT_EVENTS;
  const sink = createByteSink(2 * FLUSH_BYTES);
  const checkpoints: Checkpoint[] = [];
  const captured: CapturedEvent[] = [];
  let events = 0;
  let closed = false;
  let last = createHash("sha256").update(`ofs-trace/2\u0000${options.label}`).digest();
  let open: Hash = createHash("sha256").update(last);

  function flush(): void {
    open.update(sink.buffer.subarray(0, sink.length));
    sink.length = 0;
  }

  function checkpoint(time: number): void {
    flush();
    last = open.digest();
    open = createHash("sha256").update(last);
    checkpoints.push({ events, time, hash: last.toString("hex") });
  }

  return {
    record(step) {
      const { time, node } = step;
      const start = sink.length;
      sink.length += 4;
      putStep(sink, step);
      setLength(sink, start, sink.length - start - 4);
      events += 1;
      if (options.capture !== undefined && events >= options.capture.from && events <= options.capture.to) {
        const hash = createHash("sha256").update(sink.buffer.subarray(start, sink.length)).digest("hex");
        captured.push({ event: events, time, node, hash, text: describeStep(step.input, step.effects, step.roots) });
      }
      if (events % every === 0) checkpoint(time);
      else if (sink.length >= FLUSH_BYTES) flush();
    },
    close(summary) {
      putAny(sink, summary);
      closed = true;
    },
    events: () => events,
    head() {
      if (events % every === 0 && !closed) return last.toString("hex");
      flush();
      return open.copy().digest("hex");
    },
    checkpoints: () => checkpoints,
    captured: () => captured,
  };
}

/** Where two runs part: the stretch between the last checkpoint they share and the first they do not. */
export function firstDifferingStretch(
  a: readonly Checkpoint[],
  b: readonly Checkpoint[],
  checkpointEvents: number = CHECKPOINT_EVENTS,
): Stretch {
  let shared = 0;
  while (shared < a.length && shared < b.length && a[shared]?.hash === b[shared]?.hash) shared += 1;
  const from = (a[shared - 1]?.events ?? 0) + 1;
  return { from, to: from + checkpointEvents - 1 };
}

/** The first event that differs between two captured stretches; an absent side had no such event. */
export function firstDifferingEvent(
  a: readonly CapturedEvent[],
  b: readonly CapturedEvent[],
): { readonly a: CapturedEvent | undefined; readonly b: CapturedEvent | undefined } | undefined {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if (a[i]?.hash !== b[i]?.hash) return { a: a[i], b: b[i] };
  }
  return undefined;
}
