/**
 * What a simulated node remembers, and what is due at it: plain values. How it lives is in sim-node.ts.
 * Source: DESIGN section 5 "Everything is data".
 */
import type { Fact, HeldDriver, TimerName } from "../core/index.ts";
import type { Injection } from "./faults.ts";

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

/** What a node remembers. */
export interface HeldNode {
  /** Processes so far; the last one lives while there is a `life`. */
  starts: number;
  life: HeldLife | undefined;
  callsMade: number;
  skewMs: number;
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

/** A node that never ran. */
export function freshNode(): HeldNode {
  const counts = { starts: 0, callsMade: 0, skewMs: 0, busyMs: 0, busyUntil: 0 };
  return {
    ...counts,
    ...{ life: undefined, paused: false },
    faults: { pause: undefined, busy: undefined, clock: new Set() },
  };
}
