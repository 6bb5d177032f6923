/**
 * Virtual time as people read it. Runs in browsers too.
 */

/** Minutes, seconds, milliseconds. */
export function clockText(ms: number): string {
  const pad = (value: number, digits: number) => value.toString().padStart(digits, "0");
  return `${pad(Math.floor(ms / 60_000), 2)}:${pad(Math.floor(ms / 1_000) % 60, 2)}.${pad(ms % 1_000, 3)}`;
}
