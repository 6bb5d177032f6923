/**
 * Virtual time, the loop over due events, and the parts of a world that live in it. Time is a count of whole
 * milliseconds since the run began, a plain number (exact far beyond any run); at the edges it becomes `EpochMillis`,
 * the run's start plus that count. Whatever is due is a value that a part understands, and whatever a part remembers
 * is a value too; so everything that a world will do stands in `held()`, and a loop can go on from there.
 * The loop is synchronous but for events that return a promise, which it awaits before the next one.
 * Source: DESIGN section 5 "Kernel", "Everything is data".
 */
import type { EpochMillis } from "../core/index.ts";
import type { HeldHeap } from "./heap.ts";
import { createHeap } from "./heap.ts";

/** Something that is due: a value, which the part that planned it understands. */
export interface Due {
  readonly kind: string;
}

/** Carries out what is due. A promise holds the whole world until it settles. */
export type Perform<D> = (due: D) => void | Promise<void>;

/** A part's place in a world: what it remembers, and what it has planned. */
export interface Part<S, D extends Due> {
  readonly held: S;
  /** Whether it goes on with what a held world remembered. */
  readonly resumed: boolean;
  /** Something is due at an instant, or now if that is past; after everything already due then. */
  at(time: number, due: D): void;
  after(delayMs: number, due: D): void;
}

/** Why a world is held: to be kept as bytes, or to be copied here and now, with what copies can share. */
export type HeldFor = "bytes" | "copy";

/** How a part's memory becomes a value and comes back, where it is not one by itself. */
export interface Packing<S> {
  readonly pack: (held: S, what: HeldFor) => unknown;
  readonly unpack: (packed: unknown) => S;
}

/** Virtual time as the parts of the world see it. */
export interface Clock {
  /** Milliseconds since the run began. */
  now(): number;
  epoch(): EpochMillis;
  /** Takes a place in the world, under a name of its own; what was held there before is held again. */
  part<S, D extends Due>(name: string, fresh: () => S, perform: Perform<D>, packing?: Packing<S>): Part<S, D>;
}

/** What every part remembers, by name, with what is due and when. Plain values all through. */
export interface HeldLoop {
  readonly now: number;
  readonly heap: HeldHeap<Planned>;
  readonly parts: ReadonlyMap<string, unknown>;
}

/** An event of the heap: whose it is, and what. */
interface Planned {
  readonly part: string;
  readonly due: Due;
}

/** The clock with the handle that turns it; one holder, the run. */
export interface Loop extends Clock {
  /** Calls a function at an instant, for who drives a loop from outside: such a call cannot be held. */
  at(time: number, call: () => void | Promise<void>): void;
  after(delayMs: number, call: () => void | Promise<void>): void;
  /** Runs the next event. A promise when that event needs awaiting; false when none is left. */
  runNext(): boolean | Promise<boolean>;
  /**
   * Runs everything due up to an instant and stops there; `until` stops earlier, asked after every event. What
   * `settle` answers is awaited before it is.
   */
  runUntil(time: number, until?: () => boolean, settle?: () => Promise<void> | undefined): Promise<void>;
  /** Runs until nothing is due. Throws after `eventsMax` events: a world with recurring timers never runs dry. */
  runDry(eventsMax: number): Promise<void>;
  nextTime(): number;
  pending(): number;
  /** All that is remembered and due. It is what lives on, not a copy of it. */
  held(what: HeldFor): HeldLoop;
}

/** A call from outside, in the place of a value. */
interface Outside extends Due {
  readonly kind: "call";
  readonly call: () => void | Promise<void>;
}

/** The part that calls from outside are planned for. */
const OUTSIDE = "outside";

interface Seat {
  readonly perform: Perform<Due>;
  readonly pack: (what: HeldFor) => unknown;
}

/** What a loop holds in which nothing has happened until an instant: the world that goes on from there begins then. */
export function emptyUntil(now: number): HeldLoop {
  return { now, heap: createHeap<Planned>().held(), parts: new Map() };
}

/** A loop that begins, or goes on from what another held. */
export function createLoop(start: EpochMillis, from?: HeldLoop): Loop {
  const heap = createHeap<Planned>(from?.heap);
  const seats = new Map<string, Seat>();
  let now = from?.now ?? 0;
  let [epochAt, epoch] = [0, start];

  function plan(part: string, time: number, due: Due): void {
    if (!Number.isSafeInteger(time)) throw new RangeError(`an instant is a whole number of milliseconds, not ${time}`);
    heap.push(time < now ? now : time, { part, due });
  }

  function runNext(): boolean | Promise<boolean> {
    const time = heap.nextTime();
    const planned = heap.pop();
    if (planned === undefined) return false;
    now = time;
    const seat = seats.get(planned.part);
    if (seat === undefined) throw new Error(`bug: nobody called ${planned.part} is there for ${planned.due.kind}`);
    const pending = seat.perform(planned.due);
    return pending instanceof Promise ? pending.then(() => true) : true;
  }

  function part<S, D extends Due>(name: string, fresh: () => S, perform: Perform<D>, packing?: Packing<S>): Part<S, D> {
    if (seats.has(name)) throw new Error(`bug: two parts are called ${name}`);
    const packed = from?.parts.get(name);
    const held = packed === undefined ? fresh() : (packing?.unpack(packed) ?? (packed as S));
    seats.set(name, { perform: perform as Perform<Due>, pack: (what) => packing?.pack(held, what) ?? held });
    const resumed = packed !== undefined;
    return {
      held,
      resumed,
      at: (time, due) => plan(name, time, due),
      after: (delayMs, due) => plan(name, now + delayMs, due),
    };
  }

  const outside = part<null, Outside>(
    OUTSIDE,
    () => null,
    ({ call }) => call(),
  );
  return {
    now: () => now,
    epoch() {
      if (epochAt !== now) {
        epoch = (start + BigInt(now)) as EpochMillis;
        epochAt = now;
      }
      return epoch;
    },
    part,
    at: (time, call) => outside.at(time, { kind: "call", call }),
    after: (delayMs, call) => outside.after(delayMs, { kind: "call", call }),
    runNext,
    async runUntil(time, until, settle) {
      while (heap.nextTime() <= time) {
        const ran = runNext();
        if (typeof ran !== "boolean") await ran;
        const settling = settle?.();
        if (settling !== undefined) await settling;
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
    held: (what) => ({
      now,
      heap: heap.held(),
      parts: new Map([...seats].map(([name, { pack }]) => [name, pack(what)])),
    }),
  };
}
