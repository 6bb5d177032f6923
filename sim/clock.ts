/**
 * Virtual time and the loop over due events. Time is a count of whole milliseconds since the run began, a plain
 * number (exact far beyond any run); at the edges it becomes `EpochMillis`, the run's start plus that count.
 * The loop is synchronous but for events that return a promise, which it awaits before the next one.
 * Source: DESIGN section 5 "Kernel".
 */
import type { EpochMillis } from "../core/index.ts";
import { createHeap } from "./heap.ts";

/** What happens when an event is due. A promise holds the whole world until it settles. */
export type Due = () => void | Promise<void>;

/** Virtual time as the parts of the world see it. */
export interface Clock {
  /** Milliseconds since the run began. */
  now(): number;
  epoch(): EpochMillis;
  /** Runs `due` at an instant, or now if that is past; after everything already due then. */
  at(time: number, due: Due): void;
  after(delayMs: number, due: Due): void;
}

/** The clock with the handle that turns it; one holder, the run. */
export interface Loop extends Clock {
  /** Runs the next event. A promise when that event needs awaiting; false when none is left. */
  runNext(): boolean | Promise<boolean>;
  /** Runs everything due up to an instant and stops there; `until` stops earlier, asked after every event. */
  runUntil(time: number, until?: () => boolean): Promise<void>;
  /** Runs until nothing is due. Throws after `eventsMax` events: a world with recurring timers never runs dry. */
  runDry(eventsMax: number): Promise<void>;
  nextTime(): number;
  pending(): number;
}

export function createLoop(start: EpochMillis): Loop {
  const heap = createHeap<Due>();
  let now = 0;
  let epochAt = 0;
  let epoch = start;

  function at(time: number, due: Due): void {
    if (!Number.isSafeInteger(time)) throw new RangeError(`an instant is a whole number of milliseconds, not ${time}`);
    heap.push(time < now ? now : time, due);
  }

  function runNext(): boolean | Promise<boolean> {
    const time = heap.nextTime();
    const due = heap.pop();
    if (due === undefined) return false;
    now = time;
    const pending = due();
    return pending instanceof Promise ? pending.then(() => true) : true;
  }

  return {
    now: () => now,
    epoch() {
      if (epochAt !== now) {
        epoch = (start + BigInt(now)) as EpochMillis;
        epochAt = now;
      }
      return epoch;
    },
    at,
    after: (delayMs, due) => at(now + delayMs, due),
    runNext,
    async runUntil(time, until) {
      while (heap.nextTime() <= time) {
        const ran = runNext();
        if (typeof ran !== "boolean") await ran;
        if (until?.() === true) return;
      }
      if (time > now) now = time;
    },
    async runDry(eventsMax) {
      for (let ran = 0; heap.size() > 0; ran++) {
        if (ran === eventsMax) throw new RangeError(`still ${heap.size()} events due after ${eventsMax}`);
        const result = runNext();
        if (typeof result !== "boolean") await result;
      }
    },
    nextTime: heap.nextTime,
    pending: heap.size,
  };
}
