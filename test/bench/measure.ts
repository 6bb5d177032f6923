/**
 * Measuring: best of several runs and medians, in wall time with CPU time beside it, since other programs share the
 * machine and may only make a run look slower than it is.
 */

/** What the design asks for. */
export type Bar = { readonly most: number } | { readonly least: number };

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bar?: Bar;
  /** The same by CPU time of what is measured, all of its threads; only for times, rates and their ratios. */
  readonly cpu?: number;
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
  const { bar, isRatio: _, ...rest } = figure;
  const asked = bar === undefined ? {} : { bar: "most" in bar ? `<= ${bar.most}` : `>= ${bar.least}` };
  return JSON.stringify({ case: bench, ...rest, ...asked, verdict: verdict(figure) });
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
