/**
 * Measuring: a run that warms up and is not counted, then the median of five by CPU time, with wall time beside it;
 * the best of several only where each is a start of its own.
 */

/** Runs that count, after one that does not: in that code is compiled and caches fill. */
const RUNS = 5;

/** What a second of CPU time does of work that no change of the product touches. */
export interface Calibration {
  /** SHA-256 of 64 bytes. */
  readonly hashes: number;
  readonly verifications: number;
  /** Rounds of a bare loop. */
  readonly loops: number;
}

/** What the design asks for. */
export type Bar = { readonly most: number } | { readonly least: number };

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bar?: Bar;
  /** The same by CPU time of what is measured, all of its threads; only for times, rates and their ratios. */
  readonly cpu?: number;
  /** What the machine did beside it; of rates only. */
  readonly calibration?: Calibration;
  /** Whether it is a share of a calibration of the same run, more of it being better: such are kept and compared. */
  readonly isRatio?: boolean;
}

export interface Bench {
  /** Whether it runs only when it is named. */
  readonly long?: boolean;
  /** What it measures where all cases together may take two minutes; nothing unless said. */
  readonly quick?: () => Promise<readonly Figure[]>;
  readonly run: () => Promise<readonly Figure[]>;
}

/** How long something took, by the wall and by the processors of this process. */
export interface Spent {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/**
 * Whether a figure is as good as its bar asks, by the wall or by CPU time: what others do to the machine only makes
 * either look worse.
 */
export function verdict({ value, cpu = value, bar }: Figure): "ok" | "missed" | undefined {
  if (bar === undefined) return undefined;
  const met = (figure: number) => ("most" in bar ? figure <= bar.most : figure >= bar.least);
  return met(value) || met(cpu) ? "ok" : "missed";
}

/** One line a figure. */
export function lineOf(bench: string, figure: Figure): string {
  const { bar, isRatio: _, calibration, ...rest } = figure;
  const asked = bar === undefined ? {} : { bar: "most" in bar ? `<= ${bar.most}` : `>= ${bar.least}` };
  return JSON.stringify({ case: bench, ...rest, calibration, ...asked, verdict: verdict(figure) });
}

/** Milliseconds that a call took. */
export function timed(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

export async function spent(run: () => Promise<void> | void): Promise<Spent> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await run();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1000 };
}

/** The median of several by CPU time, with the wall time of that very run. */
export function medianOf(all: readonly Spent[]): Spent {
  const sorted = [...all].sort((a, b) => a.cpuMs - b.cpuMs);
  return sorted[Math.floor(sorted.length / 2)] ?? { wallMs: Number.NaN, cpuMs: Number.NaN };
}

/** Where a run needs nothing. */
export const nothing = (): undefined => undefined;

/** The median of several runs, after one that is not counted; each prepared anew outside the clock. */
export async function medianRun<T>(
  prepare: () => Promise<T> | T,
  run: (prepared: T) => Promise<void> | void,
  runs = RUNS,
): Promise<Spent> {
  const all: Spent[] = [];
  for (let n = 0; n <= runs; n++) {
    const prepared = await prepare();
    all.push(await spent(() => run(prepared)));
  }
  return medianOf(all.slice(1));
}

/** The least wall time and the least CPU time of several runs, each prepared anew outside the clock. */
export async function best<T>(
  runs: number,
  prepare: () => Promise<T> | T,
  run: (prepared: T) => Promise<void> | void,
): Promise<Spent> {
  let least: Spent = { wallMs: Number.POSITIVE_INFINITY, cpuMs: Number.POSITIVE_INFINITY };
  for (let n = 0; n < runs; n++) {
    const prepared = await prepare();
    const { wallMs, cpuMs } = await spent(() => run(prepared));
    least = { wallMs: Math.min(least.wallMs, wallMs), cpuMs: Math.min(least.cpuMs, cpuMs) };
  }
  return least;
}

/** So many in a time, as a figure a second. */
export function perSecond(count: number, { wallMs, cpuMs }: Spent): Pick<Figure, "value" | "cpu"> {
  return { value: rounded((count * 1000) / wallMs), cpu: rounded((count * 1000) / cpuMs) };
}

export function median(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Three digits that count; more only before the point. */
export function rounded(value: number): number {
  return value >= 1000 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The most memory that this process has held so far, in gigabytes; the system counts it in kibibytes. */
export function gigabytesAtMost(): number {
  return (1_024 * process.resourceUsage().maxRSS) / 1e9;
}
