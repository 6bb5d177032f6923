/**
 * Bugs: the only place in the core that throws. A failed assertion stops the node, and the simulator
 * prints the seed; nothing that comes from outside may ever reach one.
 */

/** Stops the node when the program, not its input, is wrong. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`bug: ${message}`);
}

/** The value, which the surrounding code has just put there. */
export function known<T>(value: T | undefined, what: string): T {
  assert(value !== undefined, `${what} is known`);
  return value;
}
