/**
 * The wall clock of a served network: how its time follows ours, at which pace, or stands still. What happens in the
 * network does not depend on it but for when. Source: DESIGN section 6 "serve".
 */
import { WORLD_START } from "../world.ts";
import type { WorldHost } from "./world-host.ts";

/** How long one stretch of time may keep calls waiting, in milliseconds of ours. */
const STRETCH_MS = 20;
/** How long the network is left alone at most, in milliseconds of ours, and the least between two stretches. */
const SLEEP_MS = 1_000;

/** Turns the network's time with ours. */
export interface Pace {
  /** Milliseconds of the network's in one of ours; 0 while its time stands still. */
  factor(): number;
  /** Follows the wall clock from where the network is now. */
  follow(factor: number): void;
  /** Stands still until told otherwise. */
  stand(): void;
  /** Goes on from where the network is now, at the pace that it has: something else moved its time. */
  rebase(): void;
  /** The instant of the network that the wall clock shows; where it stands, the one where it stands. */
  due(): number;
  close(): void;
}

/** Opens the pace of a world that stands still; `wakes` says whether something waits for each slot. */
export function openPace(host: WorldHost, slotMs: number, wakes: () => boolean): Pace {
  const state = { factor: 0, wall: 0, world: 0, closed: false };
  let timer: NodeJS.Timeout | undefined;
  const now = () => host.world().loop.now();
  const due = () =>
    state.factor === 0 ? now() : Math.floor(state.world + (performance.now() - state.wall) * state.factor);
  const rebase = (): void => {
    state.wall = performance.now();
    state.world = now();
  };
  const stretch = (): void => {
    void host.exclusive(() => (state.factor === 0 ? undefined : host.advance(due(), stretchOf())));
  };
  const plan = (): void => {
    clearTimeout(timer);
    if (state.factor === 0 || state.closed) return;
    const { loop } = host.world();
    const slot = wakes() ? (Math.floor(loop.now() / slotMs) + 1) * slotMs : Number.POSITIVE_INFINITY;
    const waits = (Math.min(loop.nextTime(), slot) - due()) / state.factor;
    timer = setTimeout(stretch, Math.min(SLEEP_MS, Math.max(0, Math.ceil(waits))));
  };
  host.onSettled(plan);
  host.onReplaced(rebase);
  return {
    factor: () => state.factor,
    follow(factor) {
      rebase();
      state.factor = factor;
      plan();
    },
    stand() {
      state.factor = 0;
      plan();
    },
    rebase,
    due,
    close() {
      state.closed = true;
      clearTimeout(timer);
    },
  };
}

/** Says when one stretch of time that begins now has kept others waiting for long enough. */
export function stretchOf(): () => boolean {
  const began = performance.now();
  return () => performance.now() - began > STRETCH_MS;
}

/** Where our clock stands, in milliseconds since the first day of worlds; never before it. */
export function wallInstant(): number {
  return Math.max(0, Date.now() - Number(WORLD_START));
}

/** Waits so many milliseconds of ours. */
export function wallSleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
