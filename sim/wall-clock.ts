/**
 * The one place of the simulator that reads the real clock: to say how long a run took, never to decide anything.
 */

/** Milliseconds since some fixed moment, for differences. */
export function wallMs(): number {
  return performance.now();
}
