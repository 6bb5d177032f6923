/**
 * What a simulated node remembers, and what is due at it: plain values. How it lives is in sim-node.ts.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Fact, HeldDriver, NodeDriver, TimerName } from "../core/index.ts";
import { tables } from "../core/index.ts";
import { withoutPages } from "../core/testing.ts";
import type { HeldFor } from "./clock.ts";
import type { Injection } from "./faults.ts";
import { MILLION } from "./random.ts";

/** Who asked a node, and which question of theirs it was. */
export interface Ticket {
  readonly to: string;
  readonly number: number;
}

/** What a process remembers, from its start to its death. */
export interface HeldLife {
  /** What its driver held when the world was held; the driver of a running process knows better. */
  driver: HeldDriver | undefined;
  readonly bootSeed: Uint8Array;
  /** Calls that were not answered, by their handle. */
  readonly calls: Map<string, { readonly body: string; readonly ticket: Ticket }>;
  /** How often each timer was set: only the last time counts. */
  readonly timers: Map<TimerName, number>;
  readonly waiting: Fact[];
  draining: boolean;
}

/** A clock that runs at a wrong rate since an instant of virtual time. */
export interface Drift {
  /** Millionths that it gains. */
  readonly ppm: number;
  readonly since: number;
  readonly injection: Injection;
}

/** What a node remembers. */
export interface HeldNode {
  /** Processes so far; the last one lives while there is a `life`. */
  starts: number;
  life: HeldLife | undefined;
  callsMade: number;
  skewMs: number;
  /** Wrong rates of its clock: of several the last one holds. */
  readonly drifts: Set<Drift>;
  paused: boolean;
  busyMs: number;
  busyUntil: number;
  /** Why it is paused, busy, or has a wrong clock, when faults did that; several may move one clock. */
  readonly faults: { pause: Injection | undefined; busy: Injection | undefined; readonly clock: Set<Injection> };
}

/** What is due at a node; `start` counts the process that it is for. */
export type NodeDue =
  | { readonly kind: "timer"; readonly start: number; readonly timer: TimerName; readonly set: number }
  /** The next fact that waits is taken. */
  | { readonly kind: "next"; readonly start: number }
  /** A call ends without an answer. */
  | { readonly kind: "lost"; readonly ticket: Ticket };

/** What a driver remembers: for bytes with every row in memory, since pages are read by code. */
export function driverFor(what: HeldFor, driver: NodeDriver | undefined): HeldDriver | undefined {
  const held = driver?.held(what);
  if (what === "copy" || held === undefined) return held;
  return { ...held, memory: withoutPages(held.memory, tables) };
}

/** By how much a node's clock is wrong at an instant of virtual time, in milliseconds. */
export function clockErrorMs({ skewMs, drifts }: HeldNode, now: number): number {
  const drift = newest(drifts);
  return drift === undefined ? skewMs : skewMs + gainMs(drift, now);
}

/** The fault whose drift has made a node's clock wrong by now. */
export function bitingDrift({ drifts }: HeldNode, now: number): Injection | undefined {
  const drift = newest(drifts);
  return drift !== undefined && gainMs(drift, now) !== 0 ? drift.injection : undefined;
}

/** How long a wait by a node's clock takes in virtual milliseconds: its timers run at the rate of its clock. */
export function waitMs(held: HeldNode, now: number, byItsClock: number): number {
  const drift = newest(held.drifts);
  if (drift === undefined) return byItsClock;
  const passes = (ms: number) => ms + gainMs(drift, now + ms) - gainMs(drift, now);
  let ms = Math.ceil((byItsClock * MILLION) / (MILLION + drift.ppm));
  // What a clock gains is rounded to whole milliseconds.
  while (passes(ms - 1) >= byItsClock) ms -= 1;
  while (passes(ms) < byItsClock) ms += 1;
  return ms;
}

function newest(drifts: ReadonlySet<Drift>): Drift | undefined {
  return [...drifts].at(-1);
}

function gainMs({ ppm, since }: Drift, now: number): number {
  return Math.floor(((now - since) * ppm) / MILLION);
}

/** A node that never ran. */
export function freshNode(): HeldNode {
  return {
    starts: 0,
    life: undefined,
    callsMade: 0,
    skewMs: 0,
    drifts: new Set<Drift>(),
    paused: false,
    busyMs: 0,
    busyUntil: 0,
    faults: { pause: undefined, busy: undefined, clock: new Set() },
  };
}
