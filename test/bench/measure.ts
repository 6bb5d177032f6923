/**
 * Measuring: repeated calls, the median of their times.
 */

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the design asks for, when it asks. */
  readonly bar?: string;
}

export interface Bench {
  readonly name: string;
  readonly run: () => Promise<readonly Figure[]>;
}

/** Milliseconds that a call took. */
export function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Two or three digits that count. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
