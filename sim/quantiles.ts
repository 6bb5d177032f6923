/** How values of many runs lie: the middle, the spread, and what so many of them stay below. */

/** Quantiles of some values; all of them in the unit of the values, rounded to tenths. */
export interface Quantiles {
  /** Values that there are. */
  readonly count: number;
  readonly least: number;
  readonly p10: number;
  readonly p25: number;
  readonly median: number;
  readonly p75: number;
  readonly p90: number;
  readonly most: number;
  /** From the lower to the upper quartile. */
  readonly spread: number;
}

/** Quantiles between the two nearest values, by distance (Hyndman and Fan 1996, type 7); nothing of no values. */
export function quantilesOf(values: readonly number[]): Quantiles | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (percent: number): number => {
    const place = (percent * (sorted.length - 1)) / 100;
    const [low, high] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number];
    return tenths(low + (high - low) * (place - Math.floor(place)));
  };
  const [p25, p75] = [at(25), at(75)];
  const shown = { least: at(0), p10: at(10), p25, median: at(50), p75, p90: at(90), most: at(100) };
  return { count: sorted.length, ...shown, spread: tenths(p75 - p25) };
}

/** Rounded to tenths. */
export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}
