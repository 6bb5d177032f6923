/**
 * How long one world of a process may take, by the wall clock. The next world has as long again: how many a process
 * plays, and how busy the machine is, ends none of them.
 */

export interface WorldTime {
  /** A world has ended, and the next one begins. */
  readonly next: () => void;
  /** Nothing is played any more. */
  readonly end: () => void;
}

/** Begins with the first world; `late` is called when one takes so many milliseconds. */
export function openWorldTime(ms: number, late: () => void): WorldTime {
  const timer = setTimeout(late, ms);
  return { next: () => void timer.refresh(), end: () => clearTimeout(timer) };
}
