/**
 * The clock of requests: calls `over` once so much time has passed, unless it is cancelled before.
 * Handed in, so that whoever has another clock than the machine's says when a request's time is over.
 */

/** Answers how to cancel. */
export type SetDeadline = (afterMs: number, over: () => void) => () => void;

/** Deadlines of the machine's own clock. */
export function setRealDeadline(afterMs: number, over: () => void): () => void {
  const timer = setTimeout(over, afterMs);
  return () => clearTimeout(timer);
}
