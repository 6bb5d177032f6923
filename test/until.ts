/**
 * Waiting for facts, however long they take: how long that is says something about the machine and nothing about the
 * product. What never comes is ended by the runner's own limit (vitest.config.ts).
 * This is the one file of the tests that looks at the machine's clock to wait; a tidy rule keeps that.
 */

/** Longer than the runner lets any test run: what takes so long never ends by running out of time. */
export const NEVER_MS = 3_600_000;
/** How often whoever watches is told what is still awaited. */
const TELL_EVERY_MS = 60_000;

// Kept from before a test may replace them.
const { setTimeout: after, setInterval: every, clearInterval } = globalThis;

/** Resolves once it holds; looks every so often. */
export async function until(holds: () => boolean | Promise<boolean>, lookEveryMs = 1): Promise<void> {
  const telling = every(() => console.error(`still waiting until ${holds}`), TELL_EVERY_MS);
  try {
    while (!(await holds())) await new Promise((resolve) => after(resolve, lookEveryMs));
  } finally {
    clearInterval(telling);
  }
}
