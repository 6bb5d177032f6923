/**
 * The trace of a run: a hash chain over everything that every node was told and did.
 *
 *   H(0)    = SHA-256("ofs-trace/3" ‖ 0x00 ‖ label)
 *   H(k+1)  = SHA-256(H(k) ‖ E(kL+1) ‖ … ‖ E(kL+L))      a link of L events
 *   head    = H(k), or SHA-256(H(k) ‖ E(kL+1) ‖ … ‖ E(m)) while the link after H(k) is open
 *   E       = length of the rest, u32 BE ‖ the step's bytes (adapters/recording/step-encoding.ts)
 *
 * Every N events, a whole number of links, the hash is kept as a checkpoint. What the run came to (its fault counts)
 * follows the last event.
 *
 * Chaining links instead of single events costs one hash per L events and names every event just as firmly. A trace
 * is held with its last hash and the bytes of the open link. Two runs that differ part at one checkpoint; running both
 * again with that stretch captured names the first event. Source: DESIGN section 5 "Trace".
 */

import type { ByteSink } from "../adapters/recording/byte-sink.ts";
import { createByteSink, putAny, setLength } from "../adapters/recording/byte-sink.ts";
import type { TracedStep } from "../adapters/recording/step-encoding.ts";
import { putStep } from "../adapters/recording/step-encoding.ts";
import { toHex, utf8 } from "../core/index.ts";
import type { Clock, Packing } from "./clock.ts";
import { sha256 } from "./runtime.ts";
import { describeStep } from "./step-text.ts";

/** Events between checkpoints. Source: DESIGN "Simulated world". */
export const CHECKPOINT_EVENTS = 4096;
/** Events of a link. Source: DESIGN "Simulated world". */
export const LINK_EVENTS = 64;
/** Bytes that a link usually stays below. */
const LINK_BYTES = 1 << 18;

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
  readonly clock: Clock;
  /** What run this is: scenario, options and seed. */
  readonly label: string;
  readonly capture?: Stretch;
  readonly checkpointEvents?: number;
}

/** What a trace remembers. */
interface HeldTrace {
  events: number;
  closed: boolean;
  /** The hash before the open link. */
  last: Uint8Array;
  readonly checkpoints: Checkpoint[];
  readonly captured: CapturedEvent[];
  /** The bytes of the open link. */
  readonly open: ByteSink;
}

/** The trace of a run that begins, or of one that goes on. */
export function createTrace({ clock, label, capture, checkpointEvents }: TraceOptions): Trace {
  const every = checkpointEvents ?? CHECKPOINT_EVENTS;
  const { held } = clock.part<HeldTrace, never>(
    "trace",
    () => freshTrace(label),
    () => undefined,
    packing,
  );
  const { open, checkpoints, captured } = held;

  function link(): void {
    held.last = hashOf(held);
    open.length = 0;
  }

  return {
    record(step) {
      const { time, node } = step;
      const start = open.length;
      open.length += 4;
      putStep(open, step);
      setLength(open, start, open.length - start - 4);
      held.events += 1;
      const { events } = held;
      if (capture !== undefined && events >= capture.from && events <= capture.to) {
        const hash = toHex(sha256(open.buffer.subarray(start, open.length)));
        captured.push({ event: events, time, node, hash, text: describeStep(step.input, step.effects, step.roots) });
      }
      const ends = events % every === 0;
      if (ends || events % LINK_EVENTS === 0) link();
      if (ends) checkpoints.push({ events, time, hash: toHex(held.last) });
    },
    close(summary) {
      putAny(open, summary);
      held.closed = true;
    },
    events: () => held.events,
    head: () => toHex(open.length === 0 ? held.last : hashOf(held)),
    checkpoints: () => checkpoints,
    captured: () => captured,
  };
}

function freshTrace(label: string): HeldTrace {
  const last = sha256(utf8(`ofs-trace/3\u0000${label}`));
  const empty = { events: 0, closed: false, checkpoints: [], captured: [] };
  return { ...empty, last, open: createByteSink(LINK_BYTES) };
}

function hashOf({ last, open }: HeldTrace): Uint8Array {
  return sha256(last, open.buffer.subarray(0, open.length));
}

/** The open link as the bytes that it has. */
const packing: Packing<HeldTrace> = {
  pack: ({ open, ...held }) => ({ ...held, open: Uint8Array.from(open.buffer.subarray(0, open.length)) }),
  unpack(packed) {
    const { open: bytes, ...held } = packed as Omit<HeldTrace, "open"> & { readonly open: Uint8Array };
    const open = createByteSink(Math.max(LINK_BYTES, bytes.length));
    open.buffer.set(bytes);
    open.length = bytes.length;
    return { ...held, open };
  },
};

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
